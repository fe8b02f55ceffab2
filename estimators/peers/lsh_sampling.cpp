#include "estimators/peers/lsh_sampling.hpp"

#include <fmt/format.h>

#include <cmath>
#include <numbers>

#include "estimators/collision_scores.hpp"
#include "estimators/population/angular_kernel.hpp"
#include "sim/number.hpp"
#include "sim/require.hpp"
#include "sim/statistics/binomial_tails.hpp"

namespace skt {
namespace {

void require_allowed(const LshSamplingParameters& p) {
  if (p.collisions < 1 || p.collisions > p.tables) {
    refuse("collisions is {}: allowed are 1 to {}", p.collisions, p.tables);
  }
}

}  // namespace

double sampling_probability(double angle, const LshSamplingParameters& p) {
  require_allowed(p);
  const double in_one_table = std::pow(1 - angle / std::numbers::pi, real(p.planes));
  return binomial_at_least(p.collisions, p.tables, in_one_table);
}

Index tables_for_density(Index planes, Index collisions, double density) {
  require(density > 0 && density < 1, "density is {}: allowed are 0 to 1, open", density);
  Index tables = collisions;
  while (sampling_probability(std::numbers::pi / 2, {planes, tables, collisions}) < density) ++tables;
  return tables;
}

LshSampler::LshSampler(const Matrix& keys, const LshSamplingParameters& parameters, Seed seed, std::uint32_t trial)
    : parameters_(parameters),
      centred_(keys.rowwise() - keys.colwise().mean()),
      hyperplanes_(draw_hyperplanes(seed, trial, parameters.tables, parameters.planes, keys.cols())),
      codes_(hash_keys(hyperplanes_, centred_)) {
  require_allowed(parameters);
}

Vector LshSampler::collisions(const Vector& query) const {
  return hard_scores(hyperplanes_, codes_, query);
}

LshSampler::Sample LshSampler::sample(const Vector& query) const {
  const Vector shared = collisions(query);
  Sample drawn{{}, Vector(centred_.rows())};
  for (Index j = 0; j < centred_.rows(); ++j) {
    // A key at the mean lies in the all-ones bucket, which the query shares as often as an orthogonal key's.
    const bool at_mean = centred_.row(j).squaredNorm() == 0;
    const double theta = at_mean ? std::numbers::pi / 2 : angle(query, centred_.row(j));
    drawn.probability(j) = sampling_probability(theta, parameters_);
    if (shared(j) >= real(parameters_.collisions)) drawn.keys.push_back(j);
  }
  return drawn;
}

double LshSampler::bits_per_token() const {
  return real(parameters_.planes * parameters_.tables);
}

std::optional<Vector> importance_attention(const Vector& logits, const Matrix& values,
                                           const LshSampler::Sample& sample) {
  Vector weighted = logits;
  for (const Index j : sample.keys) weighted(j) -= std::log(sample.probability(j));
  return sparse_attention(weighted, values, sample.keys);
}

}  // namespace skt
