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

// x of the allowed keys of the tiles that are read, each plus log2 of what its tile stands for.
Vector sampled(const Vector& x) {
  std::vector<double> read;
  for (const Index tile : sampled_tiles(x.size())) {
    const double more = std::log2(tile_weight(tile, x.size()));
    for (Index j = tile * kTileKeys; j < std::min(x.size(), (tile + 1) * kTileKeys); ++j) read.push_back(x(j) + more);
  }
  return Eigen::Map<const Vector>(read.data(), std::ssize(read));
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
                     : normaliser == Normaliser::sampled_tiles ? log2_sum(sampled(x))
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
