#include "proofs_check/laws/sampling_tails.hpp"

#include <cmath>

#include "estimators/value_sampling.hpp"
#include "estimators/weighted_output.hpp"
#include "proofs_check/laws/exact_tails.hpp"
#include "sim/number.hpp"
#include "sim/statistics/quantiles.hpp"
#include "sim/trial_loop.hpp"

namespace skt {
namespace {

// What a radius and an error that are equal may differ by, each from some tens of operations.
constexpr double kMet = 1 + 1e-12;

// One draw: X = S1 v/|v| and its probability for each key that can be drawn.
struct OneDraw {
  Vector mean;
  std::vector<Vector> draws;
  std::vector<double> chances;
};

OneDraw one_draw(const Vector& weights, const Matrix& values) {
  const Vector a = weights / weights.sum(), norms = row_norms(values);
  const double total = a.dot(norms);
  OneDraw law{values.transpose() * a, {}, {}};
  for (Index j = 0; j < a.size(); ++j) {
    if (!(a(j) * norms(j) > 0)) continue;
    law.draws.push_back(total / norms(j) * values.row(j).transpose());
    law.chances.push_back(a(j) * norms(j) / total);
  }
  return law;
}

}  // namespace

double signs_outside(std::uint64_t samples, double minority, double radius) {
  return binomial_deviation(samples, 1 - minority, radius * kMet / 2);
}

double SampledErrorLaw::mean() const {
  double sum = 0;
  for (std::size_t i = 0; i < chances.size(); ++i) sum += chances[i] * squares[i];
  return sum;
}

double SampledErrorLaw::variance() const {
  const double centre = mean();
  double sum = 0;
  for (std::size_t i = 0; i < chances.size(); ++i) sum += chances[i] * std::pow(squares[i] - centre, 2);
  return sum;
}

double SampledErrorLaw::outside(double radius) const {
  double sum = 0;
  for (std::size_t i = 0; i < chances.size(); ++i) {
    if (std::sqrt(squares[i]) > radius * kMet) sum += chances[i];
  }
  return sum;
}

SampledErrorLaw enumerated_errors(const Vector& weights, const Matrix& values, Index samples, const Vector& offset) {
  const OneDraw one = one_draw(weights, values);
  SampledErrorLaw law;
  const std::function<void(Index, double, const Vector&)> extend = [&](Index left, double chance, const Vector& sum) {
    if (left == 0) {
      law.chances.push_back(chance);
      law.squares.push_back((sum / real(samples) - one.mean + offset).squaredNorm());
      return;
    }
    for (std::size_t j = 0; j < one.draws.size(); ++j) extend(left - 1, chance * one.chances[j], sum + one.draws[j]);
  };
  extend(samples, 1, Vector::Zero(values.cols()));
  return law;
}

std::uint64_t SampledErrors::outside() const {
  std::uint64_t count = 0;
  for (std::size_t i = 0; i < errors.size(); ++i) count += errors[i] > radii[i] * kMet;
  return count;
}

double SampledErrors::mean_radius() const {
  double sum = 0;
  for (const double radius : radii) sum += radius;
  return sum / real(radii.size());
}

double SampledErrors::radius_over_quantile(double level) const {
  return mean_radius() / sample_quantile(errors, level);
}

void SampledErrors::merge(const SampledErrors& later) {
  errors.insert(errors.end(), later.errors.begin(), later.errors.end());
  radii.insert(radii.end(), later.radii.begin(), later.radii.end());
}

SampledErrors drawn_errors(Seed seed, const Vector& weights, const Matrix& values, Index samples, std::uint64_t trials,
                           const RadiusOfRows& radius) {
  const Vector a = weights / weights.sum(), norms = row_norms(values);
  const double total = a.dot(norms);
  const Vector mean = values.transpose() * a;
  const AliasTable law(a.cwiseProduct(norms));
  return run_trials(trials, SampledErrors{}, [&](std::uint32_t trial, SampledErrors& drawn) {
    Matrix rows(samples, values.cols());
    Vector sum = Vector::Zero(values.cols());
    for (Index m = 0; m < samples; ++m) {
      const DrawAddress at{.role = Role::value_sample, .trial = trial, .row = static_cast<std::uint32_t>(m)};
      const auto [column, coin] = random_uniforms(seed, at);
      const Index key = law.pick(column, coin);
      rows.row(m) = values.row(key);
      sum += values.row(key).transpose() / norms(key);
    }
    drawn.errors.push_back((total / real(samples) * sum - mean).norm());
    drawn.radii.push_back(radius(rows));
  });
}

}  // namespace skt
