// Is the whole decode step what its stages are, launched one by one, through a CUDA graph and on a dirty
// workspace, and from pages where the case has them? Bit for bit; the stages have checks of their own. Does
// it select what exact scores select, and is its output softmax attention over that?
//
// Every selected key must score, in double, at least the threshold less the gap, and every key left out at
// most the threshold plus the gap; the gap is twice the derived error of a score.
#include <algorithm>
#include <array>
#include <cmath>

#include "gpu/check/attention_reference.hpp"
#include "gpu/check/operations.hpp"
#include "gpu/check/reference.hpp"
#include "gpu/check/run_check.hpp"
#include "gpu/half_score.hpp"
#include "gpu/half_table.hpp"

namespace skt::gpu {
namespace {

struct Stages {
  std::vector<float> output;
  std::vector<std::int32_t> selected, counts;
};

Stages stage_by_stage(const Library& library, const CheckCase& c, DeviceProblem& device, DeviceIndex& index) {
  const std::int64_t rows = c.batch * c.heads;
  DeviceArray<float> halves(rows * c.tables * half_table_entries(static_cast<int>(c.planes)));
  DeviceArray<float> scores(rows * c.capacity);
  DeviceArray<std::int32_t> selected(rows * list_of(c));
  DeviceArray<std::int32_t> counts(rows);
  DeviceArray<float> output(rows * c.dim);
  DeviceArray<float> log_sum_exp(rows);
  half_tables(library, c, device, halves);
  score_packed(library, c, device, index, halves, scores);
  select_keys(library, c, scores, selected, counts);
  sparse_attention(library, c, device, selected, counts, output, log_sum_exp);
  return {output.to_host(), selected.to_host(), counts.to_host()};
}

// The output of two replays: on a workspace of NaN, where a stage that does not wait for the one before it
// reads NaN, and on what the first replay left.
std::array<std::vector<float>, 2> through_a_graph(const Library& library, const CheckCase& c,
                                                  DeviceProblem& device, DeviceIndex& index,
                                                  DevicePages* pages = nullptr) {
  Bytes workspace(decode_step_workspace(library, c));
  DeviceArray<float> output(c.batch * c.heads * c.dim);
  cudaStream_t stream = nullptr;
  cudaGraph_t graph = nullptr;
  cudaGraphExec_t executable = nullptr;
  require(cudaStreamCreate(&stream), "stream");
  require(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal), "capture");
  decode_step(library, c, device, index, workspace, output, stream, pages);
  require(cudaStreamEndCapture(stream, &graph), "capture");
  require(cudaGraphInstantiate(&executable, graph, 0), "graph");
  std::array<std::vector<float>, 2> outputs;
  for (std::vector<float>& of_replay : outputs) {
    output.poison();
    require(cudaDeviceSynchronize(), "poison");
    require(cudaGraphLaunch(executable, stream), "graph launch");
    require(cudaStreamSynchronize(stream), "graph launch");
    of_replay = output.to_host();
  }
  cudaGraphExecDestroy(executable);
  cudaGraphDestroy(graph);
  cudaStreamDestroy(stream);
  return outputs;
}

// Exact scores of one row's candidates and the largest error that the device's may have.
struct ExactScores {
  Vector score;  // [keys]; NaN for a key that is forbidden, sink or window
  double largest_error = 0;
};

ExactScores exact_scores(const CheckCase& c, const Problem& problem, const std::vector<std::int16_t>& codes,
                         const Hyperplanes& hyperplanes, std::int64_t row) {
  const std::vector<ReferenceBuckets> buckets = reference_buckets(c, problem, hyperplanes, row);
  const std::int64_t kv_row = row / c.group();
  ExactScores exact{Vector::Constant(c.keys, std::nan("")), 0};
  for (std::int64_t key = c.sink; key < c.keys - c.window; ++key) {
    if (!is_allowed(c, problem, row, key)) continue;
    double sum = 0;
    double relative = 0;
    for (std::int64_t table = 0; table < c.tables; ++table) {
      const auto code = codes[static_cast<std::size_t>((kv_row * c.tables + table) * c.capacity + key)];
      const ReferenceBuckets& of_table = buckets[static_cast<std::size_t>(table)];
      sum += of_table.probability[static_cast<std::size_t>(code)];
      relative = std::max(relative, of_table.relative_error);
    }
    const double norm = row_of(problem.values, kv_row * c.capacity + key, c.dim).norm();
    exact.score[key] = std::min(norm, 65504.0) * sum;  // where the norm stays
    // The kernel's norm is rounded to fp16, to 2^-25 below its normal range, and its fp32 sum has tables + 2
    // roundings.
    relative += 0x1p-11 + static_cast<double>(c.tables + c.dim + 4) * 0x1p-24;
    double absolute = 0x1p-25 * sum;
    if (scores_in_half(c.group(), c.tables, static_cast<int>(c.planes))) {
      relative += kHalfSumRelativeError;
      absolute += static_cast<double>(c.tables) * kHalfSumAbsoluteError * exact.score[key] / sum;
    }
    exact.largest_error = std::max(exact.largest_error, 1.01 * (relative * exact.score[key] + absolute));
  }
  return exact;
}

void compare_sets(const CheckCase& c, const ExactScores& exact, std::span<const std::int32_t> selected,
                  std::int64_t row, Comparison& result) {
  std::vector<char> taken(static_cast<std::size_t>(c.keys), 0);
  for (const std::int32_t key : selected) taken[static_cast<std::size_t>(key)] = 1;
  std::vector<double> candidates;
  for (const double score : exact.score) {
    if (!std::isnan(score)) candidates.push_back(score);
  }
  std::sort(candidates.rbegin(), candidates.rend());
  const std::size_t take = std::min(static_cast<std::size_t>(c.budget), candidates.size());
  if (take == 0) return;
  const double threshold = candidates[take - 1];
  for (std::int64_t key = 0; key < c.keys; ++key) {
    const double score = exact.score[key];
    if (std::isnan(score)) continue;
    const bool ok = taken[static_cast<std::size_t>(key)] ? score >= threshold - 2 * exact.largest_error
                                                         : score <= threshold + 2 * exact.largest_error;
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
  const auto [whole, again] = through_a_graph(library, c, device, index);
  const std::vector<std::int16_t> codes = index.codes.to_host();
  const Hyperplanes hyperplanes = double_hyperplanes(c, problem);
  Comparison result;
  for (std::size_t i = 0; i < whole.size(); ++i) {
    result.equal("output in a graph", static_cast<std::int64_t>(i), whole[i], stages.output[i]);
    result.equal("output of the second replay", static_cast<std::int64_t>(i), again[i], stages.output[i]);
  }
  if (c.paged()) {
    DevicePages pages(c, paged_cache(c, problem));
    for (const std::vector<float>& output : through_a_graph(library, c, device, index, &pages)) {
      result.same_bits("output from pages", output, whole);
    }
  }
  for (const std::int64_t row : sampled_rows(c.batch * c.heads)) {
    const auto selected =
        std::span<const std::int32_t>(stages.selected)
            .subspan(static_cast<std::size_t>(row * list_of(c)),
                     static_cast<std::size_t>(stages.counts[static_cast<std::size_t>(row)]));
    compare_sets(c, exact_scores(c, problem, codes, hyperplanes, row), selected, row, result);
    compare_output(c, attention_reference(c, problem, row, selected), row, whole, result);
  }
  return result;
}

}  // namespace skt::gpu
