#include "gpu/check/references/score_bounds.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "gpu/check/cases/published_profile.hpp"
#include "gpu/check/references/host_twin.hpp"
#include "gpu/check/references/reference.hpp"
#include "gpu/functors/half_score.hpp"
#include "gpu/functors/half_table.hpp"
#include "sim/number.hpp"
#include "sim/require.hpp"

namespace skt::gpu {
namespace {

constexpr double kUnit = 0x1p-24;
constexpr double kSmallestSubnormal = 0x1p-149;
constexpr double kLargestHalf = 65504;
constexpr double kHalfOverflow = 65520;  // rounds to infinity: half a unit above the largest
constexpr double kInfinity = std::numeric_limits<double>::infinity();

// The probabilities of the codes that the doubtful bits allow.
ScoreInterval probability_interval(const ReferenceBuckets& buckets, const BoundedCode& bounded, std::int32_t type) {
  ScoreInterval interval = {kInfinity, 0};
  std::uint32_t turned = 0;
  do {  // every subset of the doubtful bits
    const double p = buckets.probability[bounded.code ^ turned];
    const double tolerance = probability_tolerance(buckets, p, type);
    interval.low = std::min(interval.low, std::max(p - tolerance, 0.0));
    interval.high = std::max(interval.high, p + tolerance);
    turned = (turned - bounded.doubtful) & bounded.doubtful;
  } while (turned != 0);
  return interval;
}

double product_of_halves(const float* half_tables, std::uint32_t code, int planes) {
  const int low_bits = low_planes(planes);
  const float* low = half_tables + (1 << high_planes(planes));
  return double{half_tables[code >> low_bits]} * low[code & ((1u << low_bits) - 1)];
}

}  // namespace

BoundedCode bounded_code(const Matrix& planes, const Vector& key) {
  const double n = real(key.size()) * kUnit;
  BoundedCode bounded;
  for (Index plane = 0; plane < planes.rows(); ++plane) {
    const auto terms = planes.row(plane).transpose().cwiseProduct(key);
    const double projection = terms.sum();
    const double bound = n / (1 - n) * terms.cwiseAbs().sum() + real(key.size()) * kSmallestSubnormal;
    bounded.code = 2 * bounded.code + (projection >= 0 ? 1 : 0);
    // Only a key of zeros has projections of exactly 0 in any order.
    bounded.doubtful = 2 * bounded.doubtful + (std::abs(projection) <= bound && !key.isZero(0) ? 1 : 0);
  }
  return bounded;
}

ScoreInterval norm_interval(const CheckCase& c, const Vector& value) {
  const PublishedProfile profile = published_profile(c.profile);
  const double exact = value.norm();
  const double relative = rounding_unit(profile.norm_type()) + (real(c.dim) / 2 + 1) * kUnit;
  const double lost = std::sqrt(real(c.dim) * kSmallestSubnormal);
  const double tolerance = relative * exact + (profile.norm_type() == SKT_F16 ? 0x1p-25 : 0) + lost;
  ScoreInterval interval = {std::max(exact - tolerance, 0.0), exact + tolerance};
  if (profile.norm_form == SKT_NORM_F16) {
    interval = {std::min(interval.low, kLargestHalf), std::min(interval.high, kLargestHalf)};
  } else if (profile.norm_form == SKT_NORM_F16_OVERFLOWS) {
    if (exact - relative * exact >= kHalfOverflow) interval.low = kInfinity;
    if (interval.high >= kHalfOverflow) interval.high = kInfinity;
  }
  return interval;
}

std::vector<ScoreInterval> score_intervals(const CheckCase& c, const Problem& problem, std::int64_t row) {
  const Hyperplanes exact = double_hyperplanes(c, problem);
  const std::vector<ReferenceBuckets> buckets = reference_buckets(c, problem, exact, row, Summation::any);
  const std::int32_t type = published_profile(c.profile).probability_type;
  std::vector<Matrix> planes;
  for (Index table = 0; table < c.tables; ++table) planes.push_back(exact.table(table));
  std::vector<ScoreInterval> intervals;
  for (std::int64_t key = 0; key < c.keys; ++key) {
    if (!is_allowed(c, problem, row, key)) {
      intervals.push_back({-kInfinity, -kInfinity});
      continue;
    }
    const std::int64_t at = row / c.group() * c.capacity + key;
    const Vector exact_key = row_of(problem.keys, at, c.dim);
    ScoreInterval sum;
    for (std::size_t table = 0; table < planes.size(); ++table) {
      const ScoreInterval p = probability_interval(buckets[table], bounded_code(planes[table], exact_key), type);
      sum = {sum.low + p.low, sum.high + p.high};
    }
    const ScoreInterval norm = norm_interval(c, row_of(problem.values, at, c.dim));
    const double half = may_score_in_half(c) ? kHalfSumRelativeError : 0;
    const double lost = may_score_in_half(c) ? real(c.tables) * kHalfSumAbsoluteError : 0;
    const double additions = 1.01 * real(c.tables + 2) * kUnit + half * (1 + half);
    intervals.push_back({norm.low * (sum.low * (1 - additions) - lost) - kSmallestNormal,
                         norm.high * (sum.high * (1 + additions) + lost) + kSmallestNormal});
  }
  return intervals;
}

double exact_score_sum(std::span<const float> of_row, std::span<const std::int16_t> codes, int planes,
                       TableEntries entries) {
  const std::size_t of_a_table = of_row.size() / codes.size();
  double sum = 0;
  for (std::size_t table = 0; table < codes.size(); ++table) {
    const std::uint32_t code = unsigned_code(codes[table]);
    const float* of_table = of_row.data() + table * of_a_table;
    sum += entries == TableEntries::halves ? product_of_halves(of_table, code, planes) : double{of_table[code]};
  }
  return sum;
}

ScoreInterval summed_score_interval(double exact_sum, double norm, Index tables, TermSums sums) {
  if (std::isinf(norm)) return {norm * exact_sum, norm * exact_sum};  // of a profile whose norms overflow
  const double roundings = real(tables + 1);
  double error = roundings * kUnit / (1 - roundings * kUnit) * exact_sum;
  if (sums == TermSums::f16)
    error += kHalfSumRelativeError * (exact_sum + error) + real(tables) * kHalfSumAbsoluteError;
  const double flushed = roundings * std::max(norm, 1.0) * kSmallestNormal;
  return {norm * (exact_sum - error) - flushed, norm * (exact_sum + error) + flushed};
}

std::vector<ScoreInterval> score_intervals(const CheckCase& c, const Problem& problem, const ScoringInputs& inputs,
                                           std::int64_t row) {
  const std::span<const float> tables = inputs.tables_of(c, row);
  const TableEntries entries = scores_packed_codes(c) ? TableEntries::halves : TableEntries::buckets;
  const TermSums sums = may_score_in_half(c) ? TermSums::f16 : TermSums::f32;
  std::vector<ScoreInterval> intervals;
  for (std::int64_t key = 0; key < c.keys; ++key) {
    if (!is_allowed(c, problem, row, key)) {
      intervals.push_back({-kInfinity, -kInfinity});
      continue;
    }
    const std::int64_t kv_row = row / c.group();
    const double sum = exact_score_sum(tables, inputs.codes_of(c, kv_row, key), c.code_bits(), entries);
    intervals.push_back(summed_score_interval(sum, inputs.norms[kv_row * c.keys + key], c.tables, sums));
  }
  return intervals;
}

void compare_score(const ScoreInterval& interval, std::int64_t at, double score, Comparison& result,
                   const std::string& where) {
  if (std::isinf(interval.low)) {
    result.equal((where + "score").c_str(), at, score, interval.low);
  } else if (std::isinf(interval.high)) {
    result.holds((where + "score above its bound").c_str(), at, score >= interval.low);
  } else {
    result.within((where + "score").c_str(), at, score, (interval.low + interval.high) / 2,
                  (interval.high - interval.low) / 2);
  }
}

Comparison compare_scores(const CheckCase& c, ScoredFrom from, std::span<const double> scores) {
  if (c.inputs == InputKind::huge || c.inputs == InputKind::non_finite) {
    refuse("case: inputs={}: scores from elsewhere are checked for finite sums only", name_of(c.inputs));
  }
  const Problem problem = make_problem(c);
  const bool own_hash = from == ScoredFrom::own_hash;
  const ScoringInputs inputs = own_hash ? ScoringInputs{} : scoring_inputs(c, problem);
  Comparison result;
  for (std::int64_t row = 0; row < c.rows(); ++row) {
    const std::vector<ScoreInterval> intervals =
        own_hash ? score_intervals(c, problem, row) : score_intervals(c, problem, inputs, row);
    for (std::int64_t key = 0; key < c.keys; ++key) {
      const std::int64_t at = row * c.keys + key;
      compare_score(intervals[key], at, scores[at], result,
                    fmt::format("batch {}, head {}, key {}: ", row / c.heads, row % c.heads, key));
    }
  }
  return result;
}

}  // namespace skt::gpu
