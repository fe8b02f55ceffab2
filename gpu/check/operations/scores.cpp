// Do the query's probabilities and the two scoring kernels agree with the reference?
//
// Probabilities: against the softmax over all corners in double, within the bound derived in
// gpu/scores/buckets_kernel.cuh. Scores: bit for bit with the same fp32 arithmetic on the host, given the same
// probabilities, and against double within the bound. Forbidden and unused keys hold NaN: one that is read shows. Where the
// heads of a kv head share a list, the largest of their scores, which is off by no more than one of them.
#include <cmath>
#include <iterator>
#include <span>
#include <tuple>

#include "gpu/check/cases/published_profile.hpp"
#include "gpu/check/device/operations.hpp"
#include "gpu/check/operations/checks.hpp"
#include "gpu/check/operations/each_score.hpp"
#include "gpu/check/references/host_twin.hpp"
#include "gpu/check/references/reference.hpp"
#include "gpu/check/references/scoring_inputs.hpp"
#include "gpu/functors/half_score.hpp"
#include "gpu/functors/half_table.hpp"
#include "sim/number.hpp"

namespace skt::gpu {
namespace {

Summation summation_of(const Library& library) {
  return library.agreement == Agreement::bitwise ? Summation::of_the_kernel : Summation::any;
}

// Of the probabilities behind a score.
std::int32_t score_type(const CheckCase& c) {
  return scores_packed_codes(c) ? std::int32_t{SKT_F32} : published_profile(c.profile).probability_type;
}

// A score in double, and how far an fp32 kernel may be off: each probability by its bound, each addition of the
// positive terms and the final product by half an ulp.
struct ExactScore {
  double score = 0, error = 0;
};

ExactScore exact_score(const CheckCase& c, const std::vector<ReferenceBuckets>& buckets,
                       std::span<const std::int16_t> codes, double norm) {
  const std::int32_t type = score_type(c);
  double sum = 0;
  double error = 0;
  for (std::size_t table = 0; table < buckets.size(); ++table) {
    const double p = buckets[table].probability[unsigned_code(codes[table])];
    sum += p;
    error += probability_tolerance(buckets[table], p, type);
  }
  error += 1.01 * real(c.tables + 2) * 0x1p-24 * sum;
  if (may_score_in_half(c)) {
    error += kHalfSumRelativeError * (sum + error) + real(c.tables) * kHalfSumAbsoluteError;
  }
  return {norm * sum, norm * error};
}

// fp32, as the kernel multiplies them.
float product_of_halves(const float* half_tables, std::int64_t code, int planes) {
  const float* low = half_tables + (1 << high_planes(planes));
  return half_tables[code >> low_planes(planes)] * low[code & ((1 << low_planes(planes)) - 1)];
}

// Visits (buckets, index of its first bucket, its half-tables) for every table of the sampled rows.
template <class Visit>
void for_each_table(const Library& library, const CheckCase& c, const Problem& problem,
                    const std::vector<float>& half_tables, Visit&& visit) {
  const Hyperplanes exact = double_hyperplanes(c, problem);
  const int entries = half_table_entries(c.code_bits());
  for (const std::int64_t row : sampled_rows(c.rows())) {
    const std::vector<ReferenceBuckets> reference = reference_buckets(c, problem, exact, row, summation_of(library));
    for (std::int64_t table = 0; table < c.tables; ++table) {
      const std::int64_t at = row * c.tables + table;
      visit(reference[table], at << c.planes, half_tables.data() + at * entries);
    }
  }
}

}  // namespace

// Of planes whose buckets are never listed: the products of half-tables against the softmax.
Comparison check_soft_buckets(const Library& library, const CheckCase& c) {
  const Problem problem = make_problem(c);
  DeviceProblem device(c, problem);
  const bool listed = c.planes <= kMostInt16Planes;
  const bool bitwise = library.agreement == Agreement::bitwise && problem.corners.empty();
  const std::int32_t type = published_profile(c.profile).probability_type;
  const std::int64_t buckets = listed ? c.rows() * c.tables << c.planes : 0;
  Bytes of_single(buckets * element_bytes(SKT_F32)), of_type(buckets * element_bytes(type));
  DeviceArray<float> of_halves(half_table_floats(c));
  const auto run = [&] {
    poison_all(of_single, of_type, of_halves);
    if (listed) soft_buckets(library, c, device, SKT_F32, of_single);
    if (listed) soft_buckets(library, c, device, type, of_type);
    half_tables(library, c, device, of_halves);
    return std::tuple{from_bytes(SKT_F32, of_single.to_host()), from_bytes(type, of_type.to_host()),
                      of_halves.to_host()};
  };
  const auto [single, rounded, halves] = run();
  const auto [single_again, rounded_again, halves_again] = run();
  Comparison result;
  result.same_bits("second run", single_again, single);
  result.same_bits("second run of half-tables", halves_again, halves);
  for_each_table(library, c, problem, halves, [&](const ReferenceBuckets& of, std::int64_t first, const float* table) {
    for (std::int64_t code = 0; code < std::int64_t{1} << c.planes; ++code) {
      const std::int64_t at = first + code;
      const double expected = of.probability[code], tolerance = probability_tolerance(of, expected, SKT_F32);
      const float product = product_of_halves(table, code, c.code_bits());
      if (!listed) {
        result.within("product of half-tables", at, product, expected, tolerance);
        continue;
      }
      result.within("probability", at, single[at], expected, tolerance);
      result.equal("probability in its type", at, rounded[at], round_to(type, single[at]));
      if (bitwise) result.equal("probability against its half-tables", at, single[at], product);
    }
  });
  return result;
}

namespace {

// Scores twice; and what they were computed from, as the host sees it.
struct Scores {
  std::vector<float> got, again, tables, norms;  // tables: probabilities, or half-tables
  std::vector<std::int16_t> codes;
};

Scores score_on_device(const Library& library, const CheckCase& c, const Problem& problem) {
  DeviceProblem device(c, problem);
  const bool packed = scores_packed_codes(c);
  const std::int32_t type = score_type(c);
  DeviceIndex index(c);
  index.build(library, c, device);
  const std::int64_t entries = packed ? half_table_entries(c.code_bits()) : 1 << c.planes;
  DeviceArray<float> halves(packed ? c.rows() * c.tables * entries : 0);
  Bytes buckets(packed ? 0 : c.rows() * c.tables * entries * element_bytes(type));
  DeviceArray<float> scores(c.list_rows() * c.capacity);
  packed ? half_tables(library, c, device, halves) : soft_buckets(library, c, device, type, buckets);
  const auto score = [&] {
    scores.poison();
    if (packed) call(library.score_packed, score_packed_arguments(c, device, index, halves, scores.data()));
    if (!packed) call(library.score_buckets, score_buckets_arguments(c, device, index, buckets, scores));
    return scores.to_host();
  };
  Scores all;
  all.got = score();
  all.again = score();
  all.tables = packed ? halves.to_host() : from_bytes(type, buckets.to_host());
  all.norms = norms_to_host(c, index.norms);
  all.codes = index.codes.to_host();
  return all;
}

// The same fp32 arithmetic on the host, from the device's tables of one row.
float twin_score(const CheckCase& c, std::span<const float> tables, std::span<const std::int16_t> codes, float norm) {
  if (may_score_in_half(c)) return twin_half_score(tables, codes, c.planes, norm);
  return scores_packed_codes(c) ? twin_packed_score(tables, codes, c.planes, norm)
                                : twin_bucket_score(tables, codes, c.planes, norm);
}

// NaN where one of them is.
double larger(double a, double b) {
  return b > a || std::isnan(b) ? b : a;
}

}  // namespace

Comparison check_scores(const Library& library, const CheckCase& c) {
  const Problem problem = make_problem(c);
  const Scores scores = score_on_device(library, c, problem);
  const Hyperplanes exact = double_hyperplanes(c, problem);
  const std::int64_t row_entries = std::ssize(scores.tables) / c.rows();
  Comparison result;
  result.same_bits("second run", scores.again, scores.got);
  compare_scores(c, problem, scores.got, scores.codes, scores.norms, result, [&](std::int64_t row) {
    const std::int64_t first = row * c.heads_of_list();
    std::vector<std::vector<ReferenceBuckets>> references;  // of each head
    for (std::int64_t head = first; head < first + c.heads_of_list(); ++head)
      references.push_back(reference_buckets(c, problem, exact, head, summation_of(library)));
    return [&, first, references](std::int64_t at, double score, std::span<const std::int16_t> codes, float norm) {
      double twin = -INFINITY;
      ExactScore largest = {-INFINITY, 0};
      for (std::size_t h = 0; h < references.size(); ++h) {
        const std::span<const float> tables =
            float_row(scores.tables, first + static_cast<std::int64_t>(h), row_entries);
        const ExactScore exact_of_head = exact_score(c, references[h], codes, norm);
        twin = larger(twin, twin_score(c, tables, codes, norm));
        largest = {larger(largest.score, exact_of_head.score), larger(largest.error, exact_of_head.error)};
      }
      if (library.agreement == Agreement::bitwise) result.equal("score", at, score, twin);
      result.within("score against double", at, score, largest.score, largest.error);
    };
  });
  return result;
}

}  // namespace skt::gpu
