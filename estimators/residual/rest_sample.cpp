#include "estimators/residual/rest_sample.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>

#include "estimators/residual/rest_positions.hpp"
#include "sim/require.hpp"

namespace skt {
namespace {

// Of the keys of the rest, over the largest: what each is drawn in proportion to.
struct Drawing {
  Vector shares;
  double log_largest = 0, total = 0;
};

Drawing drawing(std::span<const Index> rest, const Vector& ceilings, RestSampling sampling) {
  Drawing of{Vector::Ones(std::ssize(rest)), -std::numeric_limits<double>::infinity(), real(rest.size())};
  for (const Index j : rest) of.log_largest = std::max(of.log_largest, ceilings[j]);
  if (sampling == RestSampling::uniform) return of;
  for (Index i = 0; i < of.shares.size(); ++i) of.shares[i] = std::exp(ceilings[rest[i]] - of.log_largest);
  of.total = of.shares.sum();
  return of;
}

}  // namespace

ListedSums listed_sums(const Vector& logits, const Matrix& values, std::span<const Index> list) {
  if (list.empty()) refuse("residual weight: an empty list has no output");
  ListedSums sums{-std::numeric_limits<double>::infinity(), 0, Vector::Zero(values.cols())};
  for (const Index j : list) sums.largest = std::max(sums.largest, logits[j]);
  for (const Index j : list) {
    const double weight = std::exp(logits[j] - sums.largest);
    sums.weight += weight;
    sums.output += weight * values.row(j).transpose();
  }
  sums.output /= sums.weight;
  return sums;
}

std::vector<Index> rest_of(const Vector& logits, std::span<const Index> list) {
  std::vector<char> listed(logits.size(), 0);
  for (const Index j : list) listed[j] = 1;
  std::vector<Index> rest;
  for (Index j = 0; j < logits.size(); ++j)
    if (!listed[j] && logits[j] > -std::numeric_limits<double>::infinity()) rest.push_back(j);
  return rest;
}

RestDraws draw_rest(const Vector& logits, std::span<const Index> rest, const Vector& ceilings, double largest,
                    Index samples, RestSampling sampling, const RestAddress& at) {
  RestDraws draws;
  const auto keys = std::ssize(rest);
  if (keys <= samples) {
    draws.keys.assign(rest.begin(), rest.end());
    draws.weights = Vector(keys);
    for (Index i = 0; i < keys; ++i) draws.weights[i] = real(keys) * std::exp(logits[rest[i]] - largest);
    return draws;
  }
  const Drawing by = drawing(rest, ceilings, sampling);
  Vector sums(keys);
  if (sampling == RestSampling::weighted) std::partial_sum(by.shares.begin(), by.shares.end(), sums.begin());
  draws.log_total = by.log_largest - largest + std::log(by.total);
  draws.weights = Vector(samples);
  std::array<std::uint32_t, 4> words{};
  for (Index i = 0; i < samples; ++i) {
    const auto block = static_cast<std::uint32_t>(i / 2);
    if (i % 2 == 0) words = random_words(at.seed, {Role::rest_sample, at.step, 0, at.row, block});
    const std::uint32_t high = words[2 * (i % 2)], low = words[2 * (i % 2) + 1];
    Index rank = rest_rank_of_word(std::uint64_t{high} << 32 | low, keys);
    if (sampling == RestSampling::weighted) {
      const auto above = std::upper_bound(sums.begin(), sums.end(), open_uniform(high, low) * sums[keys - 1]);
      rank = std::min<Index>(above - sums.begin(), keys - 1);
    }
    const Index key = rest[rank];
    const double drawn_by = sampling == RestSampling::weighted ? ceilings[key] : by.log_largest;
    draws.keys.push_back(key);
    draws.shares.push_back(std::exp(logits[key] - drawn_by));
    draws.weights[i] = std::exp(logits[key] - drawn_by + draws.log_total);
  }
  return draws;
}

RestEstimate rest_estimate(const RestDraws& draws, const Matrix& values, const Vector& output) {
  RestEstimate estimate{0, Vector::Zero(output.size())};
  if (draws.keys.empty()) return estimate;
  estimate.weight = draws.weights.mean();
  for (Index i = 0; i < draws.weights.size(); ++i)
    estimate.moved += draws.weights[i] * (values.row(draws.keys[i]).transpose() - output);
  estimate.moved /= real(draws.keys.size());
  return estimate;
}

Vector corrected_output(const ListedSums& listed, const RestEstimate& estimate) {
  return listed.output + estimate.moved / (listed.weight + estimate.weight);
}

RestMoments rest_moments(const Vector& logits, const Matrix& values, std::span<const Index> rest,
                         const Vector& ceilings, const ListedSums& listed, RestSampling sampling) {
  const Drawing by = drawing(rest, ceilings, sampling);
  RestMoments moments{0, 0, Vector::Zero(listed.output.size()), 0};
  double squares = 0, moved_squares = 0;
  for (Index i = 0; i < std::ssize(rest); ++i) {
    const double f = std::exp(logits[rest[i]] - listed.largest), square = f * f * by.total / by.shares[i];
    const Vector off = values.row(rest[i]).transpose() - listed.output;
    moments.weight += f;
    moments.moved += f * off;
    squares += square;
    moved_squares += square * off.squaredNorm();
  }
  moments.weight_variance = squares - moments.weight * moments.weight;
  moments.moved_variance = moved_squares - moments.moved.squaredNorm();
  return moments;
}

}  // namespace skt
