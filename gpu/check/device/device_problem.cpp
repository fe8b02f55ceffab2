#include "gpu/check/device/device_problem.hpp"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <vector>

#include "gpu/check/cases/element_type.hpp"
#include "gpu/functors/group_weights.hpp"

namespace skt::gpu {
namespace {

// The cache of `numbers` in rows, whose kv head is kv_head_of(row), as attention reads it.
template <class HeadOfRow>
std::vector<std::byte> cached(const CheckCase& c, const std::vector<float>& numbers, const std::vector<float>& scales,
                              const HeadOfRow& kv_head_of) {
  if (!c.has_e4m3_cache()) return to_bytes(c.element_type(), numbers);
  std::vector<std::byte> bytes(numbers.size());
#pragma omp parallel for schedule(static)
  for (std::int64_t row = 0; row < std::ssize(numbers) / c.dim; ++row) {
    const float scale = scale_of_head(scales, kv_head_of(row));
    std::ranges::transform(float_row(numbers, row, c.dim), bytes.begin() + row * c.dim,
                           [&](float number) { return std::byte{e4m3_byte(number / scale)}; });
  }
  return bytes;
}

std::vector<std::byte> cached_beside(const CheckCase& c, const std::vector<float>& numbers,
                                     const std::vector<float>& scales) {
  if (!c.has_e4m3_cache()) return {};
  return cached(c, numbers, scales, [&](std::int64_t row) { return row / c.capacity % c.kv_heads; });
}

PagedCache without_rows(PagedCache cache) {
  cache.keys.clear();
  cache.values.clear();
  return cache;
}

}  // namespace

DevicePages::DevicePages(const CheckCase& c, const Problem& problem, const PagedCache& cache)
    : shape(without_rows(cache)),
      keys(cached(c, cache.keys, problem.key_scales, [&](std::int64_t row) { return cache.kv_head_of(row); })),
      values(cached(c, cache.values, problem.value_scales, [&](std::int64_t row) { return cache.kv_head_of(row); })),
      table(cache.table) {}

DeviceProblem::DeviceProblem(const CheckCase& c, const Problem& problem)
    : queries(to_bytes(c.element_type(), problem.queries)),
      keys(to_bytes(c.element_type(), problem.keys)),
      values(to_bytes(c.element_type(), problem.values)),
      cached_keys(cached_beside(c, problem.keys, problem.key_scales)),
      cached_values(cached_beside(c, problem.values, problem.value_scales)),
      key_scales(problem.key_scales),
      value_scales(problem.value_scales),
      log_sums(problem.log_sums),
      work(score_work_bytes(shape_of(c))),
      hyperplanes(problem.hyperplanes),
      corners(problem.corners),
      allowed(problem.allowed) {}

DeviceProblem::DeviceProblem(const CheckCase& c)
    : queries(c.all_rows() * c.dim * element_bytes(c.element_type())),
      keys(c.kv_rows() * c.capacity * c.dim * element_bytes(c.element_type())),
      values(keys.size()),
      cached_keys(0),
      cached_values(0),
      key_scales(0),
      value_scales(0),
      log_sums(0),
      work(score_work_bytes(shape_of(c))),
      hyperplanes(0),
      corners(0),
      allowed(0) {}

skt_pages pages_of(const PagedCache& shape, const DeviceArray<std::int32_t>& table) {
  return {.block_table = table.data(),
          .blocks = shape.blocks,
          .pages = shape.pages,
          .page_size = shape.page_size,
          .page_stride = shape.page_stride,
          .head_stride = shape.head_stride,
          .token_stride = shape.token_stride};
}

}  // namespace skt::gpu
