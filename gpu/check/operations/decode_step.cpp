// Is the whole decode step what its stages are, launched one by one, through a CUDA graph and on a dirty workspace,
// and from pages where the case has them? Bit for bit; the stages have checks of their own. Does it select what exact
// scores select, and is its output softmax attention over that?
//
// decode-signed is the same by the signed projection. Every selected key must score, in double, at least the
// threshold less the gap, and every key left out at most the threshold plus the gap; the gap is twice the derived
// error of a score.
#include <algorithm>
#include <array>
#include <cmath>

#include "gpu/check/device/captured_graph.hpp"
#include "gpu/check/device/operations.hpp"
#include "gpu/check/operations/checks.hpp"
#include "gpu/check/references/attention.hpp"
#include "gpu/check/references/host_twin.hpp"
#include "gpu/check/references/listed_keys.hpp"
#include "gpu/check/references/reference.hpp"
#include "gpu/check/references/signed_scores.hpp"
#include "gpu/functors/half_score.hpp"
#include "gpu/functors/half_table.hpp"
#include "sim/number.hpp"

namespace skt::gpu {
namespace {

struct Stages {
  std::vector<float> output;
  std::vector<std::int32_t> selected, counts;
};

Stages stage_by_stage(const Library& library, const CheckCase& c, DeviceProblem& device, DeviceIndex& index) {
  const std::int64_t rows = c.rows();
  DeviceArray<float> halves(rows * c.tables * half_table_entries(c.code_bits()));
  DeviceArray<float> scores(rows * c.capacity);
  DeviceArray<std::int32_t> selected(rows * c.list());
  DeviceArray<std::int32_t> counts(rows);
  DeviceArray<float> output(rows * c.dim);
  DeviceArray<float> log_sum_exp(rows);
  half_tables(library, c, device, halves);
  score_packed(library, c, device, index, halves, scores);
  select_keys(library, c, scores, selected, counts);
  sparse_attention(library, c, device, selected, counts, output, log_sum_exp);
  return {output.to_host(), selected.to_host(), counts.to_host()};
}

// The outputs of replays, all but the last on a workspace of NaN, where a stage that does not wait for the one before
// it reads NaN, the last on what the one before left.
std::array<std::vector<float>, 4> through_a_graph(const Library& library, const CheckCase& c, DeviceProblem& device,
                                                  DeviceIndex& index, DevicePages* pages = nullptr) {
  Bytes workspace(decode_step_workspace(library, c));
  DeviceArray<float> output(c.rows() * c.dim);
  CapturedGraph graph(
      [&](cudaStream_t stream) { decode_step(library, c, device, index, workspace, output, stream, pages); });
  std::array<std::vector<float>, 4> outputs;
  for (std::vector<float>& of_replay : outputs) {
    output.poison();
    if (&of_replay != &outputs.back()) workspace.poison();
    require(cudaDeviceSynchronize(), "poison");
    graph.launch();
    graph.wait();
    of_replay = output.to_host();
  }
  return outputs;
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

// Exact scores of one row's candidates and the largest error that the device's may have.
struct ExactScores {
  Vector score;  // [keys]; NaN for a key that is forbidden, sink or window
  double largest_error = 0;
};

ExactScores exact_scores(const CheckCase& c, const Problem& problem, const std::vector<std::int16_t>& codes,
                         const Hyperplanes& hyperplanes, std::int64_t row) {
  const bool is_signed = c.rule() == SKT_SIGNED_PROJECTION;
  const auto buckets = is_signed ? std::vector<ReferenceBuckets>{} : reference_buckets(c, problem, hyperplanes, row);
  const SignedProjections projections = signed_projections(c, problem, hyperplanes, row);
  const std::int64_t kv_row = row / c.group();
  ExactScores exact{Vector::Constant(c.keys, std::nan("")), 0};
  for (std::int64_t key = c.sink; key < c.keys - c.window; ++key) {
    if (!is_allowed(c, problem, row, key)) continue;
    const std::vector<std::int16_t> of_key = codes_of_key(c, codes, kv_row, key);
    const ExactSum sum = is_signed ? exact_signed_sum(c, projections, of_key) : exact_sum(c, buckets, of_key);
    const double norm = std::min(row_of(problem.values, kv_row * c.capacity + key, c.dim).norm(), 65504.0);
    exact.score[key] = norm * sum.sum;
    // The norm is an fp32 sum of dim squares and a root, then rounded to fp16, to 2^-25 below its normal range.
    const double relative = sum.relative_error + 0x1p-11 + real(c.dim + 4) * 0x1p-24;
    const double error = relative * std::abs(exact.score[key]) + norm * sum.absolute_error +
                         0x1p-25 * (std::abs(sum.sum) + sum.absolute_error);
    exact.largest_error = std::max(exact.largest_error, 1.01 * error);
  }
  return exact;
}

void compare_sets(const CheckCase& c, const ExactScores& exact, std::span<const std::int32_t> selected,
                  std::int64_t row, Comparison& result) {
  std::vector<char> taken(c.keys, 0);
  for (const std::int32_t key : selected) taken[key] = 1;
  std::vector<double> candidates;
  for (const double score : exact.score) {
    if (!std::isnan(score)) candidates.push_back(score);
  }
  std::sort(candidates.rbegin(), candidates.rend());
  const std::int64_t take = std::min<std::int64_t>(c.budget, std::ssize(candidates));
  if (take == 0) return;
  const double threshold = candidates[take - 1];
  for (std::int64_t key = 0; key < c.keys; ++key) {
    const double score = exact.score[key];
    if (std::isnan(score)) continue;
    const bool ok =
        taken[key] ? score >= threshold - 2 * exact.largest_error : score <= threshold + 2 * exact.largest_error;
    result.holds("selection within the score gap", row * c.capacity + key, ok);
  }
}

}  // namespace

Comparison check_decode_step(const Library& library, const CheckCase& c) {
  const Problem problem = make_problem(c);
  DeviceProblem device(c, problem);
  DeviceIndex index(c);
  index.build(library, c, device);
  const Stages stages = stage_by_stage(library, c, device, index);
  const auto outputs = through_a_graph(library, c, device, index);
  const std::vector<float>& whole = outputs.front();
  const std::vector<std::int16_t> codes = index.codes.to_host();
  const Hyperplanes hyperplanes = double_hyperplanes(c, problem);
  Comparison result;
  for (const std::vector<float>& output : outputs) {
    for (std::int64_t i = 0; i < std::ssize(output); ++i) {
      result.equal("output in a graph", i, output[i], stages.output[i]);
    }
  }
  if (c.paged()) {
    DevicePages pages(c, problem, paged_cache(c, problem));
    for (const std::vector<float>& output : through_a_graph(library, c, device, index, &pages)) {
      result.same_bits("output from pages", output, whole);
    }
  }
  for (const std::int64_t row : sampled_rows(c.rows())) {
    const auto selected = listed_keys(c.keys, stages.selected, stages.counts, c.list(), row, result);
    compare_sets(c, exact_scores(c, problem, codes, hyperplanes, row), selected, row, result);
    compare_output(c.dim, attention_reference(c, problem, row, selected), row, whole, result);
  }
  return result;
}

}  // namespace skt::gpu
