#include "experiments/command/scaling_option.hpp"

#include "sim/require.hpp"

namespace skt {

Scaling scaling_named(const std::string& name) {
  if (name == kDefaultScaling) return Scaling::inverse_sqrt_dim;
  if (name == "none") return Scaling::none;
  refuse("--scaling {}: allowed are {}, none", name, kDefaultScaling);
}

}  // namespace skt
