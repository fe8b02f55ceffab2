#include "gpu/check/device/device_problem.hpp"

#include "gpu/check/cases/element_type.hpp"

namespace skt::gpu {
namespace {

PagedCache without_rows(PagedCache cache) {
  cache.keys.clear();
  cache.values.clear();
  return cache;
}

}  // namespace

DevicePages::DevicePages(const CheckCase& c, const PagedCache& cache)
    : shape(without_rows(cache)),
      keys(to_bytes(c.element_type(), cache.keys)),
      values(to_bytes(c.element_type(), cache.values)),
      table(cache.table) {}

DeviceProblem::DeviceProblem(const CheckCase& c, const Problem& problem)
    : queries(to_bytes(c.element_type(), problem.queries)),
      keys(to_bytes(c.element_type(), problem.keys)),
      values(to_bytes(c.element_type(), problem.values)),
      hyperplanes(problem.hyperplanes),
      corners(problem.corners),
      allowed(problem.allowed) {}

}  // namespace skt::gpu
