// Does one captured step serve every length? Sequences of a batch have lengths of their own, which the graph finds in
// device memory: around a tile, sink and window, none, all, and growing by a token a step.
//
// By both rules, with a budget that is a count and with one that follows the length. Expected is what the stages give
// one by one when the host tells them each length and its budget, for the whole batch, which have checks of their own:
// output and log-sum-exp must have the same bits, and so must scores and lists of the stages that are given the lengths
// themselves. Keys behind a length are real ones, so that one that is counted, selected or attended to shows; a score
// behind it keeps its poison. Short sequences that are attended to whole have no scores, empty lists, and the output of a list
// of all their keys. Of a kv head's list by the signed rule the steps whose budget follows the length are given log-sum-exps.
#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <memory>
#include <numeric>

#include "gpu/check/device/captured_graph.hpp"
#include "gpu/check/device/operations.hpp"
#include "gpu/check/operations/checks.hpp"
#include "gpu/check/problems/step_lengths.hpp"
#include "gpu/functors/half_table.hpp"

namespace skt::gpu {
namespace {

using Lists = std::vector<std::int32_t>;

// What the stages give where all sequences have one length, which the host tells them.
struct OfLength {
  std::vector<float> scores;  // [rows of lists, capacity]
  Lists selected, counts;     // [rows of lists, list], [rows of lists]
  std::vector<float> output, log_sum_exp;
};

class Lengths {
 public:
  Lengths(const Library& library, const CheckCase& c, std::int64_t sparsity, DeviceProblem& device, DeviceIndex& index,
          DevicePages* pages, Comparison& result)
      : library_(library),
        c_(c),
        sparsity_(sparsity),
        device_(device),
        index_(index),
        pages_(pages),
        result_(result),
        halves_(c.rows() * c.tables * half_table_entries(c.code_bits())),
        workspace_(decode_step_workspace(library, c)),
        lengths_(c.batch),
        output_(c.rows() * c.dim),
        log_sum_exp_(c.rows()) {
    half_tables(library, c, device, halves_);
  }

  // A graph of one step, replayed for each of the lengths in turn, on a workspace of NaN and on what the last one left.
  void in_one_graph(const std::vector<StepLengths>& steps) {
    CapturedGraph graph([&](cudaStream_t stream) { step(output_, log_sum_exp_, stream); });
    bool poisons = true;
    for (const StepLengths& lengths : steps) {
      set_lengths(lengths);
      output_.poison();
      log_sum_exp_.poison();
      if (poisons) workspace_.poison();
      poisons = !poisons;
      require(cudaDeviceSynchronize(), "poison");
      graph.launch();
      graph.wait();
      compare("in a graph", lengths, output_, log_sum_exp_);
    }
  }

  // One graph of all steps, nothing waited for in between: the lengths of the next are written right behind a step.
  void one_behind_another(const std::vector<StepLengths>& steps) {
    std::vector<std::unique_ptr<DeviceArray<std::int32_t>>> given;
    std::vector<std::unique_ptr<DeviceArray<float>>> outputs, logs;
    for (const StepLengths& lengths : steps) {
      given.push_back(std::make_unique<DeviceArray<std::int32_t>>(lengths));
      outputs.push_back(std::make_unique<DeviceArray<float>>(output_.size()));
      logs.push_back(std::make_unique<DeviceArray<float>>(log_sum_exp_.size()));
    }
    workspace_.poison();
    require(cudaDeviceSynchronize(), "poison");
    CapturedGraph graph([&](cudaStream_t stream) {
      for (std::size_t s = 0; s < steps.size(); ++s) {
        require(cudaMemcpyAsync(lengths_.data(), given[s]->data(), lengths_.bytes(), cudaMemcpyDeviceToDevice, stream),
                "lengths");
        step(*outputs[s], *logs[s], stream);
      }
    });
    graph.launch();
    graph.wait();
    for (std::size_t s = 0; s < steps.size(); ++s) compare("behind another", steps[s], *outputs[s], *logs[s]);
  }

  // The stages that take lengths, one by one.
  void of_stages(const StepLengths& lengths) {
    DeviceArray<float> scores(c_.list_rows() * c_.capacity);
    DeviceArray<std::int32_t> selected(c_.list_rows() * c_.list()), counts(c_.list_rows());
    set_lengths(lengths);
    skt_score_packed_args score = score_packed_arguments(c_, device_, index_, halves_, scores.data());
    score.sequences.lengths = lengths_.data();
    score.log_sums = log_sums();
    call(library_.score_packed, score);
    compare_scores(lengths, scores.to_host());
    if (c_.dense > 0) {  // lists of whole sequences are empty, whatever scores there are
      score.sequences.dense_up_to = 0;
      call(library_.score_packed, score);
    }
    skt_select_keys_args select = select_arguments(c_, scores.data(), selected, counts);
    select.sequences.lengths = lengths_.data();
    select.list.sparsity = sparsity_;
    call(library_.select_keys, select);
    compare_lists(lengths, selected.to_host(), counts.to_host());
  }

 private:
  void step(DeviceArray<float>& output, DeviceArray<float>& log_sum_exp, cudaStream_t stream) {
    skt_decode_step_args args = decode_arguments(c_, device_, index_, workspace_, output, pages_);
    args.sequences.lengths = lengths_.data();
    args.list.sparsity = sparsity_;
    args.log_sum_exp = log_sum_exp.data();
    args.log_sums = log_sums();
    call(library_.decode_step, args, stream);
  }

  const float* log_sums() { return sparsity_ != 0 && c_.weighs_heads() ? device_.log_sums.data() : nullptr; }
  bool is_whole(std::int64_t length) const { return length <= c_.dense; }

  void set_lengths(const StepLengths& lengths) {
    require(cudaMemcpy(lengths_.data(), lengths.data(), lengths_.bytes(), cudaMemcpyHostToDevice), "lengths");
  }

  const OfLength& of(std::int64_t length) {
    const auto known = known_.find(length);
    return known != known_.end() ? known->second : known_.emplace(length, told(length)).first->second;
  }

  OfLength told(std::int64_t length) {
    CheckCase of_length = c_;
    of_length.keys = length;
    of_length.budget = expected_budget(c_, length, sparsity_);
    of_length.dense = 0;
    const std::int64_t rows = c_.list_rows();
    DeviceArray<float> scores(rows * c_.capacity), output(output_.size()), log_sum_exp(c_.rows());
    DeviceArray<std::int32_t> selected(rows * of_length.list()), counts(rows);
    skt_score_packed_args score = score_packed_arguments(of_length, device_, index_, halves_, scores.data());
    score.log_sums = log_sums();
    call(library_.score_packed, score);
    select_keys(library_, of_length, scores, selected, counts);
    OfLength told = {scores.to_host(), widened(selected.to_host(), of_length.list()), counts.to_host(), {}, {}};
    CheckCase attended = of_length;
    attended.budget = c_.budget;
    Lists attended_keys = told.selected, attended_counts = told.counts;
    if (length > 0 && is_whole(length)) {  // over lists that have room for any whole sequence
      attended.budget = std::min(c_.dense, c_.keys) - c_.sink - c_.window;
      attended_keys.assign(rows * attended.list(), -1);
      attended_counts.assign(rows, static_cast<std::int32_t>(length));
      for (std::int64_t row = 0; row < rows; ++row)
        std::iota(attended_keys.begin() + row * attended.list(), attended_keys.begin() + row * attended.list() + length,
                  0);
      told.scores.assign(told.scores.size(), std::nanf(""));
      told.selected.assign(told.selected.size(), -1);
      told.counts.assign(rows, 0);
    }
    DeviceArray<std::int32_t> lists(attended_keys), list_counts(attended_counts);
    sparse_attention(library_, attended, device_, lists, list_counts, output, log_sum_exp, pages_);
    told.output = output.to_host();
    told.log_sum_exp = log_sum_exp.to_host();
    return told;
  }

  // Lists of `width` entries in the room that the largest budget takes.
  Lists widened(const Lists& lists, std::int64_t width) const {
    Lists wide(c_.list_rows() * c_.list(), -1);
    for (std::int64_t at = 0; at < std::ssize(lists); ++at) wide[at / width * c_.list() + at % width] = lists[at];
    return wide;
  }

  void compare(const char* how, const StepLengths& lengths, const DeviceArray<float>& output,
               const DeviceArray<float>& log_sum_exp) {
    const std::vector<float> got = output.to_host(), logs = log_sum_exp.to_host();
    const std::string output_text = std::string("output ") + how, log_text = std::string("log_sum_exp ") + how;
    for (std::int64_t row = 0; row < c_.rows(); ++row) {
      const OfLength& expected = of(lengths[row / c_.heads]);
      for (std::int64_t at = row * c_.dim; at < (row + 1) * c_.dim; ++at) {
        result_.equal(output_text.c_str(), at, got[at], expected.output[at]);
      }
      result_.equal(log_text.c_str(), row, logs[row], expected.log_sum_exp[row]);
    }
  }

  void compare_scores(const StepLengths& lengths, const std::vector<float>& got) {
    for (std::int64_t row = 0; row < c_.list_rows(); ++row) {
      const std::int64_t length = lengths[row / c_.list_heads()];
      const OfLength& expected = of(length);
      for (std::int64_t key = 0; key < c_.capacity; ++key) {
        const std::int64_t at = row * c_.capacity + key;
        const bool counts = key < length;
        result_.equal(counts ? "score" : "score behind the length", at, got[at],
                      counts ? expected.scores[at] : std::nan(""));
      }
    }
  }

  void compare_lists(const StepLengths& lengths, const Lists& selected, const Lists& counts) {
    for (std::int64_t row = 0; row < c_.list_rows(); ++row) {
      const OfLength& expected = of(lengths[row / c_.list_heads()]);
      result_.equal("count", row, counts[row], expected.counts[row]);
      for (std::int64_t at = row * c_.list(); at < (row + 1) * c_.list(); ++at) {
        result_.equal("selected", at, selected[at], expected.selected[at]);
      }
    }
  }

  const Library& library_;
  const CheckCase& c_;
  std::int64_t sparsity_;
  DeviceProblem& device_;
  DeviceIndex& index_;
  DevicePages* pages_;
  Comparison& result_;
  DeviceArray<float> halves_;
  Bytes workspace_;
  DeviceArray<std::int32_t> lengths_;
  DeviceArray<float> output_, log_sum_exp_;
  std::map<std::int64_t, OfLength> known_;  // by length
};

// A sanitizer needs each way once: the first lengths, all empty, and the last.
std::vector<StepLengths> steps_of(const CheckCase& c) {
  std::vector<StepLengths> steps = lengths_of_steps(c);
  if (memory_of_checks == Memory::bare) return {steps.front(), StepLengths(c.batch, 0), steps.back()};
  return steps;
}

}  // namespace

Comparison check_lengths(const Library& library, const CheckCase& c) {
  const Problem problem = make_problem(c);
  DeviceProblem device(c, problem);
  DeviceIndex index(c);
  index.build(library, c, device);
  std::unique_ptr<DevicePages> pages;
  if (c.paged()) pages = std::make_unique<DevicePages>(c, problem, paged_cache(c, problem));
  const std::vector<StepLengths> steps = steps_of(c);
  Comparison result;
  for (const Operation rule : rules_of(c)) {
    CheckCase by_rule = c;
    by_rule.operation = rule;
    for (const std::int64_t sparsity : {0, 9}) {
      Lengths lengths(library, by_rule, sparsity, device, index, pages.get(), result);
      for (const StepLengths& step : steps) lengths.of_stages(step);
      lengths.in_one_graph(steps);
      lengths.one_behind_another(steps);
    }
  }
  return result;
}

}  // namespace skt::gpu
