#include "estimators/population/plane_signal.hpp"

#include <limits>

#include "sim/require.hpp"

namespace skt {
namespace {

// Between these, no product of two parameters leaves the range of a double.
constexpr double kLeast = 1e-150, kMost = 1e150;

}  // namespace

PlaneSignal plane_signal(const PopulationParameters& p) {
  require(p.query_norm >= kLeast && p.query_norm <= kMost, "query norm is {}: allowed is 1e-150 to 1e150",
          p.query_norm);
  require(p.temperature >= kLeast && p.temperature <= kMost, "temperature is {}: allowed is 1e-150 to 1e150",
          p.temperature);
  require(p.planes >= 1, "planes is {}: allowed is 1 and more", p.planes);
  return {p.query_norm, scaling_factor(p.scaling, p.dim) / p.temperature};
}

double cotangent(Cosine rho) {
  // A complement of a cosine written by hand may differ from 1 - |value| by the rounding of either.
  constexpr double kRounding = 4 * std::numeric_limits<double>::epsilon();
  require(std::abs(rho.value) <= 1, "cosine is {}: allowed is -1 to 1", rho.value);
  require(rho.complement >= 0 && std::abs(std::abs(rho.value) + rho.complement - 1) <= kRounding,
          "1 - |cosine| is {}: allowed is what the cosine says", rho.complement);
  if (std::abs(rho.value) <= 0.5) return rho.value / std::sqrt((1 - rho.value) * (1 + rho.value));
  const double magnitude = (1 - rho.complement) / std::sqrt(rho.complement * (2 - rho.complement));
  return std::copysign(magnitude, rho.value);
}

Estimate squared_signal(const PlaneSignal& signal) {
  return mean_over_projection(
      [&](double z) {
        const double t = signal.tanh_beta(z);
        return t * t;
      },
      signal.scale());
}

}  // namespace skt
