// Do the ranks of one sequence select together what skt_select_keys selects of all its keys?
//
// 1, 2, 3, 4 and 8 virtual ranks on one GPU, with even, unequal and empty runs of the keys; with one length for all
// sequences, and with lengths and a budget that follows them. Every entry of every list is compared with the list of all
// keys, and every count of the first row of each sequence with the twin in gpu/check/references/shards.hpp. All is done on
// memory that says -1, on which no list may be longer than its room, and again on what was left.
#include <iterator>
#include <limits>
#include <span>

#include "gpu/check/device/operations.hpp"
#include "gpu/check/device/sharded_selection.hpp"
#include "gpu/check/operations/checks.hpp"
#include "gpu/check/references/shards.hpp"
#include "gpu/functors/shards.hpp"
#include "sim/number.hpp"

namespace skt::gpu {
namespace {

using Lists = std::vector<std::int32_t>;

// Of all keys.
struct Whole {
  Lists selected, counts;
};

class Shards {
 public:
  Shards(const Library& library, const CheckCase& c, const StepLengths* lengths, std::int64_t sparsity,
         Comparison& result)
      : library_(library),
        c_(c),
        scores_(make_scores(c)),
        given_(lengths == nullptr ? StepLengths(c.batch, static_cast<std::int32_t>(c.keys)) : *lengths),
        lengths_(given_),
        of_{shape_of(c), {.used = c.keys, .lengths = lengths == nullptr ? nullptr : lengths_.data()}, list_of(c)},
        result_(result) {
    of_.list.sparsity = sparsity;
  }

  void compare(const Runs& runs) {
    std::vector<std::int64_t> capacities;
    for (const Run& run : runs) capacities.push_back(case_of_run(c_, run).capacity);
    ShardedSelection sharded(library_, of_, runs, capacities);
    for (std::int64_t r = 0; r < std::ssize(runs); ++r) {
      const std::vector<float> own =
          columns_of_run(scores_, c_.capacity, runs[r], capacities[r], std::numeric_limits<float>::infinity());
      sharded.rank(r).scores.set(own);
    }
    sharded.poison();
    if (memory_of_checks == Memory::guarded) compare_rooms(runs, sharded);
    for (int time = 0; time < 2; ++time) {
      sharded.select(nullptr, false);
      sharded.compare_lists(whole_.selected, whole_.counts, result_);
    }
    const Lists summed = sharded.rank(std::ssize(runs) - 1).counts.to_host(), gathered = sharded.gathered().to_host();
    for (std::int64_t row = 0; row < c_.rows(); row += c_.heads) compare_counts(runs, summed, gathered, row);
  }

  void of_all_keys() {
    DeviceArray<float> scores(scores_);
    DeviceArray<std::int32_t> selected(c_.rows() * c_.list()), counts(c_.rows());
    skt_select_keys_args args = select_arguments(c_, scores.data(), selected, counts);
    args.sequences = of_.sequences;
    args.list = of_.list;
    call(library_.select_keys, args);
    whole_ = {selected.to_host(), counts.to_host()};
  }

 private:
  ShardRule rule(std::int64_t row) const {
    const std::int64_t length = given_[row / c_.heads];
    return {length, expected_budget(c_, length, of_.list.sparsity), c_.sink, c_.window};
  }

  // By counts that nobody made, as on a rank whose exchange failed: no list is longer than its room.
  void compare_rooms(const Runs& runs, ShardedSelection& sharded) {
    sharded.list_unexchanged(nullptr);
    for (std::int64_t r = 0; r < std::ssize(runs); ++r) {
      sharded.rank(r).selected.to_host();  // throws if something was written behind it
      for (const std::int32_t count : sharded.rank(r).list_counts.to_host()) {
        result_.holds("count of no exchange", r, count >= 0 && count <= c_.list());
      }
    }
  }

  void compare_counts(const Runs& runs, const Lists& summed, const Lists& gathered, std::int64_t row) {
    std::vector<ShardScores> shards;
    for (const Run& run : runs) {
      shards.push_back({std::span(scores_).subspan(row * c_.capacity + run.first, run.keys), run});
    }
    const auto row_of_counts = [&](const Lists& counts, std::int64_t before) {
      return std::span(counts).subspan((before * c_.rows() + row) * kShardBins, kShardBins);
    };
    std::vector<Counts> sums;
    for (int digit = 0; digit < kShardDigits; ++digit) {
      const bool is_last = digit + 1 == kShardDigits;
      Counts sum(kShardBins, 0);
      for (std::int64_t r = 0; r < std::ssize(runs); ++r) {
        const Counts own = twin_shard_counts(shards[r], rule(row), sums);
        for (std::size_t bin = 0; bin < own.size(); ++bin) sum[bin] += own[bin];
        if (is_last) result_.same_numbers("counts of the last digit", row_of_counts(gathered, r), own);
      }
      if (!is_last) result_.same_numbers("summed counts", row_of_counts(summed, digit), sum);
      sums.push_back(sum);
    }
  }

  const Library& library_;
  const CheckCase& c_;
  std::vector<float> scores_;
  StepLengths given_;
  DeviceArray<std::int32_t> lengths_;
  ShardedRows of_;
  Comparison& result_;
  Whole whole_;
};

// One length beside another: none, one, all but one, all.
StepLengths ragged(const CheckCase& c) {
  const std::vector<std::int64_t> all = {c.keys - 1, c.keys / 2, c.keys, 1, 0};
  StepLengths lengths;
  for (std::int64_t b = 0; b < c.batch; ++b) lengths.push_back(static_cast<std::int32_t>(all[b % std::ssize(all)]));
  return lengths;
}

}  // namespace

Comparison check_select_shards(const Library& library, const CheckCase& c) {
  const StepLengths lengths = ragged(c);
  Comparison result;
  Shards of_one_length(library, c, nullptr, 0, result);
  Shards of_lengths(library, c, &lengths, 9, result);
  for (Shards* shards : {&of_one_length, &of_lengths}) {
    shards->of_all_keys();
    for (const Runs& runs : checked_runs(c.keys)) shards->compare(runs);
  }
  return result;
}

}  // namespace skt::gpu
