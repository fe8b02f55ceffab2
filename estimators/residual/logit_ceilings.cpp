#include "estimators/residual/logit_ceilings.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numbers>
#include <tuple>
#include <vector>

#include "sim/require.hpp"

namespace skt {
namespace {

constexpr double kPi = std::numbers::pi;

Index whole_blocks(Index bits, Index dim, ProjectionRows rows) {
  return rows == ProjectionRows::independent ? bits : (bits + dim - 1) / dim * dim;
}

// At the gain of blocks of this dim: log E exp(-t (estimate - c)) is at most this.
double log_moment(double t, double cosine, double gain, double dim) {
  const double across = (1 - cosine * cosine) / (gain * gain), along = std::abs(cosine) / gain;
  const double slope = along * t + across * t * t / (2 * (dim - 1));
  return across * (1 - 2 / kPi) * t * t / (2 * dim) + slope * slope / (2 * (dim - 1));
}

// The least (level + log_moment(t))/t up to t = (dim - 1)/2, where the radius rises by at most 0.93 of the cosine's rise:
// docs/bounds/residual.md. It falls, then rises, as log_moment is convex; every t gives a bound that holds, so the search
// need not end at the best. In log t, by golden sections.
double radius_of_blocks(double cosine, double gain, double dim, double level) {
  const auto radius = [&](double log_t) {
    const double t = std::exp(log_t);
    return (level + log_moment(t, cosine, gain, dim)) / t;
  };
  constexpr double kGolden = 0.6180339887498949;
  constexpr int kSections = 24;  // 1e-5 of the interval
  double high = std::log((dim - 1) / 2), low = high - 10;
  double left = high - kGolden * (high - low), right = low + kGolden * (high - low);
  double at_left = radius(left), at_right = radius(right);
  for (int i = 0; i < kSections; ++i) {
    if (at_left < at_right) {
      high = right, right = left, at_right = at_left;
      left = high - kGolden * (high - low), at_left = radius(left);
    } else {
      low = left, left = right, at_left = at_right;
      right = low + kGolden * (high - low), at_right = radius(right);
    }
  }
  return std::min(at_left, at_right);
}

// The largest cosine that an estimate does not refute, rounded up to a multiple of 1/512. c - cosine_radius(c) rises, so
// that all cosines from a refuted one on are refuted.
class CosineLimit {
 public:
  CosineLimit(Index bits, Index dim, ProjectionRows rows, double level) : refuted_by_(kSteps) {
    for (Index i = 0; i < kSteps; ++i) refuted_by_[i] = cosine(i) - cosine_radius(cosine(i), bits, dim, rows, level);
  }
  // By halves, without a branch that half of the estimates would take: keys do not wait for one another.
  double of(double estimate) const {
    Index below = 0;
    for (Index half = kSteps / 2; half > 0; half /= 2)
      below += half * Index{!(estimate < refuted_by_[below + half - 1])};
    return cosine(below + Index{!(estimate < refuted_by_[below])});
  }

 private:
  static constexpr Index kSteps = 1024;
  static double cosine(Index i) { return real(i) / (real(kSteps) / 2) - 1; }
  std::vector<double> refuted_by_;  // of each cosine the largest estimate that does
};

// A few are kept: all queries of one problem ask for the same, and it takes longer than the rest of a query.
const CosineLimit& cosine_limit(Index bits, Index dim, ProjectionRows rows, double level) {
  thread_local std::map<std::tuple<Index, Index, ProjectionRows, double>, CosineLimit> kept;
  const std::tuple asked(bits, dim, rows, level);
  if (kept.size() >= 8 && !kept.contains(asked)) kept.clear();
  return kept.try_emplace(asked, bits, dim, rows, level).first->second;
}

}  // namespace

double log_moment_of_row(double t, double cosine) {
  const double along = cosine > 0 ? cosine * cosine : 0;
  return t * t * (kPi / 2 - along) / 2;
}

double log_moment_of_block(double t, double cosine, Index dim) {
  return log_moment(t, cosine, projection_gain(ProjectionRows::orthogonal_blocks, dim), real(dim));
}

double cosine_radius(double cosine, Index bits, Index dim, ProjectionRows rows, double level) {
  if (rows == ProjectionRows::independent) return std::sqrt(4 * log_moment_of_row(1, cosine) * level / real(bits));
  if (dim < 2 || bits % dim != 0)
    refuse("signs of orthogonal blocks: {} bits of dim {}: allowed are whole blocks of a dim from 2", bits, dim);
  return radius_of_blocks(cosine, projection_gain(rows, dim), real(dim), level * real(dim) / real(bits));
}

LogitCeilings::LogitCeilings(const Matrix& keys)
    : centre_(keys.colwise().mean()),
      norms_(keys.rowwise().norm()),
      centred_norms_((keys.rowwise() - centre_).rowwise().norm()) {}

LogitCeilings::LogitCeilings(const Matrix& keys, Index bits, ProjectionRows rows, Seed seed, std::uint32_t trial)
    : LogitCeilings(keys) {
  rows_ = rows;
  bits_ = whole_blocks(bits, keys.cols(), rows);
  signs_.emplace(keys.rowwise() - centre_, bits_, rows, seed, trial);
}

Vector LogitCeilings::of(const Vector& query, double scale, double delta) const {
  const double length = query.norm(), shared = centre_.dot(query);
  Vector cosines = Vector::Ones(norms_.size());
  if (signs_ && length > 0) {
    const CosineLimit& limit = cosine_limit(bits_, query.size(), rows_, std::log(real(norms_.size()) / delta));
    const double unit = real(bits_) * projection_gain(rows_, query.size()) * length;
    cosines = signs_->scores(query, QuerySide::linear, KeyFactor::none) / unit;
    for (double& c : cosines) c = limit.of(c);
  }
  const Vector centred = length * centred_norms_.cwiseProduct(cosines);
  return scale * (shared + centred.array()).min(length * norms_.array());
}

}  // namespace skt
