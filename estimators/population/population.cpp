#include "estimators/population/population.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "estimators/population/pair_moment.hpp"
#include "estimators/population/plane_signal.hpp"
#include "sim/number.hpp"
#include "sim/require.hpp"

namespace skt {
namespace {

// What the integrals of one key need: its signal, the chance Phi(c z) that the key lies on the side of the query's
// projection, and the scale below which nothing changes.
struct Key {
  PlaneSignal signal;
  double cot = 0;

  Key(const PopulationParameters& parameters, Cosine rho) : signal(plane_signal(parameters)), cot(cotangent(rho)) {}

  double same_side(double z) const { return normal_cdf(cot * z); }
  double other_side(double z) const { return normal_cdf(-cot * z); }
  double scale() const {
    const double bend = std::isinf(cot) || cot == 0 ? 1 : 1 / std::abs(cot);
    return std::min(signal.scale(), bend);
  }
};

Estimate agreement(const Key& key) {
  return mean_over_projection(
      [&](double z) {
        const double miss = key.signal.miss(z);
        return (1 - miss) * key.same_side(z) + miss * key.other_side(z);
      },
      key.scale());
}

// E (s - g)^2 by T and g - 1/2, which keep their digits where s and g are near 1/2.
Estimate variance_of_weak(const Key& key) {
  const double excess =
      mean_over_projection(
          [&](double z) { return key.signal.tanh_beta(z) / 2 * std::erf(key.cot * z / std::numbers::sqrt2); },
          key.scale())
          .value;
  return mean_over_projection(
      [&](double z) {
        const double half = key.signal.tanh_beta(z) / 2;
        return (half - excess) * (half - excess) * key.same_side(z) +
               (half + excess) * (half + excess) * key.other_side(z);
      },
      key.scale());
}

// The same by miss and 1 - g(rho) = g(-rho), which keep theirs where s is near 0 or 1.
Estimate variance_of_strong(const Key& key) {
  Key opposite = key;
  opposite.cot = -key.cot;
  const double g = agreement(key).value, one_minus_g = agreement(opposite).value;
  Estimate variance = mean_over_projection(
      [&](double z) {
        const double miss = key.signal.miss(z);
        const double agreeing = one_minus_g - miss, missing = miss - g;
        return agreeing * agreeing * key.same_side(z) + missing * missing * key.other_side(z);
      },
      key.scale());
  // s - g is known to a rounding unit of its two terms, whose mean square is at most 8 min(g, 1 - g).
  variance.error += std::numeric_limits<double>::epsilon() * std::sqrt(8 * std::min(g, one_minus_g) * variance.value);
  return variance;
}

// base^planes for a base in [0, 1].
Estimate power(const Estimate& base, Index planes) {
  const double p = real(planes);
  const double value = std::pow(base.value, p);
  const double slope = p * std::pow(base.value, p - 1);
  return {value, slope * base.error + std::numeric_limits<double>::epsilon() * value};
}

}  // namespace

Estimate plane_agreement(const PopulationParameters& parameters, Cosine rho) {
  return agreement(Key(parameters, rho));
}

Estimate plane_second_moment(const PopulationParameters& parameters, Cosine rho) {
  const Key key(parameters, rho);
  return mean_over_projection(
      [&](double z) {
        const double miss = key.signal.miss(z);
        return (1 - miss) * (1 - miss) * key.same_side(z) + miss * miss * key.other_side(z);
      },
      key.scale());
}

Estimate plane_variance(const PopulationParameters& parameters, Cosine rho) {
  const Key key(parameters, rho);
  const bool weak = key.signal.strength * std::min(1.0, key.signal.norm) <= 0.5;  // S min(1, a) is T's size at z = 1
  return weak ? variance_of_weak(key) : variance_of_strong(key);
}

Estimate population_weight(const PopulationParameters& parameters, Cosine rho) {
  return power(plane_agreement(parameters, rho), parameters.planes);
}

Estimate population_weight_variance(const PopulationParameters& parameters, Cosine rho) {
  // g2^P - g^2P = g2^P (1 - (1 - v/g2)^P) with v = g2 - g^2 the variance of one plane.
  const Estimate v = plane_variance(parameters, rho), g2 = plane_second_moment(parameters, rho);
  const double p = real(parameters.planes);
  const double share = std::min(1.0, v.value / g2.value);
  const double value = std::pow(g2.value, p) * -std::expm1(p * std::log1p(-share));
  // Derivatives to g2 and v of g2^P - (g2 - v)^P: P times the two powers P-1 and their difference.
  const double to_v = p * std::pow(g2.value * (1 - share), p - 1);
  const double to_g2 = p * std::pow(g2.value, p - 1) - to_v;
  return {value, to_v * v.error + to_g2 * g2.error + 4 * p * std::numeric_limits<double>::epsilon() * value};
}

Estimate population_pair_moment(const PopulationParameters& parameters, Cosine rho_i, Cosine rho_j, Cosine r_ij) {
  return power(plane_pair_moment(parameters, rho_i, rho_j, r_ij), parameters.planes);
}

Estimate epsilon(const PopulationParameters& parameters) {
  const Estimate lost = plane_agreement(parameters, {-1, 0});  // 1 - g(1)
  const double p = real(parameters.planes);
  const double value = -std::expm1(p * std::log1p(-lost.value));
  return {value, p * std::pow(1 - lost.value, p - 1) * lost.error + 2 * std::numeric_limits<double>::epsilon() * value};
}

Estimate angular_weight(Index planes, Cosine rho) {
  require(planes >= 1, "planes is {}: allowed is 1 and more", planes);
  cotangent(rho);  // checks rho
  const double to_pole = 2 * std::asin(std::sqrt(rho.complement / 2)) / std::numbers::pi;
  const double agreement = std::abs(rho.value) <= 0.5 ? 0.5 + std::asin(rho.value) / std::numbers::pi
                           : rho.value > 0            ? 1 - to_pole
                                                      : to_pole;
  return power({agreement, 4 * std::numeric_limits<double>::epsilon() * agreement}, planes);
}

}  // namespace skt
