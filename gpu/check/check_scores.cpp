// Do the query's probabilities and the two scoring kernels agree with the reference?
//
// Probabilities: against the softmax over all corners in double, within the bound derived in
// gpu/soft_buckets.cu. Scores: bit for bit with the same fp32 arithmetic on the host, given the same
// probabilities, and against double within the bound. Forbidden and unused keys hold NaN: one that is read
// shows.
#include <cmath>
#include <limits>

#include "gpu/check/host_twin.hpp"
#include "gpu/check/operations.hpp"
#include "gpu/check/reference.hpp"
#include "gpu/check/run_check.hpp"
#include "gpu/half_table.hpp"

namespace skt::gpu {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

double tolerance_of(const ReferenceBuckets& buckets, double probability) {
  return buckets.relative_error * probability + kSmallestNormal;
}

// What one scored key rests on, on the host.
struct ScoredKey {
  std::vector<std::int16_t> codes;  // [tables]
  float norm = 0;
};

ScoredKey scored_key(const CheckCase& c, const std::vector<std::int16_t>& codes,
                     const std::vector<std::uint16_t>& norms, std::int64_t kv_row, std::int64_t key) {
  ScoredKey scored;
  for (std::int64_t table = 0; table < c.tables; ++table) {
    scored.codes.push_back(codes[static_cast<std::size_t>((kv_row * c.tables + table) * c.capacity + key)]);
  }
  scored.norm = half_from_bits(norms[static_cast<std::size_t>(kv_row * c.capacity + key)]);
  return scored;
}

// The score in double, and how far an fp32 kernel may be off: each probability by its bound, each addition of
// the positive terms and the final product by half an ulp.
void within_reference(const CheckCase& c, const std::vector<ReferenceBuckets>& buckets,
                      const ScoredKey& scored, std::int64_t at, double got, Comparison& result) {
  double sum = 0;
  double error = 0;
  for (std::size_t table = 0; table < buckets.size(); ++table) {
    const double p = buckets[table].probability[static_cast<std::size_t>(scored.codes[table])];
    sum += p;
    error += tolerance_of(buckets[table], p);
  }
  error += 1.01 * static_cast<double>(c.tables + 2) * 0x1p-24 * sum;
  result.within("score against double", at, got, scored.norm * sum, scored.norm * error);
}

}  // namespace

Comparison check_soft_buckets(const CheckCase& c) {
  const Problem problem = make_problem(c);
  DeviceProblem device(c, problem);
  const std::int64_t tables = c.batch * c.heads * c.tables;
  const int planes = static_cast<int>(c.planes);
  const int entries = half_table_entries(planes);
  DeviceArray<float> probabilities(tables << planes);
  DeviceArray<float> halves(tables * entries);
  soft_buckets(c, device, SKT_BUCKETS, probabilities);
  soft_buckets(c, device, SKT_HALF_TABLES, halves);
  const std::vector<float> p = probabilities.to_host();
  const std::vector<float> h = halves.to_host();
  const Hyperplanes exact = double_hyperplanes(c, problem);
  Comparison result;
  for (std::int64_t row = 0; row < c.batch * c.heads; ++row) {
    const std::vector<ReferenceBuckets> reference = reference_buckets(c, problem, exact, row);
    for (std::int64_t table = 0; table < c.tables; ++table) {
      const ReferenceBuckets& buckets = reference[static_cast<std::size_t>(table)];
      const float* high = h.data() + (row * c.tables + table) * entries;
      const float* low = high + (1 << high_planes(planes));
      for (std::int64_t code = 0; code < std::int64_t{1} << planes; ++code) {
        const std::int64_t at = ((row * c.tables + table) << planes) + code;
        const double expected = buckets.probability[static_cast<std::size_t>(code)];
        const float got = p[static_cast<std::size_t>(at)];
        result.within("probability", at, got, expected, tolerance_of(buckets, expected));
        const float product = high[code >> low_planes(planes)] * low[code & ((1 << low_planes(planes)) - 1)];
        result.equal("probability against its half-tables", at, got, product);
      }
    }
  }
  return result;
}

Comparison check_scores(const CheckCase& c) {
  const bool packed = c.operation == "score-packed";
  const Problem problem = make_problem(c);
  DeviceProblem device(c, problem);
  DeviceIndex index(c);
  index.build(c, device);
  const int entries = packed ? half_table_entries(static_cast<int>(c.planes)) : 1 << c.planes;
  DeviceArray<float> probabilities(c.batch * c.heads * c.tables * entries);
  DeviceArray<float> scores(c.batch * c.heads * c.capacity);
  soft_buckets(c, device, packed ? SKT_HALF_TABLES : SKT_BUCKETS, probabilities);
  const auto score = [&] {
    scores.poison();
    packed ? score_packed(c, device, index, probabilities, scores)
           : score_buckets(c, device, index, probabilities, scores);
    return scores.to_host();
  };
  const std::vector<float> got = score();
  const std::vector<float> again = score();
  const std::vector<float> p = probabilities.to_host();
  const std::vector<std::int16_t> codes = index.codes.to_host();
  const std::vector<std::uint16_t> norms = index.norms.to_host();
  const Hyperplanes exact = double_hyperplanes(c, problem);
  Comparison result;
  for (std::int64_t row = 0; row < c.batch * c.heads; ++row) {
    const std::int64_t kv_row = row / c.group();
    const auto row_tables = std::span<const float>(p).subspan(
        static_cast<std::size_t>(row * c.tables * entries), static_cast<std::size_t>(c.tables * entries));
    const std::vector<ReferenceBuckets> reference = reference_buckets(c, problem, exact, row);
    for (std::int64_t key = 0; key < c.capacity; ++key) {
      const std::int64_t at = row * c.capacity + key;
      const double score_here = got[static_cast<std::size_t>(at)];
      result.equal("second run", at, again[static_cast<std::size_t>(at)], score_here);
      if (key >= c.keys) {
        result.equal("score behind the keys", at, score_here, std::nan(""));
      } else if (!is_allowed(c, problem, row / c.heads, key)) {
        result.equal("forbidden score", at, score_here, -kInfinity);
      } else {
        const ScoredKey scored = scored_key(c, codes, norms, kv_row, key);
        const float twin = packed ? twin_packed_score(row_tables, scored.codes, c.planes, scored.norm)
                                  : twin_bucket_score(row_tables, scored.codes, c.planes, scored.norm);
        result.equal("score", at, score_here, twin);
        within_reference(c, reference, scored, at, score_here, result);
      }
    }
  }
  return result;
}

}  // namespace skt::gpu
