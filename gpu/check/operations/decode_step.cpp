// Is the whole decode step what its stages are, launched one by one, through a CUDA graph and on a dirty workspace,
// and from pages where the case has them? Bit for bit; the stages have checks of their own. Does it select what exact
// scores select, and is its output softmax attention over that?
//
// decode-signed is the same by the signed projection; where the heads of a kv head share a list, also with log-sum-exps of
// a step before. In double each key scores in an interval, by the derived error of a score, and none that is left out
// may lie above one that is selected. The lists that the step hands out are those of its stages.
#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <limits>
#include <numeric>

#include "gpu/check/cases/element_type.hpp"
#include "gpu/check/device/captured_graph.hpp"
#include "gpu/check/device/operations.hpp"
#include "gpu/check/operations/checks.hpp"
#include "gpu/check/references/attention.hpp"
#include "gpu/check/references/group_scores.hpp"
#include "gpu/check/references/host_twin.hpp"
#include "gpu/check/references/listed_keys.hpp"
#include "gpu/check/references/reference.hpp"
#include "gpu/check/references/signed_scores.hpp"
#include "gpu/functors/half_score.hpp"
#include "gpu/functors/half_table.hpp"
#include "sim/number.hpp"

namespace skt::gpu {
namespace {

// The outputs of replays, all but the last on a workspace of NaN, where a stage that does not wait for the one before
// it reads NaN, the last on what the one before left. Its lists are asked for without pages.
struct Replays {
  std::array<std::vector<float>, 4> outputs;
  std::vector<std::int32_t> selected, counts;  // of the last
};

Replays through_a_graph(const Library& library, const CheckCase& c, DeviceProblem& device, DeviceIndex& index,
                        const Given& given) {
  Bytes workspace(decode_step_workspace(library, c));
  DeviceArray<float> output(c.rows() * c.dim);
  DeviceArray<std::int32_t> selected(c.list_rows() * c.list()), counts(c.list_rows());
  skt_decode_step_args args = decode_arguments(c, device, index, workspace, output, given);
  if (given.pages == nullptr) {
    args.selected = selected.data();
    args.list_counts = counts.data();
  }
  CapturedGraph graph([&](cudaStream_t stream) { call(library.decode_step, args, stream); });
  Replays replays;
  for (std::vector<float>& of_replay : replays.outputs) {
    if (&of_replay != &replays.outputs.back()) workspace.poison();
    poison_all(output, selected, counts);
    graph.launch();
    graph.wait();
    of_replay = output.to_host();
  }
  replays.selected = selected.to_host();
  replays.counts = counts.to_host();
  return replays;
}

// The output in 16 bits is the fp32 output, rounded.
void compare_rounded(const Library& library, const CheckCase& c, DeviceProblem& device, DeviceIndex& index,
                     const Given& given, const std::vector<float>& output, Comparison& result) {
  Bytes workspace(decode_step_workspace(library, c));
  DeviceArray<float> none(1);
  for (const std::int32_t type : {SKT_F16, SKT_BF16}) {
    DeviceArray<std::uint16_t> rounded(c.rows() * c.dim);
    skt_decode_step_args args = decode_arguments(c, device, index, workspace, none, given);
    args.output = rounded.data();
    args.output_type = type;
    call(library.decode_step, args, nullptr);
    const std::vector<std::uint16_t> got = rounded.to_host();
    for (std::int64_t i = 0; i < std::ssize(got); ++i) {
      const float expected = round_to(type, output[i]);
      const float number = type == SKT_F16 ? half_from_bits(got[i]) : bfloat_from_bits(got[i]);
      result.holds("output of 16 bits", i, number == expected || (std::isnan(number) && std::isnan(expected)));
    }
  }
}

// A sum over tables in double, and how far the device's may be off, relatively and absolutely.
struct ExactSum {
  double sum = 0, relative_error = 0, absolute_error = 0;
};

ExactSum exact_sum(const CheckCase& c, const std::vector<ReferenceBuckets>& buckets,
                   std::span<const std::int16_t> codes) {
  ExactSum exact;
  for (std::size_t table = 0; table < codes.size(); ++table) {
    exact.sum += buckets[table].probability[unsigned_code(codes[table])];
    exact.relative_error = std::max(exact.relative_error, buckets[table].relative_error);
  }
  exact.relative_error += real(c.tables) * 0x1p-24;
  if (scores_in_half(c.group(), c.tables, c.code_bits())) {
    exact.relative_error += kHalfSumRelativeError;
    exact.absolute_error = real(c.tables) * kHalfSumAbsoluteError;
  }
  return exact;
}

ExactSum exact_signed_sum(const CheckCase& c, const SignedProjections& projections,
                          std::span<const std::int16_t> codes) {
  const double sum = signed_sum(c, projections, codes);
  const double error = signed_sum_error(c, projections);
  return {sum, 0, error + signed_score_rounding(c, std::abs(sum) + error)};
}

// A head's score in double, from the exact norm. The device's is an fp32 sum of dim squares and a root, then rounded to
// fp16, to 2^-25 below its normal range.
ScoreInterval interval_of(const CheckCase& c, const ExactSum& sum, double norm) {
  const double score = norm * sum.sum, relative = sum.relative_error + 0x1p-11 + real(c.dim + 4) * 0x1p-24;
  const double error = 1.01 * (relative * std::abs(score) + norm * sum.absolute_error +
                               0x1p-25 * (std::abs(sum.sum) + sum.absolute_error));
  return {score - error, score + error};
}

// What was scored, as the host sees it.
struct Scored {
  const Problem& problem;
  std::vector<std::int16_t> codes;
  std::vector<float> norms, log_sums;  // log_sums empty: normalisers are sampled
  Hyperplanes hyperplanes;
};

// Where each key of a list's row scores, by its row of lists. Of a group by the signed rule, whose weights grow with the
// norm exponentially, from the device's norms.
std::function<ScoreInterval(std::int64_t)> intervals_of_row(const CheckCase& c, const Scored& scored,
                                                            std::int64_t row) {
  const std::int64_t first = row * c.heads_of_list(), kv_row = first / c.group();
  const auto codes_of = [&c, &scored, kv_row](std::int64_t key) { return codes_of_key(c, scored.codes, kv_row, key); };
  const auto norm_of = [&c, &scored, kv_row](std::int64_t key) { return scored.norms[kv_row * c.capacity + key]; };
  const auto exact_norm = [&c, &scored, kv_row](std::int64_t key) {
    return std::min(row_of(scored.problem.values, kv_row * c.capacity + key, c.dim).norm(), 65504.0);
  };
  std::vector<SignedProjections> projections;
  std::vector<std::vector<ReferenceBuckets>> buckets;
  std::vector<ExactGroupHead> group;
  const GroupKeys keys = {c.keys, codes_of, norm_of,
                          [&c, &scored, first](std::int64_t key) { return is_allowed(c, scored.problem, first, key); }};
  const bool is_signed = c.rule() == SKT_SIGNED_PROJECTION;
  for (std::int64_t head = first; head < first + c.heads_of_list(); ++head) {
    projections.push_back(signed_projections(c, scored.problem, scored.hyperplanes, head));
    if (!is_signed) buckets.push_back(reference_buckets(c, scored.problem, scored.hyperplanes, head));
    if (!c.weighs_heads()) continue;
    group.push_back(scored.log_sums.empty() ? exact_group_head(c, projections.back(), keys)
                                            : exact_group_head(c, projections.back(), scored.log_sums[head]));
  }
  return [=, &c](std::int64_t key) {
    const std::vector<std::int16_t> codes = codes_of(key);
    if (!group.empty()) return group_score_interval(c, group, codes, norm_of(key));
    if (is_signed) return interval_of(c, exact_signed_sum(c, projections[0], codes), exact_norm(key));
    ScoreInterval largest = interval_of(c, exact_sum(c, buckets[0], codes), exact_norm(key));
    for (std::size_t h = 1; h < buckets.size(); ++h) {
      const ScoreInterval of_head = interval_of(c, exact_sum(c, buckets[h], codes), exact_norm(key));
      largest = {std::max(largest.low, of_head.low), std::max(largest.high, of_head.high)};
    }
    return largest;
  };
}

// None of the keys left out may be surely better than a selected one; sink and window are not asked.
void compare_sets(const CheckCase& c, const Scored& scored, std::span<const std::int32_t> selected, std::int64_t row,
                  Comparison& result) {
  std::vector<char> taken(c.keys, 0);
  for (const std::int32_t key : selected) taken[key] = 1;
  const auto interval_of_key = intervals_of_row(c, scored, row);
  std::vector<ScoreInterval> intervals(c.keys);
  double best_left_out = -std::numeric_limits<double>::infinity();
  std::vector<std::int64_t> candidates;
  for (std::int64_t key = c.sink; key < c.keys - c.window; ++key) {
    if (is_allowed(c, scored.problem, row * c.heads_of_list(), key)) candidates.push_back(key);
  }
#pragma omp parallel for schedule(static) reduction(max : best_left_out)
  for (const std::int64_t key : candidates) {
    intervals[key] = interval_of_key(key);
    if (taken[key] == 0) best_left_out = std::max(best_left_out, intervals[key].low);
  }
  for (const std::int64_t key : candidates) {
    if (taken[key] != 0)
      result.holds("selection within the score gap", row * c.capacity + key, intervals[key].high >= best_left_out);
  }
}

// One step against its stages, with the log-sum-exps given or none.
void check_step(const Library& library, const CheckCase& c, const Problem& problem, DeviceProblem& device,
                DeviceIndex& index, const float* log_sums, Comparison& result) {
  Stages device_stages(c);
  run_stages(library, c, device, index, {.log_sums = log_sums}, device_stages);
  const HostStages stages = device_stages.to_host();
  const Replays replays = through_a_graph(library, c, device, index, {.log_sums = log_sums});
  const std::vector<float>& whole = replays.outputs.front();
  for (const std::vector<float>& output : replays.outputs) result.equal_all("output in a graph", output, stages.output);
  compare_rounded(library, c, device, index, {.log_sums = log_sums}, whole, result);
  result.same_numbers("list of the step", replays.selected, stages.selected);
  result.same_numbers("count of the step", replays.counts, stages.counts);
  if (c.paged()) {
    DevicePages pages(c, problem, paged_cache(c, problem));
    const Given given = {.log_sums = log_sums, .pages = &pages};
    for (const std::vector<float>& output : through_a_graph(library, c, device, index, given).outputs)
      result.same_bits("output from pages", output, whole);
  }
  const Scored scored = {problem, index.codes.to_host(), norms_to_host(c, index.norms),
                         log_sums == nullptr ? std::vector<float>() : problem.log_sums, double_hyperplanes(c, problem)};
  const bool is_dense = c.keys <= c.dense;
  std::vector<std::int32_t> all(is_dense ? c.keys : 0);
  std::iota(all.begin(), all.end(), 0);
  for (const std::int64_t row : sampled_rows(c.list_rows())) {
    const auto selected = listed_keys(c.keys, stages.selected, stages.counts, c.list(), row, result);
    if (is_dense) {
      result.holds("empty list of a sequence that is attended to whole", row, selected.empty());
    } else {
      compare_sets(c, scored, selected, row, result);
    }
    CheckCase wide = c;
    wide.budget = std::max(c.budget, c.dense);
    for (std::int64_t head = row * c.heads_of_list(); head < (row + 1) * c.heads_of_list(); ++head)
      compare_output(c.dim, attention_reference(wide, problem, head, is_dense ? all : selected), head, whole, result);
  }
}

}  // namespace

Comparison check_decode_step(const Library& library, const CheckCase& c) {
  Indexed indexed(library, c);
  auto& [problem, device, index] = indexed;
  Comparison result;
  check_step(library, c, problem, device, index, nullptr, result);
  if (c.weighs_heads()) check_step(library, c, problem, device, index, device.log_sums.data(), result);
  return result;
}

}  // namespace skt::gpu
