#include "estimators/peers/bucket_attention.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <boost/math/quadrature/gauss.hpp>
#include <boost/math/special_functions/owens_t.hpp>
#include <cmath>
#include <numbers>
#include <numeric>

#include "sim/number.hpp"
#include "sim/require.hpp"

namespace skt {
namespace {

void require_top(std::int64_t top, Index planes) {
  if (planes < 1 || planes > kMostBucketPlanes) {
    refuse("planes is {}: bucket attention allows 1 to {}", planes, kMostBucketPlanes);
  }
  const std::int64_t buckets = std::int64_t{1} << planes;
  if (top < 1 || top > buckets) refuse("top is {}: allowed are 1 to {}", top, buckets);
}

double normal_cdf(double x) {
  return std::erfc(-x / std::numbers::sqrt2) / 2;
}

double normal_density(double x) {
  return std::exp(-x * x / 2) / std::sqrt(2 * std::numbers::pi);
}

// One plane in two ways, as functions of |z| = x: the density of (|z| = x, key on the other side) and the probability
// of (|z| > x, key on the query's side), the upper tail of a skew normal law: Phi(-x) + 2 T(x, c), c = cot(angle).
double flipped_density(double x, double c) {
  return 2 * normal_density(x) * normal_cdf(-c * x);
}
double agreeing_tail(double x, double c) {
  return normal_cdf(-x) + 2 * boost::math::owens_t(x, c);
}

// P(the key lies in the bucket of the second or third lowest cost). Second: it differs in the plane of the smallest
// |z| alone; third: in that of the second smallest alone.
double single_flip_probability(double angle, Index planes, int rank) {
  const double c = std::cos(angle) / std::sin(angle);
  const double agreeing = 1 - angle / std::numbers::pi;
  const double others = real(planes - rank);
  const auto integrand = [&](double x) {
    const double tail = agreeing_tail(x, c);
    const double closer = rank == 1 ? 1 : real(planes - 1) * (agreeing - tail);
    return real(planes) * flipped_density(x, c) * closer * std::pow(tail, others);
  };
  // The integrand changes on the scales 1/|c| and 1: panels that double in width from the smaller one, up to where the
  // normal density is below 1e-18.
  double sum = 0;
  double from = 0;
  for (double width = std::min(1.0, 1 / std::abs(c)); from < 9; width *= 2) {
    const double to = std::min(9.0, from + width);
    sum += boost::math::quadrature::gauss<double, 30>::integrate(integrand, from, to);
    from = to;
  }
  return sum;
}

}  // namespace

std::vector<std::uint32_t> top_buckets(std::span<const double> signal, std::int64_t top) {
  const Index planes = std::ssize(signal);
  require_top(top, planes);
  std::vector<double> cost{0};  // of every code of the planes so far
  for (const double h : signal) {
    std::vector<double> longer(2 * cost.size());
    for (std::size_t code = 0; code < cost.size(); ++code) {
      longer[2 * code] = cost[code] + (h >= 0 ? h : 0);
      longer[2 * code + 1] = cost[code] + (h >= 0 ? 0 : -h);
    }
    cost = std::move(longer);
  }
  std::vector<std::uint32_t> codes(cost.size());
  std::iota(codes.begin(), codes.end(), 0u);
  std::partial_sort(codes.begin(), codes.begin() + top, codes.end(),
                    [&](std::uint32_t a, std::uint32_t b) { return cost[a] != cost[b] ? cost[a] < cost[b] : a < b; });
  codes.resize(top);
  return codes;
}

Vector bucket_collisions(const Matrix& signal, const KeyCodes& codes, std::int64_t top) {
  if (signal.rows() != codes.tables || signal.cols() != codes.planes) {
    refuse("signal is [{}, {}]: the codes have {} tables of {} planes", signal.rows(), signal.cols(), codes.tables,
           codes.planes);
  }
  Vector collisions = Vector::Zero(codes.keys);
  std::vector<char> open(std::size_t{1} << codes.planes);
  for (Index l = 0; l < codes.tables; ++l) {
    std::fill(open.begin(), open.end(), 0);
    for (const std::uint32_t code : top_buckets(row_of(signal, l), top)) open[code] = 1;
    const std::span<const std::uint32_t> table = codes.table(l);
    for (Index j = 0; j < codes.keys; ++j) collisions(j) += open[table[j]];
  }
  return collisions;
}

std::vector<Allowed> bucket_candidates(const Vector& collisions, std::span<const Allowed> mask) {
  std::vector<Allowed> candidates(collisions.size(), Allowed::no);
  for (Index j = 0; j < collisions.size(); ++j) {
    const bool allowed = mask.empty() || mask[j] == Allowed::yes;
    if (allowed && collisions(j) >= 1) candidates[j] = Allowed::yes;
  }
  return candidates;
}

Vector bucket_attention_scores(const Vector& collisions, const Matrix& values) {
  return collisions.cwiseProduct(values.rowwise().norm());
}

std::optional<double> collision_probability(double angle, Index planes, std::int64_t top) {
  require_top(top, planes);
  require(angle >= 0 && angle <= std::numbers::pi, "angle is {}: allowed are 0 to pi", angle);
  const std::int64_t buckets = std::int64_t{1} << planes;
  if (top == buckets) return 1;
  const double own = std::pow(1 - angle / std::numbers::pi, real(planes));
  if (top == 1 || angle == 0) return own;  // at angle 0 the key shares the query's bucket, which is always open
  // The bucket opposite to r is opened last where r is opened first: p_{R-t}(theta) = 1 - p_t(pi - theta).
  if (2 * top > buckets) return 1 - *collision_probability(std::numbers::pi - angle, planes, buckets - top);
  if (angle == std::numbers::pi / 2) return real(top) / real(buckets);
  if (angle == std::numbers::pi) return 0;
  if (top == 2) return own + single_flip_probability(angle, planes, 1);
  if (top == 3) return own + single_flip_probability(angle, planes, 1) + single_flip_probability(angle, planes, 2);
  return std::nullopt;
}

double candidate_probability(double collision_probability, Index tables) {
  return -std::expm1(real(tables) * std::log1p(-collision_probability));
}

}  // namespace skt
