#include "proofs_check/context.hpp"

#include "sim/stop.hpp"

namespace skt {

std::uint64_t Context::trials(std::uint64_t standard) const {
  look_for_stop();
  switch (profile) {
    case Profile::smoke:
      return standard / 4;
    case Profile::standard:
      return standard;
    case Profile::deep:
      return standard * 100;
  }
  return standard;
}

}  // namespace skt
