// Does one captured step serve every length, are several query rows of a sequence in one step what steps of one row
// each are at the lengths that the rows see, and do scores and steps over an index in pages have the bits of those
// without?
//
// Sequences of a batch have lengths of their own, which the graph finds in device memory: around a tile, sink and
// window, none, all, and growing by a token a step. By both rules, with a budget that is a count and with one that
// follows the length, and once by one number that the host tells. Expected of a query row is what the stages give one
// by one for its query alone when the host tells them its length and budget, for the whole batch and without pages,
// which have checks of their own: output and log-sum-exp must have the same bits, and so must scores and lists of the
// stages that are given all rows and the lengths themselves. Keys behind a length are real ones, so that one that is
// counted, selected or attended to shows; a score behind it keeps its poison. Sequences that are attended to whole
// have no scores, empty lists, and the output of a list of all keys that a row sees. Of a kv head's list by the
// signed rule the steps whose budget follows the length are given log-sum-exps.
//
// Where pages are whole tiles packed codes, norms and masks stand in pages by an order drawn from the seed, counted
// on the host (references/paged_index.hpp); sequences begin with keys in common, whose pages they share; pages that
// nobody has are garbage; entries of blocks behind a sequence are -1, which no call may read.
#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <memory>
#include <numeric>
#include <tuple>

#include "gpu/check/device/captured_graph.hpp"
#include "gpu/check/device/operations.hpp"
#include "gpu/check/operations/checks.hpp"
#include "gpu/check/problems/step_lengths.hpp"
#include "gpu/functors/packed_codes.hpp"

namespace skt::gpu {
namespace {

using Numbers = std::vector<std::int32_t>;

Problem problem_of(const CheckCase& c) {
  const Problem problem = make_problem(c);
  return c.paged() ? with_common_keys(c, problem) : problem;
}

// What all query rows share, and the queries of all and of each.
struct Inputs {
  Inputs(const Library& library, const CheckCase& c) : problem(problem_of(c)), index(c) {
    const Problem of_all = with_queries_of_rows(c, problem);
    all = std::make_unique<DeviceProblem>(c, of_all);
    index.build(library, c, *all);
    for (std::int64_t r = 0; r < c.query_rows; ++r) {
      Problem one = problem;
      for (std::int64_t row = 0; row < c.rows(); ++row) {
        const std::int64_t of = (row / c.heads * c.query_rows + r) * c.heads + row % c.heads;
        std::ranges::copy(float_row(of_all.queries, of, c.dim), one.queries.begin() + row * c.dim);
        one.log_sums[row] = of_all.log_sums[of];
      }
      of_row.push_back(std::make_unique<DeviceProblem>(c, one));
    }
    if (!c.paged()) return;
    pages = std::make_unique<DevicePages>(c, problem, with_shared_pages(c, paged_cache(c, problem)));
    if (c.page_size < kTileKeys) return;
    paged = std::make_unique<DevicePagedIndex>(
        index_in_pages(c, problem, pages->shape, index.packed.to_host(), index.norms.to_host()));
  }

  Problem problem;
  DeviceIndex index;
  std::unique_ptr<DeviceProblem> all;
  std::vector<std::unique_ptr<DeviceProblem>> of_row;
  std::unique_ptr<DevicePages> pages;
  std::unique_ptr<DevicePagedIndex> paged;  // null where a page does not hold whole tiles
};

class Rows {
 public:
  Rows(const Library& library, const CheckCase& c, std::int64_t sparsity, Inputs& inputs, Comparison& result)
      : library_(library),
        c_(c),
        sparsity_(sparsity),
        inputs_(inputs),
        result_(result),
        all_(c),
        workspace_(decode_step_workspace(library, c)),
        lengths_(c.batch),
        table_(inputs.paged == nullptr ? 0 : std::ssize(inputs.pages->shape.table)) {}

  // A graph of one step, replayed for each of the lengths in turn, on a workspace of NaN and on what the last one left:
  // the last step finds scores of every key there.
  void in_one_graph(const std::vector<StepLengths>& steps) {
    CapturedGraph graph([&](cudaStream_t stream) { step(lengths_.data(), all_, stream); });
    bool poisons = true;
    for (const StepLengths& lengths : steps) {
      set(lengths);
      all_.poison_results();
      if (poisons && &lengths != &steps.back()) poison_all(workspace_);
      poisons = !poisons;
      graph.launch();
      graph.wait();
      compare_outputs("of the step", lengths, all_.results_to_host());
      stages(lengths_.data(), lengths);
    }
  }

  // One graph of all steps, nothing waited for in between: the lengths of the next are written right behind a step.
  void one_behind_another(const std::vector<StepLengths>& steps) {
    std::vector<std::unique_ptr<DeviceArray<std::int32_t>>> given;
    std::vector<std::unique_ptr<Stages>> results;
    for (const StepLengths& lengths : steps) {
      given.push_back(std::make_unique<DeviceArray<std::int32_t>>(lengths));
      results.push_back(std::make_unique<Stages>(c_));
    }
    poison_all(workspace_);
    CapturedGraph graph([&](cudaStream_t stream) {
      for (std::size_t s = 0; s < steps.size(); ++s) {
        require(cudaMemcpyAsync(lengths_.data(), given[s]->data(), lengths_.bytes(), cudaMemcpyDeviceToDevice, stream),
                "lengths");
        step(lengths_.data(), *results[s], stream, Lists::handed_out);
      }
    });
    graph.launch();
    graph.wait();
    for (std::size_t s = 0; s < steps.size(); ++s) {
      const HostStages got = results[s]->results_to_host();
      compare_outputs("behind another", steps[s], got);
      compare_lists(steps[s], got);
    }
  }

  // Of sequences that all have the keys that the host tells.
  void without_lengths() {
    const StepLengths lengths(c_.batch, static_cast<std::int32_t>(c_.keys));
    set(lengths);
    all_.poison_results();
    poison_all(workspace_);
    step(nullptr, all_, nullptr, Lists::handed_out);
    const HostStages got = all_.results_to_host();
    compare_outputs("of the step without lengths", lengths, got);
    compare_lists(lengths, got);
    stages(nullptr, lengths);
  }

 private:
  const float* log_sums(DeviceProblem& device) const {
    return sparsity_ != 0 && c_.weighs_heads() ? device.log_sums.data() : nullptr;
  }
  Given given(const std::int32_t* lengths) {
    return {lengths, sparsity_, log_sums(*inputs_.all), inputs_.pages.get(), inputs_.paged.get(), &table_};
  }

  enum class Lists { kept, handed_out };
  void step(const std::int32_t* lengths, Stages& out, cudaStream_t stream, Lists lists = Lists::kept) {
    skt_decode_step_args args =
        decode_arguments(c_, *inputs_.all, inputs_.index, workspace_, out.output, given(lengths));
    args.log_sum_exp = out.log_sum_exp.data();
    if (lists == Lists::handed_out) {
      args.selected = out.selected.data();
      args.list_counts = out.counts.data();
    }
    call(library_.decode_step, args, stream);
  }

  // All rows by the stages.
  void stages(const std::int32_t* lengths, const StepLengths& of) {
    run_stages(library_, c_, *inputs_.all, inputs_.index, given(lengths), all_);
    const HostStages got = all_.to_host();
    compare_outputs("of the stage", of, got);
    compare_scores(of, got);
    compare_lists(of, got);
    if (c_.dense == 0) return;  // else lists of whole sequences are empty whatever scores there are
    CheckCase scored = c_;
    scored.dense = 0;
    call(library_.score_packed,
         score_packed_arguments(scored, *inputs_.all, inputs_.index, all_.halves, all_.scores.data(), given(lengths)));
    call(library_.select_keys, select_arguments(c_, all_.scores.data(), all_.selected, all_.counts, given(lengths)));
    compare_lists(of, all_.to_host());
  }

  // Entries of blocks behind a length are -1.
  void set(const StepLengths& lengths) {
    lengths_.set(lengths);
    if (table_.size() != 0) table_.set(table_of(inputs_.pages->shape, lengths));
  }

  // What a query row of all sequences gives that sees so many keys, of a sequence that is attended to whole or not.
  const HostStages& told(std::int64_t query_row, std::int64_t length, bool whole) {
    const auto [known, is_new] = told_.try_emplace({query_row, length, whole});
    if (is_new) known->second = stages_told(*inputs_.of_row[query_row], length, whole && length > 0);
    return known->second;
  }

  HostStages stages_told(DeviceProblem& device, std::int64_t length, bool whole) {
    CheckCase of_length = c_;
    of_length.query_rows = 1;
    of_length.keys = length;
    of_length.budget = expected_budget(c_, length, sparsity_);
    of_length.dense = 0;
    Stages out(of_length);
    half_tables(library_, of_length, device, out.halves);
    call(library_.score_packed, score_packed_arguments(of_length, device, inputs_.index, out.halves, out.scores.data(),
                                                       {.log_sums = log_sums(device)}));
    call(library_.select_keys, select_arguments(of_length, out.scores.data(), out.selected, out.counts));
    HostStages told = out.to_host();
    told.selected = widened(told.selected, of_length.list());
    CheckCase attended = of_length;
    attended.budget = c_.budget;
    Numbers keys = told.selected, counts = told.counts;
    if (whole) {  // over lists that have room for any whole sequence
      attended.budget = std::min(c_.dense, c_.keys) - c_.sink - c_.window;
      keys.assign(c_.list_rows() * attended.list(), -1);
      for (std::int64_t row = 0; row < c_.list_rows(); ++row) {
        const auto list = keys.begin() + row * attended.list();
        std::iota(list, list + length, 0);
      }
      std::ranges::fill(counts, static_cast<std::int32_t>(length));
      std::ranges::fill(told.scores, std::nanf(""));
      std::ranges::fill(told.selected, -1);
      std::ranges::fill(told.counts, 0);
    }
    DeviceArray<std::int32_t> lists(keys), list_counts(counts);
    sparse_attention(library_, attended, device, lists, list_counts, out.output, out.log_sum_exp);
    told.output = out.output.to_host();
    told.log_sum_exp = out.log_sum_exp.to_host();
    return told;
  }

  // Lists of `width` entries in the room that the largest budget takes.
  Numbers widened(const Numbers& lists, std::int64_t width) const {
    Numbers wide(c_.list_rows() * c_.list(), -1);
    for (std::int64_t at = 0; at < std::ssize(lists); ++at) wide[at / width * c_.list() + at % width] = lists[at];
    return wide;
  }

  // Visits (row of all rows of so many heads, what is expected of its query row, row there, keys that it sees). Attended to
  // whole is a row whose sequence is, whatever the row sees of it.
  template <class Visit>
  void for_each_row(std::int64_t heads, const StepLengths& lengths, Visit&& visit) {
    for (std::int64_t row = 0; row < c_.batch * c_.query_rows * heads; ++row) {
      const std::int64_t sequence = row / heads / c_.query_rows, query_row = row / heads % c_.query_rows;
      const std::int64_t seen = lengths_seen(c_, lengths, query_row)[sequence];
      visit(row, told(query_row, seen, lengths[sequence] <= c_.dense), sequence * heads + row % heads, seen);
    }
  }

  void compare_outputs(const std::string& how, const StepLengths& lengths, const HostStages& got) {
    const std::string output_text = "output " + how, log_text = "log_sum_exp " + how;
    for_each_row(c_.heads, lengths, [&](std::int64_t row, const HostStages& expected, std::int64_t in_one, auto) {
      for (std::int64_t d = 0; d < c_.dim; ++d) {
        const std::int64_t at = row * c_.dim + d;
        result_.equal(output_text.c_str(), at, got.output[at], expected.output[in_one * c_.dim + d]);
      }
      result_.equal(log_text.c_str(), row, got.log_sum_exp[row], expected.log_sum_exp[in_one]);
    });
  }

  void compare_scores(const StepLengths& lengths, const HostStages& got) {
    const auto compare = [&](std::int64_t row, const HostStages& expected, std::int64_t in_one, std::int64_t seen) {
      for (std::int64_t key = 0; key < c_.capacity; ++key) {
        const std::int64_t at = row * c_.capacity + key;
        const bool is_seen = key < seen;
        result_.equal(is_seen ? "score" : "score of a key not seen", at, got.scores[at],
                      is_seen ? expected.scores[in_one * c_.capacity + key] : std::nan(""));
      }
    };
    for_each_row(c_.list_heads(), lengths, compare);
  }

  void compare_lists(const StepLengths& lengths, const HostStages& got) {
    for_each_row(c_.list_heads(), lengths,
                 [&](std::int64_t row, const HostStages& expected, std::int64_t in_one, auto) {
                   result_.equal("count", row, got.counts[row], expected.counts[in_one]);
                   for (std::int64_t i = 0; i < c_.list(); ++i) {
                     const std::int64_t at = row * c_.list() + i;
                     result_.equal("selected", at, got.selected[at], expected.selected[in_one * c_.list() + i]);
                   }
                 });
  }

  const Library& library_;
  const CheckCase& c_;
  std::int64_t sparsity_;
  Inputs& inputs_;
  Comparison& result_;
  Stages all_;
  Bytes workspace_;
  DeviceArray<std::int32_t> lengths_, table_;
  std::map<std::tuple<std::int64_t, std::int64_t, bool>, HostStages> told_;
};

// A sanitizer needs each way once: the first lengths, all empty, and the last.
Comparison check_rows(const Library& library, const CheckCase& c, std::vector<StepLengths> steps) {
  Inputs inputs(library, c);
  if (memory_of_checks == Memory::bare) steps = {steps.front(), StepLengths(c.batch, 0), steps.back()};
  Comparison result;
  for (const Operation rule : rules_of(c)) {
    CheckCase by_rule = c;
    by_rule.operation = rule;
    for (const std::int64_t sparsity : {0, 9}) {
      Rows rows(library, by_rule, sparsity, inputs, result);
      rows.in_one_graph(steps);
      if (c.operation == Operation::decode_lengths) rows.one_behind_another(steps);
      rows.without_lengths();
    }
  }
  return result;
}

}  // namespace

Comparison check_lengths(const Library& library, const CheckCase& c) {
  return check_rows(library, c, lengths_of_steps(c));
}

Comparison check_query_rows(const Library& library, const CheckCase& c) {
  return check_rows(library, c, lengths_of_query_rows(c));
}

Comparison check_paged_index(const Library& library, const CheckCase& c) {
  Comparison result;
  const bool whole_tiles = c.paged() && c.page_size >= kTileKeys;
  result.holds("case with pages of whole tiles", 0, whole_tiles);
  if (!whole_tiles) return result;
  CheckCase of_type = c;  // the pages hold numbers of the case's type
  of_type.cache = CacheForm::of_type;
  return check_rows(library, of_type, lengths_of_steps(c));
}

}  // namespace skt::gpu
