#include "gpu/check/run_check.hpp"

#include <stdexcept>

#include "gpu/check/operations/checks.hpp"

namespace skt::gpu {

Comparison run_check(const Library& library, const CheckCase& c) {
  switch (c.operation) {
#define SKT_OPERATION(operation, name, least_planes, most_planes, check, needs) \
  case Operation::operation:                                                    \
    return check(library, c);
#include "gpu/check/cases/operations.def"
#undef SKT_OPERATION
  }
  throw std::logic_error("no such operation");
}

}  // namespace skt::gpu
