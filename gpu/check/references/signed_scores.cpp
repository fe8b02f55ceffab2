#include "gpu/check/references/signed_scores.hpp"

#include <algorithm>
#include <cmath>

#include "gpu/functors/fixed_weights.hpp"
#include "sim/number.hpp"

namespace skt::gpu {

SignedProjections signed_projections(const CheckCase& c, const Problem& problem, const Hyperplanes& hyperplanes,
                                     std::int64_t row) {
  const Vector query = row_of(problem.queries, row, c.dim);
  const double scale = inverse_sqrt_dim(c);
  return {scale * (hyperplanes.rows * query), scale * (hyperplanes.rows.cwiseAbs() * query.cwiseAbs()).sum()};
}

double signed_sum(const CheckCase& c, const SignedProjections& projections, std::span<const std::int16_t> codes) {
  double sum = 0;
  for (std::int64_t bit = 0; bit < c.tables * c.planes; ++bit) {
    const int code = codes[bit / c.planes];
    const bool set = (code >> (c.planes - 1 - bit % c.planes)) & 1;
    sum += set ? projections.of_bit[bit] : -projections.of_bit[bit];
  }
  return sum;
}

namespace {

// What whole-number weights add.
double fixed_weights_error(const CheckCase& c, const SignedProjections& projections) {
  constexpr double u = 0x1p-24;
  const int half = high_planes(c.code_bits());
  const double one_off = (real(c.dim) / 32 + 5 + half) * u * projections.absolute;
  const double largest = std::max(projections.of_bit.cwiseAbs().maxCoeff() + one_off, double{kLeastLargest});
  const double halves = real(c.tables * c.planes) / 2;
  return halves * largest / kMostWeight + real(half * half + 5) * u * projections.absolute;
}

}  // namespace

double signed_sum_error(const CheckCase& c, const SignedProjections& projections) {
  const double roundings = real(c.dim) / 32 + 5 + real(c.planes + c.tables + 3);
  const auto operations = real(c.tables * c.planes * (c.dim + 2));
  const double in_single = roundings * 0x1p-24 * projections.absolute + operations * 0x1p-149;
  return 1.01 * (in_single + (c.group() > 1 ? fixed_weights_error(c, projections) : 0));
}

double signed_score_rounding(const CheckCase& c, double score) {
  const double in_single = 0x1p-24 * std::abs(score);
  return c.group() > 1 ? in_single + kScoreRounding * (std::abs(score) + in_single) + 0x1p-134 : in_single;
}

}  // namespace skt::gpu
