#include "estimators/groups/group_scores.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "sim/number.hpp"
#include "sim/require.hpp"

namespace skt {
namespace {

constexpr double kNothing = -std::numeric_limits<double>::infinity();

Index tiles_of(Index keys) {
  return (keys + kTileKeys - 1) / kTileKeys;
}

// log2 of the sum of 2^x, the largest taken out first.
double log2_sum(const Vector& x) {
  const double largest = x.size() == 0 ? kNothing : x.maxCoeff();
  if (largest == kNothing) return kNothing;
  return largest + std::log2(x.unaryExpr([&](double one) { return std::exp2(one - largest); }).sum());
}

// log2 of the sum of the weights of each tile that is read.
Vector tile_sums(const Vector& x) {
  const std::vector<Index> tiles = sampled_tiles(x.size());
  Vector sums(std::ssize(tiles));
  for (Index i = 0; i < sums.size(); ++i) {
    const Index first = tiles[i] * kTileKeys;
    sums(i) = log2_sum(x.segment(first, std::min(kTileKeys, x.size() - first)));
  }
  return sums;
}

double log2_of_sampled_tiles(const Vector& x) {
  Vector sums = tile_sums(x);
  const std::vector<Index> tiles = sampled_tiles(x.size());
  for (Index i = 0; i < sums.size(); ++i) sums(i) += std::log2(tile_weight(tiles[i], x.size()));
  return log2_sum(sums);
}

double log2_of_tile_logs(const Vector& x) {
  const Vector sums = tile_sums(x);
  if (tiles_of(x.size()) <= kSampledTiles) return log2_sum(sums);
  double total = 0, filled = 0;
  for (const double one : sums.segment(1, kSampledTiles - 2))
    if (one != kNothing) total += one, ++filled;
  const double between = filled > 0 ? total / filled + std::log2(filled * tile_weight(1, x.size())) : kNothing;
  return log2_sum(Vector{{sums(0), between, sums(sums.size() - 1)}});
}

}  // namespace

std::vector<Index> sampled_tiles(Index keys) {
  const Index tiles = tiles_of(keys), between = kSampledTiles - 2;
  std::vector<Index> read(std::min(tiles, kSampledTiles));
  std::iota(read.begin(), read.end(), Index{0});
  if (tiles <= kSampledTiles) return read;
  for (Index i = 0; i < between; ++i) read[1 + i] = 1 + (2 * i + 1) * (tiles - 2) / (2 * between);
  read.back() = tiles - 1;
  return read;
}

double tile_weight(Index tile, Index keys) {
  const Index tiles = tiles_of(keys);
  if (tiles <= kSampledTiles || tile == 0 || tile == tiles - 1) return 1;
  return real(tiles - 2) / real(kSampledTiles - 2);
}

Vector log2_normalisers(const Matrix& exponents, Normaliser normaliser, std::span<const Allowed> mask) {
  for (Index h = 0; h < exponents.rows(); ++h)
    for (Index j = 0; j < exponents.cols(); ++j)
      require(exponents(h, j) < std::numeric_limits<double>::infinity(),
              "head {}, key {}: the logarithm of its weight is {}; allowed are finite numbers and -inf", h, j,
              exponents(h, j));
  Vector found = Vector::Zero(exponents.rows());
  if (normaliser == Normaliser::none) return found;
  for (Index h = 0; h < exponents.rows(); ++h) {
    const Vector x = masked_scores(exponents.row(h), mask);
    const double c = normaliser == Normaliser::all_keys        ? log2_sum(x)
                     : normaliser == Normaliser::sampled_tiles ? log2_of_sampled_tiles(x)
                     : normaliser == Normaliser::tile_logs     ? log2_of_tile_logs(x)
                     : x.size() == 0                           ? kNothing
                                                               : x.maxCoeff();
    if (c != kNothing) found(h) = c;
  }
  return found;
}

Vector group_scores(const Matrix& exponents, const Vector& normalisers, GroupScore score) {
  require(normalisers.size() == exponents.rows() && exponents.rows() > 0,
          "{} normalisers for {} heads: allowed is one a head, of one head or more", normalisers.size(),
          exponents.rows());
  Vector scores(exponents.cols());
  for (Index j = 0; j < exponents.cols(); ++j) {
    const Vector x = exponents.col(j) - normalisers;
    scores(j) = score == GroupScore::sum ? log2_sum(x) : x.maxCoeff();
  }
  return scores;
}

}  // namespace skt
