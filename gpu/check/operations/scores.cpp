// Do the query's probabilities and the two scoring kernels agree with the reference?
//
// Probabilities: against the softmax over all corners in double, within the bound derived in
// gpu/scores/soft_buckets.cu. Scores: bit for bit with the same fp32 arithmetic on the host, given the same
// probabilities, and against double within the bound. Forbidden and unused keys hold NaN: one that is read
// shows.
#include <cmath>
#include <limits>

#include "gpu/check/device/operations.hpp"
#include "gpu/check/references/host_twin.hpp"
#include "gpu/check/references/reference.hpp"
#include "gpu/check/run_check.hpp"
#include "gpu/functors/half_score.hpp"
#include "gpu/functors/half_table.hpp"
#include "sim/number.hpp"

namespace skt::gpu {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

Summation summation_of(const Library& library) {
  return library.agreement == Agreement::bitwise ? Summation::of_the_kernel : Summation::any;
}

// What one scored key rests on, on the host.
struct ScoredKey {
  std::vector<std::int16_t> codes;  // [tables]
  float norm = 0;
};

ScoredKey scored_key(const CheckCase& c, const std::vector<std::int16_t>& codes, const std::vector<float>& norms,
                     std::int64_t kv_row, std::int64_t key) {
  ScoredKey scored;
  for (std::int64_t table = 0; table < c.tables; ++table) {
    scored.codes.push_back(codes[(kv_row * c.tables + table) * c.capacity + key]);
  }
  scored.norm = norms[kv_row * c.capacity + key];
  return scored;
}

bool in_half(const CheckCase& c) {
  return c.operation == "score-packed" && scores_in_half(c.group(), c.tables, static_cast<int>(c.planes));
}

// The score in double, and how far an fp32 kernel may be off: each probability by its bound, each addition of
// the positive terms and the final product by half an ulp.
void within_reference(const CheckCase& c, const std::vector<ReferenceBuckets>& buckets, const ScoredKey& scored,
                      std::int32_t probability_type, std::int64_t at, double got, Comparison& result) {
  double sum = 0;
  double error = 0;
  for (std::size_t table = 0; table < buckets.size(); ++table) {
    const double p = buckets[table].probability[static_cast<std::uint16_t>(scored.codes[table])];
    sum += p;
    error += probability_tolerance(buckets[table], p, probability_type);
  }
  error += 1.01 * real(c.tables + 2) * 0x1p-24 * sum;
  if (in_half(c)) {
    error += kHalfSumRelativeError * (sum + error) + real(c.tables) * kHalfSumAbsoluteError;
  }
  result.within("score against double", at, got, scored.norm * sum, scored.norm * error);
}

// Of planes whose buckets are never listed: the products of half-tables against the softmax.
Comparison check_half_tables(const Library& library, const CheckCase& c) {
  const Problem problem = make_problem(c);
  DeviceProblem device(c, problem);
  const int planes = static_cast<int>(c.planes);
  const int entries = half_table_entries(planes);
  DeviceArray<float> halves(c.batch * c.heads * c.tables * entries);
  half_tables(library, c, device, halves);
  const std::vector<float> h = halves.to_host();
  halves.poison();
  half_tables(library, c, device, halves);
  const Hyperplanes exact = double_hyperplanes(c, problem);
  Comparison result;
  result.same_bits("second run", halves.to_host(), h);
  for (const std::int64_t row : sampled_rows(c.batch * c.heads)) {
    const auto reference = reference_buckets(c, problem, exact, row, summation_of(library));
    for (std::int64_t table = 0; table < c.tables; ++table) {
      const ReferenceBuckets& buckets = reference[table];
      const float* high = h.data() + (row * c.tables + table) * entries;
      const float* low = high + (1 << high_planes(planes));
      for (std::int64_t code = 0; code < std::int64_t{1} << planes; ++code) {
        const double expected = buckets.probability[code];
        const float product = high[code >> low_planes(planes)] * low[code & ((1 << low_planes(planes)) - 1)];
        result.within("product of half-tables", ((row * c.tables + table) << planes) + code, product, expected,
                      probability_tolerance(buckets, expected, SKT_F32));
      }
    }
  }
  return result;
}

}  // namespace

Comparison check_soft_buckets(const Library& library, const CheckCase& c) {
  if (c.planes > kMostInt16Planes) return check_half_tables(library, c);
  const Problem problem = make_problem(c);
  DeviceProblem device(c, problem);
  const std::int32_t type = published_profile(c.profile).probability_type;
  const std::int64_t tables = c.batch * c.heads * c.tables;
  const int planes = static_cast<int>(c.planes);
  const int entries = half_table_entries(planes);
  Bytes single((tables << planes) * element_bytes(SKT_F32));
  Bytes rounded((tables << planes) * element_bytes(type));
  DeviceArray<float> halves(tables * entries);
  soft_buckets(library, c, device, SKT_F32, single);
  soft_buckets(library, c, device, type, rounded);
  half_tables(library, c, device, halves);
  const std::vector<float> p = from_bytes(SKT_F32, single.to_host());
  single.poison();
  soft_buckets(library, c, device, SKT_F32, single);
  const std::vector<float> r = from_bytes(type, rounded.to_host());
  const std::vector<float> h = halves.to_host();
  const Hyperplanes exact = double_hyperplanes(c, problem);
  const bool bitwise = library.agreement == Agreement::bitwise && problem.corners.empty();
  Comparison result;
  result.same_bits("second run", from_bytes(SKT_F32, single.to_host()), p);
  for (const std::int64_t row : sampled_rows(c.batch * c.heads)) {
    const std::vector<ReferenceBuckets> reference = reference_buckets(c, problem, exact, row, summation_of(library));
    for (std::int64_t table = 0; table < c.tables; ++table) {
      const ReferenceBuckets& buckets = reference[table];
      const float* high = h.data() + (row * c.tables + table) * entries;
      const float* low = high + (1 << high_planes(planes));
      for (std::int64_t code = 0; code < std::int64_t{1} << planes; ++code) {
        const std::int64_t at = ((row * c.tables + table) << planes) + code;
        const double expected = buckets.probability[code];
        const float got = p[at];
        result.within("probability", at, got, expected, probability_tolerance(buckets, expected, SKT_F32));
        result.equal("probability in its type", at, r[at], round_to(type, got));
        const float product = high[code >> low_planes(planes)] * low[code & ((1 << low_planes(planes)) - 1)];
        if (bitwise) result.equal("probability against its half-tables", at, got, product);
      }
    }
  }
  return result;
}

namespace {

// Scores twice; and what they were computed from, as the host sees it.
struct Scores {
  std::vector<float> got, again, probabilities, norms;
  std::vector<std::int16_t> codes;
};

Scores score_on_device(const Library& library, const CheckCase& c, DeviceProblem& device) {
  const bool packed = c.operation == "score-packed";
  const std::int32_t type = packed ? std::int32_t{SKT_F32} : published_profile(c.profile).probability_type;
  DeviceIndex index(c);
  index.build(library, c, device);
  const std::int64_t entries = packed ? half_table_entries(static_cast<int>(c.planes)) : 1 << c.planes;
  DeviceArray<float> halves(packed ? c.batch * c.heads * c.tables * entries : 0);
  Bytes buckets(packed ? 0 : c.batch * c.heads * c.tables * entries * element_bytes(type));
  DeviceArray<float> scores(c.batch * c.heads * c.capacity);
  packed ? half_tables(library, c, device, halves) : soft_buckets(library, c, device, type, buckets);
  const auto score = [&] {
    scores.poison();
    packed ? score_packed(library, c, device, index, halves, scores)
           : score_buckets(library, c, device, index, buckets, scores);
    return scores.to_host();
  };
  Scores all;
  all.got = score();
  all.again = score();
  all.probabilities = packed ? halves.to_host() : from_bytes(type, buckets.to_host());
  all.norms = norms_to_host(c, index.norms);
  all.codes = index.codes.to_host();
  return all;
}

}  // namespace

Comparison check_scores(const Library& library, const CheckCase& c) {
  const bool packed = c.operation == "score-packed";
  const std::int32_t type = packed ? std::int32_t{SKT_F32} : published_profile(c.profile).probability_type;
  const Problem problem = make_problem(c);
  DeviceProblem device(c, problem);
  const Scores scores = score_on_device(library, c, device);
  const Hyperplanes exact = double_hyperplanes(c, problem);
  const std::size_t row_entries = scores.probabilities.size() / static_cast<std::size_t>(c.batch * c.heads);
  Comparison result;
  result.same_bits("second run", scores.again, scores.got);
  for (const std::int64_t row : sampled_rows(c.batch * c.heads)) {
    const auto row_tables =
        std::span<const float>(scores.probabilities).subspan(static_cast<std::size_t>(row) * row_entries, row_entries);
    const std::vector<ReferenceBuckets> reference = reference_buckets(c, problem, exact, row, summation_of(library));
    for (const std::int64_t key : sampled_keys(c.capacity)) {
      const std::int64_t at = row * c.capacity + key;
      const double score_here = scores.got[at];
      if (key >= c.keys) {
        result.equal("score behind the keys", at, score_here, std::nan(""));
      } else if (!is_allowed(c, problem, row, key)) {
        result.equal("forbidden score", at, score_here, -kInfinity);
      } else {
        const ScoredKey scored = scored_key(c, scores.codes, scores.norms, row / c.group(), key);
        const float twin = in_half(c) ? twin_half_score(row_tables, scored.codes, c.planes, scored.norm)
                           : packed   ? twin_packed_score(row_tables, scored.codes, c.planes, scored.norm)
                                      : twin_bucket_score(row_tables, scored.codes, c.planes, scored.norm);
        if (library.agreement == Agreement::bitwise) result.equal("score", at, score_here, twin);
        within_reference(c, reference, scored, type, at, score_here, result);
      }
    }
  }
  return result;
}

Comparison check_bad_codes(const Library& library, const CheckCase& c) {
  const Problem problem = make_problem(c);
  DeviceProblem device(c, problem);
  DeviceIndex index(c);
  index.build(library, c, device);
  std::vector<std::int16_t> codes = index.codes.to_host();
  const std::int32_t type = published_profile(c.profile).probability_type;
  Bytes buckets((c.batch * c.heads * c.tables << c.planes) * element_bytes(type));
  soft_buckets(library, c, device, type, buckets);
  DeviceArray<float> scores(c.batch * c.heads * c.capacity);
  DeviceArray<std::int64_t> noted(2);
  skt_error error = {};
  Comparison result;
  result.equal("code with good codes", 0,
               score_checked_buckets(library, c, device, index, buckets, scores, noted, error), SKT_OK);
  result.equal("good codes counted as bad", 0, real(noted.to_host()[0]), 0);
  // Every third code of the cache but the first few is none: below 0, or above the last bucket where a code
  // can be.
  std::int64_t planted = 0;
  std::int64_t first = -1;
  for (std::size_t at = 5; at < codes.size(); ++at) {
    const bool used = static_cast<std::int64_t>(at) % c.capacity < c.keys;
    if (!used || at % 3 != 0) continue;
    codes[at] = static_cast<std::int16_t>(at % 2 == 0 ? -1 : c.planes < 15 ? 1 << c.planes : -32768);
    if (planted++ == 0) first = static_cast<std::int64_t>(at);
  }
  require(cudaMemcpy(index.codes.data(), codes.data(), index.codes.bytes(), cudaMemcpyHostToDevice), "codes");
  result.equal("code with bad codes", 0,
               score_checked_buckets(library, c, device, index, buckets, scores, noted, error), SKT_BAD_CODES);
  const std::vector<float> got = scores.to_host();
  const std::vector<float> p = from_bytes(type, buckets.to_host());
  const std::vector<float> norms = norms_to_host(c, index.norms);
  const std::vector<std::int64_t> bad = noted.to_host();
  result.equal("bad codes counted", 0, real(bad[0]), real(planted));
  result.equal("first bad code", 0, real(bad[1]), real(first));
  const std::string message = error.message;
  result.holds("a message with the number of bad codes", 0, message.find(std::to_string(planted)) != message.npos);
  result.holds("a message with the key of the first", 0,
               message.find(std::to_string(first % c.capacity)) != message.npos);
  for (const std::int64_t row : sampled_rows(c.batch * c.heads)) {
    for (const std::int64_t key : sampled_keys(c.keys)) {
      const ScoredKey scored = scored_key(c, codes, norms, row / c.group(), key);
      float sum = 0;
      for (std::size_t table = 0; table < scored.codes.size(); ++table) {
        const int code = scored.codes[table];
        if (code < 0 || code >= 1 << c.planes) continue;
        sum += p[((static_cast<std::size_t>(row * c.tables) + table) << c.planes) + static_cast<std::size_t>(code)];
      }
      const std::int64_t at = row * c.capacity + key;
      const bool allowed = is_allowed(c, problem, row, key);
      const double tolerance =
          library.agreement == Agreement::bitwise ? 0 : 1.01 * real(c.tables + 1) * 0x1p-24 * scored.norm * sum;
      result.within("score beside bad codes", at, got[at], allowed ? double{scored.norm * sum} : -kInfinity, tolerance);
    }
  }
  return result;
}

}  // namespace skt::gpu
