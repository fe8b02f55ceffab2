// Is a step over the keys of several ranks the step over all of them?
//
// By both rules. Virtual ranks on one GPU, each with a cache and an index of its own run of the keys; from the query to
// the output of merged parts in one captured graph, which is replayed 25 times for lengths that change, every second
// time on memory of NaN. Scores of each rank must have the bits of those of all keys, counts of the first digit, made
// with the scores, be the twin's, and the lists of the ranks together the list of all keys. The output must be what the
// twin merges of the parts, softmax attention over that list within the bound of gpu/attention/merge_parts.cu, and the
// same in a second run. Of a kv head's list by the signed rule all ranks are given the same log-sum-exps. Where all keys are on one rank, whichever, it must have the bits of skt_sparse_attention.
#include <algorithm>
#include <iterator>
#include <memory>

#include "gpu/check/device/captured_graph.hpp"
#include "gpu/check/device/operations.hpp"
#include "gpu/check/device/sharded_selection.hpp"
#include "gpu/check/device/virtual_ranks.hpp"
#include "gpu/check/operations/checks.hpp"
#include "gpu/check/references/attention.hpp"
#include "gpu/check/references/listed_keys.hpp"
#include "gpu/check/references/shards.hpp"
#include "gpu/functors/shards.hpp"
#include "sim/number.hpp"

namespace skt::gpu {
namespace {

constexpr std::int64_t kReplays = 25;

// Budgets follow the length, but one of most keys, which reaches scores below 0 by the signed rule.
std::int64_t sparsity_of(const CheckCase& c) {
  return 2 * c.budget > c.keys ? 0 : 9;
}

// The stages over all keys, one by one, for lengths that the device reads; which have checks of their own.
struct WholeStep : HostStages {
  std::vector<AttentionReference> references{};  // [rows]
};

WholeStep whole_step(const Library& library, const CheckCase& c, Indexed& indexed, const StepLengths& given,
                     Comparison& result) {
  const DeviceArray<std::int32_t> lengths(given);
  Stages stages(c);
  run_stages(library, c, indexed.device, indexed.index,
             {.lengths = lengths.data(),
              .sparsity = sparsity_of(c),
              .log_sums = c.weighs_heads() ? indexed.device.log_sums.data() : nullptr},
             stages);
  WholeStep whole = {stages.to_host()};
  CheckCase wide = c;  // 2 u to a rank more than the bound of one list
  wide.budget += 2 * kMostCheckedRanks;
  for (std::int64_t row = 0; row < c.rows(); ++row) {
    const auto list = listed_keys(c.keys, whole.selected, whole.counts, c.list(), row / c.heads_of_list(), result);
    whole.references.push_back(attention_reference(wide, indexed.problem, row, list));
  }
  return whole;
}

// What a rank has beside its scores and lists.
struct Rank {
  Rank(const Library& library, const CheckCase& whole, const Problem& problem, const Run& own)
      : run(own),
        c(case_of_run(whole, own)),
        device(c, problem_of_run(whole, problem, own)),
        index(c),
        halves(half_table_floats(c)),
        lengths(c.batch),
        part(c.rows() * (c.dim + 2)),
        workspace(attention_workspace(library, attention_sizes(c))) {
    if (run.keys > 0) index.build(library, c, device);
  }

  Run run;
  CheckCase c;
  DeviceProblem device;
  DeviceIndex index;
  DeviceArray<float> halves;
  DeviceArray<std::int32_t> lengths;
  DeviceArray<float> part;
  Bytes workspace;
};

class ShardedStep {
 public:
  ShardedStep(const Library& library, const CheckCase& c, const Problem& problem, const Runs& runs, Comparison& result)
      : library_(library),
        c_(c),
        lengths_(c.batch),
        gathered_(std::ssize(runs) * c.rows() * (c.dim + 2)),
        output_(c.rows() * c.dim),
        log_sum_exp_(c.rows()),
        result_(result) {
    std::vector<std::int64_t> capacities;
    for (const Run& run : runs) {
      ranks_.push_back(std::make_unique<Rank>(library, c, problem, run));
      capacities.push_back(ranks_.back()->c.capacity);
    }
    ShardedRows of = {shape_of_lists(c), {.used = c.keys, .lengths = lengths_.data()}, list_of(c)};
    of.list.sparsity = sparsity_of(c);
    selection_ = std::make_unique<ShardedSelection>(library, of, runs, capacities);
    for (const Run& run : runs) all_on_one_rank_ |= run.keys == c.keys;
  }

  void replay(const std::vector<StepLengths>& steps, const std::vector<WholeStep>& whole, std::int64_t replays) {
    CapturedGraph graph([&](cudaStream_t stream) { step(stream); });
    std::vector<std::vector<float>> seen(steps.size());
    for (std::int64_t i = 0; i < replays; ++i) {
      const std::size_t s = i % steps.size();
      set_lengths(steps[s]);
      if (i % 2 == 0) poison();
      poison_all(output_, log_sum_exp_);
      graph.launch();
      graph.wait();
      compare(whole[s]);
      const std::vector<float> output = output_.to_host();
      if (seen[s].empty()) seen[s] = output;
      result_.same_bits("output of a second replay", output, seen[s]);
    }
    set_lengths(steps.front());
    require(cudaDeviceSynchronize(), "lengths");
    step(nullptr);
    compare(whole.front());
    result_.same_bits("output without a graph", output_.to_host(), seen.front());
  }

 private:
  void step(cudaStream_t stream) {
    std::vector<float*> parts;
    for (std::int64_t r = 0; r < std::ssize(ranks_); ++r) score(*ranks_[r], selection_->rank(r), stream);
    selection_->select(stream, true);
    for (std::int64_t r = 0; r < std::ssize(ranks_); ++r) {
      attend(*ranks_[r], selection_->rank(r), stream);
      parts.push_back(ranks_[r]->part.data());
    }
    if (parts.size() > 1) all_gather(parts, c_.rows() * (c_.dim + 2), gathered_.data(), stream);
    call(library_.merge_parts,
         {.parts = gathered().data(),
          .output = output_.data(),
          .log_sum_exp = log_sum_exp_.data(),
          .ranks = std::ssize(ranks_),
          .shape = shape_of(c_)},
         stream);
  }

  void score(Rank& rank, RankArrays& own, cudaStream_t stream) {
    skt_soft_buckets_args tables = half_table_arguments(rank.c, rank.device, rank.halves);
    // What skt_soft_buckets clears is [batch, heads, 2048]: of lists of kv heads that is more than there is.
    if (!c_.shares_lists()) tables.counts = own.counts.data();
    call(library_.soft_buckets, tables, stream);
    if (c_.shares_lists()) {
      const std::size_t bytes = c_.list_rows() * kShardBins * sizeof(std::int32_t);
      require(cudaMemsetAsync(own.counts.data(), 0, bytes, stream), "counts");
    }
    skt_score_packed_args args = score_packed_arguments(
        rank.c, rank.device, rank.index, rank.halves, own.scores.data(),
        {.lengths = rank.lengths.data(), .log_sums = c_.weighs_heads() ? rank.device.log_sums.data() : nullptr});
    args.counts = own.counts.data();
    args.first = rank.run.first;
    args.whole = c_.keys;
    args.list = list_of(c_);
    call(library_.score_packed, args, stream);
  }

  void attend(Rank& rank, RankArrays& listed, cudaStream_t stream) {
    skt_sparse_attention_args args = attention_arguments(rank.c, rank.device, listed.selected, listed.list_counts);
    args.workspace = rank.workspace.data();
    args.workspace_bytes = rank.workspace.size();
    args.part = rank.part.data();
    call(library_.sparse_attention, args, stream);
  }

  // All parts; of one rank its own, so that no copy stands between attention and the merge.
  const DeviceArray<float>& gathered() const { return ranks_.size() > 1 ? gathered_ : ranks_[0]->part; }

  void set_lengths(const StepLengths& lengths) {
    lengths_.set(lengths);
    for (const auto& rank : ranks_) rank->lengths.set(lengths_of_run(lengths, rank->run));
    given_ = lengths;
  }

  void poison() {
    selection_->poison();
    for (std::int64_t r = 0; r < std::ssize(ranks_); ++r) {
      selection_->rank(r).scores.poison();
      ranks_[r]->halves.poison();
      ranks_[r]->part.poison();
      ranks_[r]->workspace.poison();
    }
    gathered_.poison();
  }

  void compare(const WholeStep& whole) {
    compare_ranks(whole);
    const std::vector<std::int32_t> counted = selection_->rank(0).counts.to_host();
    for (std::int64_t row = 0; row < c_.list_rows(); row += c_.list_heads()) compare_first_digit(whole, counted, row);
    const std::vector<float> output = output_.to_host(), logs = log_sum_exp_.to_host();
    for (std::int64_t row = 0; row < c_.rows(); ++row) {
      const AttentionReference& reference = whole.references[row];
      compare_output(c_.dim, reference, row, output, result_);
      result_.within("log_sum_exp", row, logs[row], reference.log_sum_exp, reference.log_tolerance);
    }
    compare_merging(output);
    if (!all_on_one_rank_) return;
    result_.equal_all("output of all keys on one rank", output, whole.output);
    result_.equal_all("log_sum_exp of all keys on one rank", logs, whole.log_sum_exp);
  }

  // What was counted with the scores, summed over the ranks.
  void compare_first_digit(const WholeStep& whole, std::span<const std::int32_t> counted, std::int64_t row) {
    const std::int64_t length = std::min<std::int64_t>(given_[row / c_.list_heads()], c_.keys);
    const ShardRule rule = {length, 1, c_.sink, c_.window};  // some budget: of none nothing is counted
    const ShardScores all = {std::span(whole.scores).subspan(row * c_.capacity, c_.keys), {0, c_.keys}};
    result_.same_numbers("counts of the first digit", counted.subspan(row * kShardBins, kShardBins),
                         twin_shard_counts(all, rule, {}));
  }

  // Of the parts that were gathered, the output must be what the twin merges.
  void compare_merging(const std::vector<float>& output) {
    const std::vector<float> gathered = this->gathered().to_host();
    const std::int64_t width = c_.dim + 2;
    for (std::int64_t row = 0; row < c_.rows(); ++row) {
      std::vector<std::vector<float>> parts;
      for (std::int64_t r = 0; r < std::ssize(ranks_); ++r) {
        const auto begin = gathered.begin() + (r * c_.rows() + row) * width;
        parts.emplace_back(begin, begin + width);
      }
      result_.equal_all("output of merged parts", float_row(output, row, c_.dim), twin_merged_parts(parts).output,
                        row * c_.dim);
    }
  }

  void compare_ranks(const WholeStep& whole) {
    for (std::int64_t r = 0; r < std::ssize(ranks_); ++r) {
      const Run& run = ranks_[r]->run;
      RankArrays& own = selection_->rank(r);
      const std::vector<float> scores = own.scores.to_host();
      for (std::int64_t row = 0; row < c_.list_rows(); ++row) {
        const std::int64_t length = given_[row / c_.list_heads()];
        const std::int64_t here = std::min(std::max<std::int64_t>(length - run.first, 0), run.keys);
        result_.same_bits("scores of a rank", std::span(scores).subspan(row * own.capacity, here),
                          std::span(whole.scores).subspan(row * c_.capacity + run.first, here));
      }
    }
    selection_->compare_lists(whole.selected, whole.counts, result_);
  }

  const Library& library_;
  const CheckCase& c_;
  DeviceArray<std::int32_t> lengths_;
  std::vector<std::unique_ptr<Rank>> ranks_;
  std::unique_ptr<ShardedSelection> selection_;
  DeviceArray<float> gathered_, output_, log_sum_exp_;
  StepLengths given_;
  bool all_on_one_rank_ = false;
  Comparison& result_;
};

void check_rule(const Library& library, const CheckCase& c, Indexed& indexed, Comparison& result) {
  std::vector<StepLengths> steps = lengths_of_steps(c);
  const bool is_bare = memory_of_checks == Memory::bare;  // a sanitizer needs each way once
  const auto all = static_cast<std::int32_t>(c.keys);
  steps.push_back(StepLengths(c.batch, all + 5));  // counts as all: its window begins no later
  if (is_bare) steps = {StepLengths(c.batch, all)};
  std::vector<WholeStep> whole;
  for (const StepLengths& lengths : steps) whole.push_back(whole_step(library, c, indexed, lengths, result));
  for (const Runs& runs : checked_runs_of_steps(c.keys)) {
    ShardedStep step(library, c, indexed.problem, runs, result);
    step.replay(steps, whole, is_bare ? 1 : kReplays);
  }
}

}  // namespace

Comparison check_sharded_step(const Library& library, const CheckCase& c) {
  Indexed indexed(library, c);
  Comparison result;
  for (const Operation rule : rules_of(c)) {
    CheckCase by_rule = c;
    by_rule.operation = rule;
    check_rule(library, by_rule, indexed, result);
  }
  return result;
}

}  // namespace skt::gpu
