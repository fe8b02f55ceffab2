// Do the scores by the signed projection agree with sum_i sign(w_i.k) (w_i.q) in double
// (estimators/peers/sign_projection.hpp)?
//
// Bit for bit with the same arithmetic on the host, given the same half sums: in fp32, or in whole numbers where query
// heads share a kv head; these are written in bf16 too, as a step has them. And within the bounds of
// references/signed_scores.hpp of double.
#include <cmath>
#include <span>

#include "gpu/check/device/operations.hpp"
#include "gpu/check/operations/checks.hpp"
#include "gpu/check/operations/each_score.hpp"
#include "gpu/check/references/host_twin.hpp"
#include "gpu/check/references/signed_scores.hpp"
#include "gpu/functors/half_table.hpp"

namespace skt::gpu {

Comparison check_signed_scores(const Library& library, const CheckCase& c) {
  const Problem problem = make_problem(c);
  DeviceProblem device(c, problem);
  DeviceIndex index(c);
  index.build(library, c, device);
  const int entries = half_table_entries(c.code_bits());
  DeviceArray<float> half_sums(c.rows() * c.tables * entries);
  DeviceArray<float> scores(c.rows() * c.capacity);
  half_tables(library, c, device, half_sums);
  score_packed(library, c, device, index, half_sums, scores);
  const std::vector<float> got = scores.to_host();
  scores.poison();
  score_packed(library, c, device, index, half_sums, scores);
  Bytes in_bf16(c.group() > 1 ? c.rows() * c.capacity * element_bytes(SKT_BF16) : 0);
  if (c.group() > 1) score_packed_in_bf16(library, c, device, index, half_sums, in_bf16);
  const std::vector<float> sums = half_sums.to_host();
  const std::vector<std::int16_t> codes = index.codes.to_host();
  const std::vector<float> norms = norms_to_host(c, index.norms);
  const Hyperplanes hyperplanes = double_hyperplanes(c, problem);
  Comparison result;
  result.same_bits("second run", scores.to_host(), got);
  const std::vector<float> bf16 = from_bytes(SKT_BF16, in_bf16.to_host());
  for (std::int64_t at = 0; at < std::ssize(bf16); ++at) result.equal("score in bf16", at, bf16[at], got[at]);
  compare_scores(c, problem, got, codes, norms, result, [&](std::int64_t row) {
    const std::span<const float> row_sums = float_row(sums, row, c.tables * entries);
    const SignedProjections exact = signed_projections(c, problem, hyperplanes, row);
    return [&, row_sums, exact, weights = twin_fixed_weights(row_sums, c.tables, c.planes),
            error = signed_sum_error(c, exact)](std::int64_t at, double score, std::span<const std::int16_t> of_key,
                                                float norm) {
      if (library.agreement == Agreement::bitwise) {
        result.equal("score", at, score,
                     c.group() > 1 ? twin_grouped_score(weights, of_key, c.planes, norm)
                                   : twin_signed_score(row_sums, of_key, c.planes, norm));
      }
      const double sum = signed_sum(c, exact, of_key);
      result.within("score against double", at, score, norm * sum,
                    norm * error + signed_score_rounding(c, norm * (std::abs(sum) + error)));
    };
  });
  return result;
}

}  // namespace skt::gpu
