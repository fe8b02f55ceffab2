// Do the scores by the signed projection agree with sum_i sign(w_i.k) (w_i.q) in double
// (estimators/peers/sign_projection.hpp)? And where the heads of a kv head share a list, with the sum of their weights?
//
// Bit for bit with the same arithmetic on the host, given the same half sums: in fp32, or in whole numbers where query
// heads share a kv head; these are written in bf16 too, as a step has them. And within the bounds of
// references/signed_scores.hpp of double. Of one list for a kv head both with normalisers that the kernel samples and of
// given log-sum-exps, and the bounds are those of references/group_scores.hpp.
#include <cmath>
#include <span>

#include "gpu/check/device/operations.hpp"
#include "gpu/check/operations/checks.hpp"
#include "gpu/check/operations/each_score.hpp"
#include "gpu/check/references/group_scores.hpp"
#include "gpu/check/references/host_twin.hpp"
#include "gpu/check/references/signed_scores.hpp"
#include "gpu/functors/half_table.hpp"

namespace skt::gpu {
namespace {

// What the scores are computed from, as the host sees it.
struct Inputs {
  std::vector<float> half_sums, norms;
  std::vector<std::int16_t> codes;
  Hyperplanes hyperplanes;

  std::span<const float> half_sums_of(const CheckCase& c, std::int64_t head) const {
    return float_row(half_sums, head, c.tables * half_table_entries(c.code_bits()));
  }
};

void compare_heads(const Library& library, const CheckCase& c, const Problem& problem, const Inputs& inputs,
                   const std::vector<float>& got, Comparison& result) {
  compare_scores(c, problem, got, inputs.codes, inputs.norms, result, [&](std::int64_t row) {
    const std::span<const float> row_sums = inputs.half_sums_of(c, row);
    const SignedProjections exact = signed_projections(c, problem, inputs.hyperplanes, row);
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
}

// Normalisers of log_sums, or without them sampled.
void compare_groups(const Library& library, const CheckCase& c, const Problem& problem, const Inputs& inputs,
                    std::span<const float> log_sums, const std::vector<float>& got, Comparison& result) {
  compare_scores(c, problem, got, inputs.codes, inputs.norms, result, [&](std::int64_t row) {
    const std::int64_t first = row * c.heads_of_list(), kv_row = first / c.group();
    const GroupKeys keys = {c.keys,
                            [&, kv_row](std::int64_t key) { return codes_of_key(c, inputs.codes, kv_row, key); },
                            [&, kv_row](std::int64_t key) { return inputs.norms[kv_row * c.capacity + key]; },
                            [&, first](std::int64_t key) { return is_allowed(c, problem, first, key); }};
    std::vector<GroupHead> twins;
    std::vector<ExactGroupHead> exact;
    for (std::int64_t head = first; head < first + c.heads_of_list(); ++head) {
      const std::span<const float> half_sums = inputs.half_sums_of(c, head);
      const SignedProjections projections = signed_projections(c, problem, inputs.hyperplanes, head);
      if (log_sums.empty()) {
        twins.push_back(twin_group_head(c, half_sums, keys));
        exact.push_back(exact_group_head(c, projections, keys));
      } else {
        twins.push_back(twin_group_head(c, half_sums, log_sums[head]));
        exact.push_back(exact_group_head(c, projections, log_sums[head]));
      }
    }
    return [&, twins, exact](std::int64_t at, double score, std::span<const std::int16_t> of_key, float norm) {
      if (library.agreement == Agreement::bitwise)
        result.equal("score of a group", at, score, twin_group_score(c, twins, of_key, norm));
      compare_score(group_score_interval(c, exact, of_key, norm), at, score, result, "group's ");
    };
  });
}

// Where heads share a list forbidden keys are real ones: a normaliser passes over NaN, but must not have sampled them.
Problem problem_of(const CheckCase& c) {
  const Problem problem = make_problem(c);
  if (!c.shares_lists()) return problem;
  CheckCase unmasked = c;
  unmasked.mask = MaskKind::none;
  Problem real_keys = make_problem(unmasked);
  real_keys.allowed = problem.allowed;
  return real_keys;
}

// Places behind the keys have norms, as of keys that were there before: a normaliser must not sample them.
void put_norms_behind(const CheckCase& c, DeviceArray<std::uint16_t>& norms) {
  constexpr std::uint16_t kTwo = 0x4000;
  if (memory_of_checks == Memory::bare) return;
  std::vector<std::uint16_t> host = norms.to_host();
  for (std::int64_t at = 0; at < std::ssize(host); ++at) {
    if (at % c.capacity >= c.keys) host[at] = kTwo;
  }
  norms.set(host);
}

}  // namespace

Comparison check_signed_scores(const Library& library, const CheckCase& c) {
  Indexed indexed(library, c, problem_of(c));
  auto& [problem, device, index] = indexed;
  put_norms_behind(c, index.norms);
  DeviceArray<float> half_sums(half_table_floats(c));
  DeviceArray<float> scores(c.list_rows() * c.capacity);
  Bytes in_bf16(c.group() > 1 ? c.list_rows() * c.capacity * element_bytes(SKT_BF16) : 0);
  half_tables(library, c, device, half_sums);
  const Inputs inputs = {half_sums.to_host(), norms_to_host(c, index.norms), index.codes.to_host(),
                         double_hyperplanes(c, problem)};
  Comparison result;
  for (const bool has_log_sums : {false, true}) {
    if (has_log_sums && !c.shares_lists()) continue;
    skt_score_packed_args args = score_packed_arguments(c, device, index, half_sums, scores.data(),
                                                        {.log_sums = has_log_sums ? device.log_sums.data() : nullptr});
    const auto scored = [&] {
      scores.poison();
      call(library.score_packed, args);
      return scores.to_host();
    };
    const std::vector<float> got = scored();
    result.same_bits("second run", scored(), got);
    if (c.group() > 1) {
      args.scores = in_bf16.data();
      args.score_type = SKT_BF16;
      in_bf16.poison();
      call(library.score_packed, args);
    }
    const std::vector<float> bf16 = from_bytes(SKT_BF16, in_bf16.to_host());
    for (std::int64_t at = 0; at < std::ssize(bf16); ++at) result.equal("score in bf16", at, bf16[at], got[at]);
    if (c.shares_lists()) {
      compare_groups(library, c, problem, inputs, has_log_sums ? std::span(problem.log_sums) : std::span<const float>(),
                     got, result);
    } else {
      compare_heads(library, c, problem, inputs, got, result);
    }
  }
  return result;
}

}  // namespace skt::gpu
