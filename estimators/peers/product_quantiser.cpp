#include "estimators/peers/product_quantiser.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <numeric>

#include "sim/number.hpp"
#include "sim/require.hpp"

namespace skt {
namespace {

// The rows of smallest random number: distinct, and a pure function of the address.
std::vector<Index> distinct_rows(Index rows, Index count, Seed seed, std::uint32_t trial, std::uint32_t group) {
  std::vector<double> ticket(rows);
  fill_uniform(seed, DrawAddress{Role::index_choice, trial, group}, ticket);
  std::vector<Index> order(ticket.size());
  std::iota(order.begin(), order.end(), Index{0});
  std::partial_sort(order.begin(), order.begin() + count, order.end(), [&](Index a, Index b) {
    const double of_a = ticket[a], of_b = ticket[b];
    return of_a != of_b ? of_a < of_b : a < b;
  });
  order.resize(count);
  return order;
}

constexpr Index kBlock = 256;
using Block = std::array<double, kBlock>;

// Compares a block of points with one centroid after the other: loops over contiguous numbers without a branch, which
// the compiler turns into vector instructions.
void nearest_of_block(const Matrix& points, Index first, Index count, const Matrix& centroids, Block& least,
                      Block& nearest) {
  const Eigen::ArrayXXd columns = points.middleRows(first, count).array();
  least.fill(std::numeric_limits<double>::infinity());
  Block distance{};
  for (Index c = 0; c < centroids.rows(); ++c) {
    distance.fill(0);
    for (Index i = 0; i < columns.cols(); ++i) {
      const double* const point = columns.col(i).data();
      const double centre = centroids(c, i);
      for (Index j = 0; j < count; ++j) distance[j] += (point[j] - centre) * (point[j] - centre);
    }
    for (Index j = 0; j < count; ++j) {
      const double closer = distance[j] < least[j] ? 1 : 0;
      nearest[j] += closer * (real(c) - nearest[j]);  // exact: small whole numbers
      least[j] = std::min(least[j], distance[j]);
    }
  }
}

void assign(const Matrix& points, Clusters& clusters) {
  Block least{}, nearest{};
  clusters.distortion = 0;
  for (Index first = 0; first < points.rows(); first += kBlock) {
    const Index count = std::min(kBlock, points.rows() - first);
    nearest_of_block(points, first, count, clusters.centroids, least, nearest);
    for (Index j = 0; j < count; ++j) {
      clusters.distortion += least[j];
      clusters.nearest[first + j] = static_cast<std::uint16_t>(nearest[j]);
    }
  }
}

void move_centroids(const Matrix& points, Clusters& clusters) {
  Matrix sums = Matrix::Zero(clusters.centroids.rows(), clusters.centroids.cols());
  Vector members = Vector::Zero(clusters.centroids.rows());
  for (Index j = 0; j < points.rows(); ++j) {
    const Index c = clusters.nearest[j];
    for (Index i = 0; i < points.cols(); ++i) sums(c, i) += points(j, i);  // a few: no packets to look for
    members(c) += 1;
  }
  for (Index c = 0; c < sums.rows(); ++c) {
    if (members(c) > 0) clusters.centroids.row(c) = sums.row(c) / members(c);
  }
}

}  // namespace

Clusters k_means(const Matrix& points, Index count, Index rounds, Seed seed, std::uint32_t trial, std::uint32_t group) {
  const Index kept = std::min(count, points.rows());
  Clusters clusters{points(distinct_rows(points.rows(), kept, seed, trial, group), Eigen::all),
                    std::vector<std::uint16_t>(points.rows()), 0};
  assign(points, clusters);
  for (Index round = 0; round < rounds; ++round) {
    move_centroids(points, clusters);
    assign(points, clusters);
  }
  return clusters;
}

ProductQuantiser::ProductQuantiser(const Matrix& keys, const ProductQuantiserParameters& parameters, Seed seed,
                                   std::uint32_t trial)
    : parameters_(parameters), keys_(keys.rows()), dim_(keys.cols()) {
  if (parameters.groups < 1 || dim_ % parameters.groups != 0) {
    refuse("product quantiser groups is {}: allowed are divisors of {}", parameters.groups, dim_);
  }
  if (parameters.bits < 1 || parameters.bits > 12) {
    refuse("product quantiser bits is {}: allowed are 1 to 12", parameters.bits);
  }
  const Index width = dim_ / parameters.groups;
  for (std::uint32_t g = 0; g < parameters.groups; ++g) {
    groups_.push_back(
        k_means(keys.middleCols(g * width, width), Index{1} << parameters.bits, parameters.rounds, seed, trial, g));
  }
}

Vector ProductQuantiser::scores(const Vector& query) const {
  const Index width = dim_ / parameters_.groups;
  Vector result = Vector::Zero(keys_);
  for (Index g = 0; g < parameters_.groups; ++g) {
    const Clusters& group = groups_[g];
    const Vector products = group.centroids * query.segment(g * width, width);
    for (Index j = 0; j < keys_; ++j) result(j) += products(group.nearest[j]);
  }
  return result;
}

double ProductQuantiser::bits_per_token() const {
  const double codes = real(parameters_.groups * parameters_.bits);
  const double codebook = 16.0 * real(groups_.front().centroids.rows() * dim_);
  return codes + codebook / real(keys_);
}

}  // namespace skt
