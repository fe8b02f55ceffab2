#include "estimators/metrics/ranking_correlation.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <boost/math/quadrature/gauss_kronrod.hpp>
#include <cmath>
#include <numbers>

#include "sim/number.hpp"
#include "sim/require.hpp"

namespace skt {
namespace {

using Rule = boost::math::quadrature::gauss_kronrod<double, 61>;
constexpr double kPi = std::numbers::pi;
constexpr double kAccuracy = 1e-12;  // relative, of each integral
constexpr unsigned kDepth = 12;

// The law of the angle between a fixed and a random direction: density proportional to sin^(dim-2).
class AngleLaw {
 public:
  explicit AngleLaw(Index dim) : power_(real(dim) - 2) {
    // cos^power(t) <= exp(-power t^2/2): beyond 9 deviations less than 1e-17 of the mass is left out.
    reach_ = std::min(kPi / 2, 9 / std::sqrt(std::max(power_, 1.0)));
    mass_ = integral([](double) { return 1.0; });
  }

  template <class Function>
  double mean(Function&& of_cosine) const {
    return integral(of_cosine) / mass_;
  }

 private:
  template <class Function>
  double integral(Function&& of_cosine) const {
    const auto integrand = [&](double t) { return std::pow(std::cos(t), power_) * of_cosine(std::sin(t)); };
    return Rule::integrate(integrand, -reach_, 0.0, kDepth, kAccuracy) +
           Rule::integrate(integrand, 0.0, reach_, kDepth, kAccuracy);
  }

  double power_ = 0;
  double reach_ = 0;
  double mass_ = 1;
};

// Sum of the squared numbers of rows in each block.
double squared_blocks(Index bits, Index dim, ProjectionRows rows) {
  if (rows == ProjectionRows::independent) return real(bits);
  const double d = real(dim), rest = real(bits % dim);
  return real(bits / dim) * d * d + rest * rest;
}

}  // namespace

double correlation_with_cosine(const ScorePart& part, double draws, Index dim) {
  if (dim < 2) refuse("dim is {}: a correlation with the cosine needs 2 and more", dim);
  require(draws >= 1, "draws is {}: allowed are 1 and more", draws);
  const AngleLaw law(dim);
  const double centre = law.mean(part.mean);
  const double covariance = law.mean([&](double rho) { return rho * (part.mean(rho) - centre); });
  const double signal = law.mean([&](double rho) { return std::pow(part.mean(rho) - centre, 2); });
  const double noise = law.mean(part.variance) / draws;
  return covariance * std::sqrt(real(dim)) / std::sqrt(signal + noise);
}

ScorePart soft_collision(const PopulationParameters& parameters) {
  return {[=](double rho) { return population_weight(parameters, Cosine::of(rho)).value; },
          [=](double rho) { return population_weight_variance(parameters, Cosine::of(rho)).value; }};
}

ScorePart hard_collision(Index planes) {
  const auto weight = [=](double rho) { return std::pow(1 - std::acos(rho) / kPi, real(planes)); };
  return {weight, [=](double rho) { return weight(rho) * (1 - weight(rho)); }};
}

ScorePart signature_bit() {
  const auto agreement = [](double rho) { return 2 / kPi * std::asin(rho); };  // of the product of two signs
  return {agreement, [=](double rho) { return 1 - agreement(rho) * agreement(rho); }};
}

double signed_projection_correlation(Index bits, Index dim, ProjectionRows rows) {
  const double gain = projection_gain(rows, dim), m = real(bits), d = real(dim);
  return gain * m / std::sqrt(d * m + gain * gain * (m * m - squared_blocks(bits, dim, rows)));
}

double mean_square_agreement(Index dim) {
  const auto agreement = signature_bit().mean;
  return AngleLaw(dim).mean([&](double rho) { return agreement(rho) * agreement(rho); });
}

double signature_correlation(Index bits, Index dim, ProjectionRows rows) {
  const double gain = projection_gain(ProjectionRows::orthogonal_blocks, dim);
  const double m = real(bits), d = real(dim);
  const double squared = mean_square_agreement(dim);
  return gain * gain * m / std::sqrt(d * (m + squared * (m * m - squared_blocks(bits, dim, rows))));
}

double most_correlation(double bits, double dim) {
  require(bits >= 0, "bits is {}: allowed are 0 and more", bits);
  require(dim > 0, "dim is {}: allowed is above 0", dim);
  return std::sqrt(-std::expm1(-2 * bits / dim * std::numbers::ln2));
}

double most_recall(double bits, double dim, Index budget, Index keys) {
  require(bits >= 0, "bits is {}: allowed are 0 and more", bits);
  require(dim > 0, "dim is {}: allowed is above 0", dim);
  require(budget >= 1 && budget <= keys, "budget is {}: allowed are 1 to {}", budget, keys);
  const double f = real(budget) / real(keys), allowed = bits / dim + 2 * std::log2(real(keys) + 1) / real(keys);
  const auto part = [](double joint, double product) { return joint > 0 ? joint * std::log2(joint / product) : 0; };
  const auto information = [&](double recall) {
    return part(f * recall, f * f) + 2 * part(f * (1 - recall), f * (1 - f)) +
           part(1 - 2 * f + f * recall, (1 - f) * (1 - f));
  };
  double low = f, high = 1;
  if (information(high) <= allowed) return 1;
  for (int i = 0; i < 60; ++i) {
    const double middle = (low + high) / 2;
    (information(middle) <= allowed ? low : high) = middle;
  }
  return high;
}

double weighted_signs_limit(Index planes, Index dim) {
  const double squared = std::pow(projection_gain(ProjectionRows::orthogonal_blocks, dim), 2) / real(dim);
  return std::sqrt(real(planes) * squared / (1 + (real(planes) - 1) * squared));
}

double product_score_limit(Index planes, Index dim) {
  const double d = real(dim);
  const double mean =
      AngleLaw(dim).mean([](double rho) { return (1 - rho * rho) / (1 - 2 / kPi * std::asin(rho * rho)); });
  const double gain = real(planes) * 2 / kPi * d / ((d - 1) * (d - 1)) * mean;
  return std::sqrt(gain / (1 + gain));
}

double norm_regularity(Index dim) {
  const double d = real(dim);
  return std::sqrt(2 / d) * std::exp(std::lgamma((d + 1) / 2) - std::lgamma(d / 2));
}

}  // namespace skt
