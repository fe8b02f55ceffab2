#include "gpu/check/references/shards.hpp"

#include <algorithm>

#include "gpu/functors/ordered_key.hpp"
#include "gpu/functors/shards.hpp"
#include "gpu/functors/softmax_merge.hpp"

namespace skt::gpu {
namespace {

// Ordered keys from `begin` on and below `end` are open: `need` of them are taken. Those from `end` on are all taken.
struct Open {
  std::uint64_t begin = 1, end = std::uint64_t{1} << 32;
  std::uint64_t need = 0;
  bool is_settled = false;  // all that is open is taken

  bool contains(std::uint32_t key) const { return key >= begin && key < end; }
};

Open nothing() {
  return {std::uint64_t{1} << 32, std::uint64_t{1} << 32, 0, true};
}

// Of the digits behind the first: how many ordered keys a bin has.
std::uint64_t bin_width(const Open& open) {
  return std::max<std::uint64_t>((open.end - open.begin) / kShardBins, 1);
}

// The bin of `digit` that counts an ordered key which is open by the digits before it.
std::size_t bin_of(const Open& open, std::size_t digit, std::uint32_t ordered) {
  return digit == 0 ? shard_bin(ordered) : (ordered - open.begin) / bin_width(open);
}

// The bin of `digit` in which the need-th key from above lies.
Open narrowed(const Open& open, std::size_t digit, const Counts& counts) {
  if (open.is_settled) return open;
  const std::uint64_t width = bin_width(open);
  std::uint64_t need = open.need;
  for (int bin = kShardBins - 1; bin >= 0; --bin) {
    const std::uint64_t here = counts[bin];
    if (need > here) {
      need -= here;
    } else if (digit == 0) {
      return {shard_bin_begin(bin), shard_bin_begin(bin + 1), need, need == here};
    } else {
      return {open.begin + bin * width, open.begin + (bin + 1) * width, need, need == here};
    }
  }
  Open all;
  all.is_settled = true;
  return all;
}

Open after(const ShardRule& rule, std::span<const Counts> sums) {
  if (rule.budget == 0) return nothing();
  Open open;
  open.need = rule.budget;
  for (std::size_t digit = 0; digit < sums.size(); ++digit) open = narrowed(open, digit, sums[digit]);
  return open;
}

ShardRow row_of(const ShardScores& own, const ShardRule& rule) {
  return shard_row(static_cast<int>(own.run.first), static_cast<int>(own.run.keys), static_cast<int>(rule.used),
                   static_cast<int>(rule.sink), static_cast<int>(rule.window));
}

bool is_forced(const ShardRow& row, int key) {
  return key < row.sink || key >= row.window_begin;
}

Counts sum_of(std::span<const Counts> counts) {
  Counts sum = counts[0];
  for (const Counts& other : counts.subspan(1)) {
    for (std::size_t bin = 0; bin < sum.size(); ++bin) sum[bin] += other[bin];
  }
  return sum;
}

}  // namespace

Counts twin_shard_counts(const ShardScores& own, const ShardRule& rule, std::span<const Counts> sums) {
  const Open open = after(rule, sums);
  const ShardRow row = row_of(own, rule);
  Counts counts(kShardBins, 0);
  if (open.is_settled) return counts;
  for (int key = 0; key < row.length; ++key) {
    const std::uint32_t ordered = ordered_key(own.scores[key]);
    if (is_forced(row, key) || ordered == kNeverSelected || !open.contains(ordered)) continue;
    ++counts[bin_of(open, sums.size(), ordered)];
  }
  return counts;
}

std::vector<std::int32_t> twin_shard_selection(const ShardScores& own, const ShardRule& rule,
                                               std::span<const Counts> sums, std::span<const Counts> last,
                                               std::int64_t rank) {
  const Open wide = after(rule, sums);
  const Open open = wide.is_settled ? wide : narrowed(wide, kShardDigits - 1, sum_of(last));
  std::uint64_t ties_before = 0;
  if (!open.is_settled) {
    for (std::int64_t r = 0; r < rank; ++r) ties_before += last[r][open.begin - wide.begin];
  }
  const ShardRow row = row_of(own, rule);
  std::vector<std::int32_t> list;
  for (int key = 0; key < row.length; ++key) {
    const std::uint32_t ordered = ordered_key(own.scores[key]);
    if (ordered == kNeverSelected) continue;
    bool taken = is_forced(row, key) || ordered >= open.end;
    if (!taken && open.contains(ordered)) taken = open.is_settled || ties_before++ < open.need;
    if (taken) list.push_back(key);
  }
  return list;
}

std::vector<std::int32_t> twin_sharded_list(std::span<const float> scores, const Runs& runs, const ShardRule& rule) {
  std::vector<ShardScores> shards;
  for (const Run& run : runs) shards.push_back({scores.subspan(run.first, run.keys), run});
  std::vector<Counts> sums, of_ranks;
  for (int digit = 0; digit < kShardDigits; ++digit) {
    of_ranks.clear();
    for (const ShardScores& own : shards) of_ranks.push_back(twin_shard_counts(own, rule, sums));
    if (digit + 1 < kShardDigits) sums.push_back(sum_of(of_ranks));
  }
  std::vector<std::int32_t> list;
  for (std::size_t r = 0; r < shards.size(); ++r) {
    for (const std::int32_t key : twin_shard_selection(shards[r], rule, sums, of_ranks, static_cast<int>(r))) {
      list.push_back(key + static_cast<std::int32_t>(runs[r].first));
    }
  }
  return list;
}

MergedRow twin_merged_parts(std::span<const std::vector<float>> parts) {
  const std::size_t dim = parts[0].size() - 2;
  MergedRow row{std::vector<float>(dim, 0.0f), 0};
  SoftmaxPart<float> total;
  for (const std::vector<float>& part : parts) {
    const SoftmaxMerge<float> both = merge(total, SoftmaxPart<float>{part[dim], part[dim + 1]});
    for (std::size_t d = 0; d < dim; ++d) {
      row.output[d] = row.output[d] * both.left_factor + part[d] * both.right_factor;
    }
    total = both.merged;
  }
  for (float& x : row.output) x /= total.sum;
  row.log_sum_exp = log_sum_exp(total);
  return row;
}

}  // namespace skt::gpu
