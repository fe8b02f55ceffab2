#include "estimators/metrics/predicted_recall.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>

#include "estimators/metrics/ranking_correlation.hpp"
#include "estimators/metrics/selection_prediction.hpp"
#include "estimators/population/population.hpp"
#include "estimators/prediction/soft_inclusion.hpp"
#include "estimators/weighted_output.hpp"
#include "sim/number.hpp"
#include "sim/require.hpp"

namespace skt {
namespace {

constexpr Index kNorm = 16;  // bits of a norm in half precision

Vector agreements(const Vector& cosines, Index planes) {
  return cosines.unaryExpr([planes](double rho) { return angular_weight(planes, Cosine::of(rho)).value; });
}

InclusionAt by_counts(Vector chance, Index draws) {
  return [chance = std::move(chance), draws](Index budget) { return inclusion_by_counts(chance, draws, budget); };
}

InclusionAt by_moments(ScoreLaws laws) {
  return [laws = std::move(laws)](Index budget) { return inclusion_by_moments(laws, budget); };
}

ScoreLaws times(ScoreLaws laws, const Vector& factor) {
  laws.mean = laws.mean.cwiseProduct(factor);
  laws.deviation = laws.deviation.cwiseProduct(factor);
  return laws;
}

// Calls f with the number of rows of each orthogonal block.
template <class F>
void for_each_block(Index bits, Index dim, F&& f) {
  for (Index first = 0; first < bits; first += dim) f(real(std::min(dim, bits - first)));
}

// Variance of sum_i sign(w_i.k)(w_i.q)/|q| over b rows sqrt(dim) u_i of a rotation, as a polynomial c0 + c2 rho^2 of the
// cosine. With A = sum |u_i.k|/|k| it is dim times rho^2 Var A + (1 - rho^2) E(b - A^2)/(dim - 1): given the rows'
// products with k, those with a vector orthogonal to k are a random direction orthogonal to them.
struct BlockVariance {
  double c0 = 0, c2 = 0;
  BlockVariance(double b, Index dim) {
    const double d = real(dim), gain = projection_gain(ProjectionRows::orthogonal_blocks, dim);
    const double mean_square = b + b * (b - 1) * 2 / std::numbers::pi;  // dim E A^2
    c0 = (d * b - mean_square) / (d - 1);
    c2 = mean_square - b * b * gain * gain - c0;
  }
};

PopulationParameters soft_parameters(const HashSettings& hash, const KeyGeometry& g) {
  return {g.query_norm, hash.socket.temperature, g.dim, hash.planes, hash.socket.scaling};
}

}  // namespace

KeyGeometry key_geometry(const Instance& instance) {
  return {key_cosines(instance), row_norms(instance.keys), row_norms(instance.values), instance.query.norm(),
          instance.dim()};
}

ScoreLaws signed_projection_laws(const Vector& cosines, Index bits, Index dim, ProjectionRows rows) {
  require(dim >= 2, "dim is {}: a signed projection's law needs 2 and more", dim);
  const double gain = projection_gain(rows, dim), m = real(bits);
  double c0 = m, c2 = -m * gain * gain;  // independent rows: each has mean square 1
  if (rows == ProjectionRows::orthogonal_blocks) {
    c0 = c2 = 0;
    for_each_block(bits, dim, [&](double b) {
      const BlockVariance block(b, dim);
      c0 += block.c0;
      c2 += block.c2;
    });
  }
  const auto deviation = [=](double rho) { return std::sqrt(std::max(0.0, c0 + c2 * rho * rho)); };
  return {m * gain * cosines, cosines.unaryExpr(deviation), Vector::Zero(cosines.size())};
}

ScoreLaws signature_laws(const Vector& cosines, Index bits, Index dim) {
  require(dim >= 2, "dim is {}: a signature's law needs 2 and more", dim);
  const Vector agreement = agreements(cosines, 1);
  double pairs = 0;  // ordered ones within a block
  for_each_block(bits, dim, [&](double b) { pairs += b * (b - 1); });
  // The mean of sin^2 is (dim - 1)/dim; a bit is half of a product of signs.
  const double shared = pairs / 4 * mean_square_agreement(dim) * real(dim) / real(dim - 1), m = real(bits);
  Vector deviation(cosines.size());
  for (Index j = 0; j < deviation.size(); ++j) {
    const double a = agreement[j], square_of_sine = 1 - cosines[j] * cosines[j];
    deviation[j] = std::sqrt(std::max(0.0, m * a * (1 - a) - shared * square_of_sine));
  }
  return {m * agreement, deviation, Vector::Zero(deviation.size())};
}

std::optional<InclusionAt> predicted_inclusion(const std::string& ranker, double bits_per_token,
                                               const HashSettings& hash, const KeyGeometry& g) {
  constexpr auto kFree = ProjectionRows::independent, kTurned = ProjectionRows::orthogonal_blocks;
  const auto bits = static_cast<Index>(bits_per_token);
  const auto soft = [&](Index codes, const Vector& factors) {
    return soft_inclusion(g.cosines, factors, soft_parameters(hash, g), codes / hash.planes);
  };
  const auto projected = [&](Index signs, ProjectionRows rows) {
    return signed_projection_laws(g.cosines, signs, g.dim, rows);
  };
  if (ranker == "socket") return soft(bits, Vector::Ones(g.cosines.size()));
  if (ranker == "socket-value") return soft(bits - kNorm, g.value_norms);
  if (ranker == "hard-lsh") return by_counts(agreements(g.cosines, hash.planes), bits / hash.planes);
  if (ranker == "hamming") return by_counts(agreements(g.cosines, 1), bits);
  if (ranker == "random") return by_counts(Vector::Zero(g.cosines.size()), 1);
  if (g.dim < 2) return std::nullopt;
  if (ranker == "signature-hamming") return by_moments(signature_laws(g.cosines, bits, g.dim));
  if (ranker == "signed-orthogonal") return by_moments(projected(bits, kTurned));
  if (ranker == "signed-independent") return by_moments(projected(bits, kFree));
  if (ranker == "signed-orthogonal-norm") return by_moments(times(projected(bits - kNorm, kTurned), g.key_norms));
  if (ranker == "qjl") return by_moments(times(projected(bits - kNorm, kFree), g.key_norms));
  return std::nullopt;
}

}  // namespace skt
