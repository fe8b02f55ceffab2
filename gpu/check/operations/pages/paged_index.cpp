// Do scores and steps over an index in pages have the bits of those without pages?
//
// Packed codes, norms and masks of a built index stand in pages by an order drawn from the seed, counted on the host
// (references/paged_index.hpp); keys and values stand in pages of the same table. Sequences begin with keys in common,
// whose pages they share; pages that nobody has are garbage. By both rules, of all keys and of lengths of their own, for
// which entries behind a sequence's last block are -1, which no call may read. The step runs in one graph, which finds
// lengths and tables where they are.
#include <iterator>
#include <memory>

#include "gpu/check/device/captured_graph.hpp"
#include "gpu/check/device/device_paged_index.hpp"
#include "gpu/check/device/operations.hpp"
#include "gpu/check/operations/checks.hpp"
#include "gpu/check/problems/step_lengths.hpp"
#include "gpu/functors/half_table.hpp"
#include "gpu/functors/packed_codes.hpp"

namespace skt::gpu {
namespace {

// One index twice, without pages and in them.
struct Index {
  Index(const Library& library, const CheckCase& c, const Problem& problem)
      : device(c, problem), whole(c), pages(c, problem, with_shared_pages(c, paged_cache(c, problem))) {
    whole.build(library, c, device);
    paged = std::make_unique<DevicePagedIndex>(
        index_in_pages(c, problem, pages.shape, whole.packed.to_host(), whole.norms.to_host()));
  }

  DeviceProblem device;
  DeviceIndex whole;
  DevicePages pages;
  std::unique_ptr<DevicePagedIndex> paged;
};

struct StepOutputs {
  explicit StepOutputs(const CheckCase& c) : output(c.rows() * c.dim), log_sum_exp(c.rows()) {}
  void poison() {
    output.poison();
    log_sum_exp.poison();
  }

  DeviceArray<float> output, log_sum_exp;
};

// How a call knows what keys there are.
enum class Told { by_lengths, by_one_number };

class PagedIndexes {
 public:
  PagedIndexes(const Library& library, const CheckCase& c, Index& index, Comparison& result)
      : library_(library),
        c_(c),
        index_(index),
        result_(result),
        halves_(c.rows() * c.tables * half_table_entries(c.code_bits())),
        workspace_(decode_step_workspace(library, c)),
        lengths_(c.batch),
        table_(std::ssize(index.pages.shape.table)),
        scores_(c.list_rows() * c.capacity),
        outputs_(c) {
    half_tables(library, c, index.device, halves_);
  }

  void scores(const StepLengths& lengths, Told told) {
    set(lengths);
    const std::vector<float> expected = scored(score_arguments(told));
    skt_score_packed_args paged = score_arguments(told);
    paged.packed = index_.paged->packed.data();
    paged.norms = index_.paged->norms.data();
    paged.mask.allowed = index_.paged->mask();
    paged.paged = pages_of(index_.pages.shape, table_);
    result_.same_bits("scores from pages", scored(paged), expected);
  }

  void steps(const std::vector<StepLengths>& all) {
    skt_decode_step_args paged = step_arguments(&index_.pages);
    paged.packed = index_.paged->packed.data();
    paged.norms = index_.paged->norms.data();
    paged.mask.allowed = index_.paged->mask();
    paged.paged_index = 1;
    paged.paged = pages_of(index_.pages.shape, table_);
    CapturedGraph graph([&](cudaStream_t stream) { call(library_.decode_step, paged, stream); });
    for (const StepLengths& lengths : all) {
      set(lengths);
      poison();
      call(library_.decode_step, step_arguments(nullptr));
      const std::vector<float> output = outputs_.output.to_host(), logs = outputs_.log_sum_exp.to_host();
      poison();
      graph.launch();
      graph.wait();
      result_.same_bits("output from an index in pages", outputs_.output.to_host(), output);
      result_.same_bits("log_sum_exp from an index in pages", outputs_.log_sum_exp.to_host(), logs);
    }
  }

 private:
  void set(const StepLengths& lengths) {
    const std::vector<std::int32_t> table = table_of(index_.pages.shape, lengths);
    require(cudaMemcpy(lengths_.data(), lengths.data(), lengths_.bytes(), cudaMemcpyHostToDevice), "lengths");
    require(cudaMemcpy(table_.data(), table.data(), table_.bytes(), cudaMemcpyHostToDevice), "table");
  }
  void poison() {
    workspace_.poison();
    outputs_.poison();
    require(cudaDeviceSynchronize(), "poison");
  }

  skt_score_packed_args score_arguments(Told told) {
    skt_score_packed_args args = score_packed_arguments(c_, index_.device, index_.whole, halves_, scores_.data());
    if (told == Told::by_lengths) args.sequences.lengths = lengths_.data();
    if (told == Told::by_one_number && c_.weighs_heads()) args.log_sums = index_.device.log_sums.data();
    return args;
  }
  std::vector<float> scored(const skt_score_packed_args& args) {
    scores_.poison();
    call(library_.score_packed, args);
    return scores_.to_host();
  }
  skt_decode_step_args step_arguments(DevicePages* pages) {
    skt_decode_step_args args = decode_arguments(c_, index_.device, index_.whole, workspace_, outputs_.output, pages);
    args.sequences.lengths = lengths_.data();
    args.log_sum_exp = outputs_.log_sum_exp.data();
    return args;
  }

  const Library& library_;
  const CheckCase& c_;
  Index& index_;
  Comparison& result_;
  DeviceArray<float> halves_;
  Bytes workspace_;
  DeviceArray<std::int32_t> lengths_, table_;
  DeviceArray<float> scores_;
  StepOutputs outputs_;
};

// A sanitizer needs each way once.
std::vector<StepLengths> some_lengths(const CheckCase& c) {
  const std::vector<StepLengths> all = lengths_of_steps(c);
  if (memory_of_checks == Memory::bare) return {all.front(), all.back()};
  return all;
}

}  // namespace

Comparison check_paged_index(const Library& library, const CheckCase& c) {
  Comparison result;
  const bool whole_tiles = c.paged() && c.page_size >= kTileKeys;
  result.holds("case with pages of whole tiles", 0, whole_tiles);
  if (!whole_tiles) return result;
  Index index(library, c, with_common_keys(c, make_problem(c)));
  for (const Operation rule : rules_of(c)) {
    CheckCase by_rule = c;
    by_rule.operation = rule;
    by_rule.cache = CacheForm::of_type;  // the pages hold numbers of the case's type
    PagedIndexes indexes(library, by_rule, index, result);
    indexes.scores(StepLengths(c.batch, static_cast<std::int32_t>(c.keys)), Told::by_one_number);
    for (const StepLengths& lengths : some_lengths(c)) indexes.scores(lengths, Told::by_lengths);
    indexes.steps(some_lengths(c));
  }
  return result;
}

}  // namespace skt::gpu
