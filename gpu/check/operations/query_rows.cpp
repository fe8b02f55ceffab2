// Are several query rows of a sequence in one step what steps of one row each are, at the lengths that the rows see?
//
// By both rules, with a budget that is a count and with one that follows the length; with lengths on the device, in one
// captured step, and with one that the host tells all. Expected of a row is what the stages give one by one for its
// query alone and its own lengths, which have checks of their own: output and log-sum-exp must have the same bits, and
// so must scores, lists and attention of the stages that are given all rows. Where pages are whole tiles, what is given all
// rows finds its index in them too. Scores around the end of what a row sees are the host twin's too. Keys behind that are real ones, so that one that is counted, selected or attended to shows;
// a score there keeps its poison. Of a kv head's list by the signed rule the steps whose budget follows the length are given
// log-sum-exps.
#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <memory>

#include "gpu/check/device/captured_graph.hpp"
#include "gpu/check/device/device_paged_index.hpp"
#include "gpu/check/device/operations.hpp"
#include "gpu/check/operations/checks.hpp"
#include "gpu/check/problems/step_lengths.hpp"
#include "gpu/check/references/group_scores.hpp"
#include "gpu/check/references/host_twin.hpp"
#include "gpu/functors/half_score.hpp"
#include "gpu/functors/half_table.hpp"
#include "gpu/functors/packed_codes.hpp"

namespace skt::gpu {
namespace {

// What the stages leave, of the query rows of `of`: arrays on the device.
struct Stages {
  explicit Stages(const CheckCase& of)
      : halves(of.all_rows() * of.tables * half_table_entries(of.code_bits())),
        scores(of.all_list_rows() * of.capacity),
        selected(of.all_list_rows() * of.list()),
        counts(of.all_list_rows()),
        output(of.all_rows() * of.dim),
        log_sum_exp(of.all_rows()) {}

  DeviceArray<float> halves, scores;
  DeviceArray<std::int32_t> selected, counts;
  DeviceArray<float> output, log_sum_exp;
};

struct HostStages {
  explicit HostStages(const Stages& stages)
      : scores(stages.scores.to_host()),
        selected(stages.selected.to_host()),
        counts(stages.counts.to_host()),
        output(stages.output.to_host()),
        log_sum_exp(stages.log_sum_exp.to_host()) {}

  std::vector<float> scores;
  std::vector<std::int32_t> selected, counts;
  std::vector<float> output, log_sum_exp;
};

// What all query rows share, and the queries of all and of each.
struct RowInputs {
  RowInputs(const Library& library, const CheckCase& c) : problem(make_problem(c)), index(c) {
    CheckCase drawn = c;  // as many queries as all rows have
    drawn.heads = c.heads * c.query_rows;
    Problem of_all = problem;
    of_all.queries = make_problem(drawn).queries;
    of_all.log_sums = make_problem(drawn).log_sums;
    log_sums = of_all.log_sums;
    all = std::make_unique<DeviceProblem>(c, of_all);
    index.build(library, c, *all);
    const std::int64_t row = c.heads * c.dim;  // of one sequence
    for (std::int64_t r = 0; r < c.query_rows; ++r) {
      Problem one = problem;
      for (std::int64_t b = 0; b < c.batch; ++b) {
        const auto first = of_all.queries.begin() + (b * c.query_rows + r) * row;
        std::copy(first, first + row, one.queries.begin() + b * row);
        const auto sums = of_all.log_sums.begin() + (b * c.query_rows + r) * c.heads;
        std::copy(sums, sums + c.heads, one.log_sums.begin() + b * c.heads);
      }
      of_row.push_back(std::make_unique<DeviceProblem>(c, one));
    }
    if (!c.paged()) return;
    pages = std::make_unique<DevicePages>(c, problem, paged_cache(c, problem));
    if (c.page_size < kTileKeys) return;
    paged = std::make_unique<DevicePagedIndex>(
        index_in_pages(c, problem, pages->shape, index.packed.to_host(), index.norms.to_host()));
  }

  Problem problem;
  DeviceIndex index;
  std::vector<float> log_sums;  // [batch, query_rows, heads]
  std::unique_ptr<DeviceProblem> all;
  std::vector<std::unique_ptr<DeviceProblem>> of_row;
  std::unique_ptr<DevicePages> pages;
  std::unique_ptr<DevicePagedIndex> paged;  // null where a page does not hold whole tiles
};

CheckCase one_row_of(CheckCase c) {
  c.query_rows = 1;
  return c;
}

CheckCase without_dense(CheckCase c) {
  c.dense = 0;
  return c;
}

class QueryRows {
 public:
  QueryRows(const Library& library, const CheckCase& c, std::int64_t sparsity, RowInputs& inputs, Comparison& result)
      : library_(library),
        c_(c),
        one_(one_row_of(c)),
        listed_(without_dense(one_)),
        sparsity_(sparsity),
        inputs_(inputs),
        result_(result),
        all_(c),
        single_(one_),
        workspace_(decode_step_workspace(library, c)),
        lengths_(c.batch),
        table_(inputs.paged == nullptr ? 0 : std::ssize(inputs.pages->shape.table)),
        codes_(inputs.index.codes.to_host()),
        norms_(norms_to_host(c, inputs.index.norms)) {}

  // Of sequences as long as `lengths` say, on the device and in a graph.
  void in_one_graph(const std::vector<StepLengths>& steps) {
    CapturedGraph graph([&](cudaStream_t stream) { step(lengths_.data(), stream); });
    bool poisons = true;
    for (const StepLengths& lengths : steps) {
      expect(lengths);
      set(lengths);
      poison(poisons && &lengths != &steps.back());
      poisons = !poisons;
      graph.launch();
      graph.wait();
      compare_outputs("of the step");
      stages(c_, *inputs_.all, all_, lengths_.data(), inputs_.paged.get());
      compare_stages(lengths);
    }
  }

  // Of sequences that all have the keys that the host tells.
  void without_lengths() {
    const StepLengths lengths(c_.batch, static_cast<std::int32_t>(c_.keys));
    expect(lengths);
    set(lengths);
    poison(true);
    step(nullptr, nullptr);
    compare_outputs("of the step without lengths");
    stages(c_, *inputs_.all, all_, nullptr, inputs_.paged.get());
    compare_stages(lengths);
  }

 private:
  void step(const std::int32_t* lengths, cudaStream_t stream) {
    DevicePages* pages = inputs_.pages.get();
    skt_decode_step_args args = decode_arguments(c_, *inputs_.all, inputs_.index, workspace_, all_.output, pages);
    args.sequences.lengths = lengths;
    args.list.sparsity = sparsity_;
    args.log_sum_exp = all_.log_sum_exp.data();
    args.log_sums = log_sums(*inputs_.all);
    if (inputs_.paged != nullptr) {
      take_index(args, *inputs_.paged);
      args.paged_index = 1;
    }
    call(library_.decode_step, args, stream);
  }

  template <class Arguments>
  void take_index(Arguments& args, DevicePagedIndex& paged) {
    args.packed = paged.packed.data();
    args.norms = paged.norms.data();
    args.mask.allowed = paged.mask();
    args.paged = pages_of(inputs_.pages->shape, table_);
  }

  // `paged`: null, or the index that the scores are made from.
  void stages(const CheckCase& c, DeviceProblem& device, Stages& out, const std::int32_t* lengths,
              DevicePagedIndex* paged) {
    half_tables(library_, c, device, out.halves);
    out.scores.poison();
    skt_score_packed_args score = score_packed_arguments(c, device, inputs_.index, out.halves, out.scores.data());
    score.sequences.lengths = lengths;
    score.log_sums = log_sums(device);
    if (paged != nullptr) take_index(score, *paged);
    call(library_.score_packed, score);
    skt_select_keys_args select = select_arguments(c, out.scores.data(), out.selected, out.counts);
    select.sequences.lengths = lengths;
    select.list.sparsity = sparsity_;
    call(library_.select_keys, select);
    sparse_attention(library_, c, device, out.selected, out.counts, out.output, out.log_sum_exp, inputs_.pages.get(),
                     lengths);
  }

  const float* log_sums(DeviceProblem& device) const {
    return sparsity_ != 0 && c_.weighs_heads() ? device.log_sums.data() : nullptr;
  }

  // Entries of blocks behind a length are -1.
  void set(const StepLengths& lengths) {
    require(cudaMemcpy(lengths_.data(), lengths.data(), lengths_.bytes(), cudaMemcpyHostToDevice), "lengths");
    if (table_.size() == 0) return;
    const std::vector<std::int32_t> table = table_of(inputs_.pages->shape, lengths);
    require(cudaMemcpy(table_.data(), table.data(), table_.bytes(), cudaMemcpyHostToDevice), "table");
  }

  // The outputs, and the workspace where it is not to hold what the last step left: the last step, in which some rows see
  // nothing, finds scores of every key there.
  void poison(bool of_workspace) {
    all_.output.poison();
    all_.log_sum_exp.poison();
    if (of_workspace) workspace_.poison();
    require(cudaDeviceSynchronize(), "poison");
  }

  void expect(const StepLengths& lengths) {
    expected_.clear();
    listed_rows_.clear();
    for (std::int64_t r = 0; r < c_.query_rows; ++r) {
      set(lengths_seen(c_, lengths, r));
      stages(one_, *inputs_.of_row[r], single_, lengths_.data(), nullptr);
      expected_.emplace_back(single_);
      if (c_.dense == 0) continue;
      stages(listed_, *inputs_.of_row[r], single_, lengths_.data(), nullptr);
      listed_rows_.emplace_back(single_);
    }
    is_whole_.clear();
    for (const std::int32_t length : lengths) is_whole_.push_back(length <= c_.dense);
  }

  // Of a query row of a sequence: attended to whole where the sequence is, whatever the row sees of it.
  const HostStages& expected_of(std::int64_t query_row, std::int64_t sequence) const {
    return c_.dense == 0 || is_whole_[sequence] ? expected_[query_row] : listed_rows_[query_row];
  }

  // Visits (row of all rows of so many heads, what is expected of its query row, row there, query row).
  template <class Visit>
  void for_each_row(std::int64_t heads, Visit&& visit) const {
    for (std::int64_t row = 0; row < c_.batch * c_.query_rows * heads; ++row) {
      const std::int64_t sequence = row / heads / c_.query_rows;
      const std::int64_t query_row = row / heads % c_.query_rows;
      visit(row, expected_of(query_row, sequence), sequence * heads + row % heads, query_row);
    }
  }

  void compare_outputs(const std::string& how) {
    const std::vector<float> got = all_.output.to_host(), logs = all_.log_sum_exp.to_host();
    const std::string output_text = "output " + how, log_text = "log_sum_exp " + how;
    for_each_row(c_.heads, [&](std::int64_t row, const HostStages& expected, std::int64_t in_one, std::int64_t) {
      for (std::int64_t d = 0; d < c_.dim; ++d) {
        result_.equal(output_text.c_str(), row * c_.dim + d, got[row * c_.dim + d],
                      expected.output[in_one * c_.dim + d]);
      }
      result_.equal(log_text.c_str(), row, logs[row], expected.log_sum_exp[in_one]);
    });
  }

  void compare_stages(const StepLengths& lengths) {
    const HostStages got(all_);
    compare_outputs("of the stage");
    const auto compare = [&](std::int64_t row, const HostStages& expected, std::int64_t in_one,
                             std::int64_t query_row) {
      const std::int64_t seen = lengths_seen(c_, lengths, query_row)[in_one / c_.list_heads()];
      for (std::int64_t key = 0; key < c_.capacity; ++key) {
        const std::int64_t at = row * c_.capacity + key;
        const bool is_seen = key < seen;
        result_.equal(is_seen ? "score" : "score of a key not seen", at, got.scores[at],
                      is_seen ? expected.scores[in_one * c_.capacity + key] : std::nan(""));
      }
      result_.equal("count", row, got.counts[row], expected.counts[in_one]);
      for (std::int64_t i = 0; i < c_.list(); ++i) {
        result_.equal("selected", row * c_.list() + i, got.selected[row * c_.list() + i],
                      expected.selected[in_one * c_.list() + i]);
      }
    };
    for_each_row(c_.list_heads(), compare);
    if (library_.agreement == Agreement::bitwise) compare_twins(lengths, got.scores);
  }

  // Both ends of what each of some rows sees.
  void compare_twins(const StepLengths& lengths, const std::vector<float>& scores) {
    const std::vector<float> halves = all_.halves.to_host();
    const std::int64_t entries = c_.tables * half_table_entries(c_.code_bits());
    const std::int64_t heads = c_.list_heads(), of_list = c_.heads_of_list();
    for (const std::int64_t row : sampled_rows(c_.all_list_rows())) {
      const std::int64_t sequence = row / heads / c_.query_rows;
      const std::int64_t head = row % heads * of_list;  // the first of the list
      const std::int64_t seen = lengths_seen(c_, lengths, row / heads % c_.query_rows)[sequence];
      if (is_whole_[sequence]) continue;
      for (const std::int64_t key : {std::int64_t{0}, seen - 2, seen - 1}) {
        if (key < 0 || key >= seen) continue;
        const bool allowed = is_allowed(c_, inputs_.problem, sequence * c_.heads + head, key);
        double expected = -std::numeric_limits<double>::infinity();
        if (allowed && c_.weighs_heads()) {
          expected = twin_of_group(halves, row, seen, key);
        } else if (allowed) {
          for (std::int64_t h = 0; h < of_list; ++h)
            expected = std::max<double>(expected,
                                        twin(float_row(halves, row * of_list + h, entries), sequence, head + h, key));
        }
        result_.equal("score on the host", row * c_.capacity + key, scores[row * c_.capacity + key], expected);
      }
    }
  }

  // Of row `row` of lists, which sees the first `seen` keys.
  float twin_of_group(const std::vector<float>& halves, std::int64_t row, std::int64_t seen,
                      std::int64_t of_key) const {
    const std::int64_t sequence = row / c_.kv_heads / c_.query_rows,
                       kv_row = sequence * c_.kv_heads + row % c_.kv_heads;
    const std::int64_t entries = c_.tables * half_table_entries(c_.code_bits());
    const GroupKeys keys = {
        seen, [&, kv_row](std::int64_t key) { return codes_of_key(c_, codes_, kv_row, key); },
        [&, kv_row](std::int64_t key) { return norms_[kv_row * c_.capacity + key]; },
        [&](std::int64_t key) { return is_allowed(c_, inputs_.problem, kv_row * c_.group(), key); }};
    std::vector<GroupHead> heads;
    for (std::int64_t head = row * c_.group(); head < (row + 1) * c_.group(); ++head) {
      const std::span<const float> half_sums = float_row(halves, head, entries);
      heads.push_back(sparsity_ == 0 ? twin_group_head(c_, half_sums, keys)
                                     : twin_group_head(c_, half_sums, inputs_.log_sums[head]));
    }
    return twin_group_score(c_, heads, keys.codes_of(of_key), keys.norm_of(of_key));
  }

  float twin(std::span<const float> halves, std::int64_t sequence, std::int64_t head, std::int64_t key) const {
    const std::int64_t kv_row = sequence * c_.kv_heads + head / c_.group();
    const std::vector<std::int16_t> codes = codes_of_key(c_, codes_, kv_row, key);
    const float norm = norms_[kv_row * c_.capacity + key];
    if (c_.rule() == SKT_SIGNED_PROJECTION) {
      return c_.group() > 1
                 ? twin_grouped_score(twin_fixed_weights(halves, c_.tables, c_.planes), codes, c_.planes, norm)
                 : twin_signed_score(halves, codes, c_.planes, norm);
    }
    return scores_in_half(c_.group(), c_.tables, c_.code_bits()) ? twin_half_score(halves, codes, c_.planes, norm)
                                                                 : twin_packed_score(halves, codes, c_.planes, norm);
  }

  const Library& library_;
  const CheckCase& c_;
  const CheckCase one_, listed_;
  std::int64_t sparsity_;
  RowInputs& inputs_;
  Comparison& result_;
  Stages all_, single_;
  Bytes workspace_;
  DeviceArray<std::int32_t> lengths_, table_;
  const std::vector<std::int16_t> codes_;
  const std::vector<float> norms_;
  std::vector<HostStages> expected_;     // of each query row
  std::vector<HostStages> listed_rows_;  // likewise, none attended to whole
  std::vector<bool> is_whole_;           // of each sequence
};

// A sanitizer needs each way once: the first lengths and the last.
std::vector<StepLengths> steps_of(const CheckCase& c) {
  std::vector<StepLengths> steps = lengths_of_query_rows(c);
  if (memory_of_checks == Memory::bare) return {steps.front(), steps.back()};
  return steps;
}

}  // namespace

Comparison check_query_rows(const Library& library, const CheckCase& c) {
  RowInputs inputs(library, c);
  const std::vector<StepLengths> steps = steps_of(c);
  Comparison result;
  for (const Operation rule : rules_of(c)) {
    CheckCase by_rule = c;
    by_rule.operation = rule;
    for (const std::int64_t sparsity : {0, 9}) {
      QueryRows rows(library, by_rule, sparsity, inputs, result);
      rows.in_one_graph(steps);
      rows.without_lengths();
    }
  }
  return result;
}

}  // namespace skt::gpu
