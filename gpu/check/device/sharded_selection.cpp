#include "gpu/check/device/sharded_selection.hpp"

#include <algorithm>
#include <iterator>

#include "gpu/check/device/virtual_ranks.hpp"
#include "gpu/functors/lengths.hpp"
#include "gpu/functors/shards.hpp"
#include "gpu/functors/whole_numbers.hpp"

namespace skt::gpu {

RankArrays::RankArrays(const ShardedRows& of, std::int64_t places)
    : capacity(places),
      scores(of.rows() * places),
      counts((kShardDigits - 1) * of.rows() * kShardBins),
      last(of.rows() * kShardBins),
      marks(of.rows() * ceil_div<std::int64_t>(places, 32) * 2),
      selected(of.rows() * length_of_list(of.list)),
      list_counts(of.rows()) {}

ShardedSelection::ShardedSelection(const Library& library, const ShardedRows& of, const Runs& runs,
                                   const std::vector<std::int64_t>& capacities)
    : library_(library), of_(of), runs_(runs), gathered_(std::ssize(runs) * of.rows() * kShardBins) {
  for (const std::int64_t capacity : capacities) ranks_.push_back(std::make_unique<RankArrays>(of, capacity));
}

void ShardedSelection::poison() {
  for (const auto& rank : ranks_) {
    for (auto* array : {&rank->counts, &rank->last, &rank->selected, &rank->list_counts}) array->poison();
    rank->marks.poison();
  }
  gathered_.poison();
}

skt_shard ShardedSelection::shard(std::int64_t r) {
  RankArrays& own = *ranks_[r];
  skt_shard shard = {.scores = own.scores.data(),
                     .counts = own.counts.data(),
                     .marks = own.marks.data(),
                     .shape = of_.shape,
                     .first = runs_[r].first,
                     .keys = runs_[r].keys,
                     .sequences = of_.sequences,
                     .list = of_.list};
  shard.shape.capacity = own.capacity;
  return shard;
}

skt_count_shard_args ShardedSelection::count_arguments(std::int64_t r, std::int64_t digit) {
  return {.shard = shard(r), .last_counts = ranks_[r]->last.data(), .digit = digit};
}

skt_select_shard_args ShardedSelection::select_arguments(std::int64_t r) {
  return {.shard = shard(r),
          .last_counts = gathered().data(),
          .selected = ranks_[r]->selected.data(),
          .list_counts = ranks_[r]->list_counts.data(),
          .rank = r,
          .ranks = std::ssize(runs_)};
}

void ShardedSelection::count(std::int64_t digit, cudaStream_t stream) {
  std::vector<std::int32_t*> arrays;
  for (std::int64_t r = 0; r < std::ssize(ranks_); ++r) {
    if (digit > 0 || !counted_) call(library_.count_shard, count_arguments(r, digit), stream);
    const bool is_last = digit == kShardDigits - 1;
    arrays.push_back(is_last ? ranks_[r]->last.data() : ranks_[r]->counts.data() + digit * of_.rows() * kShardBins);
  }
  if (digit == kShardDigits - 1) {
    if (ranks_.size() > 1) all_gather(arrays, of_.rows() * kShardBins, gathered_.data(), stream);
  } else {
    all_reduce_sum(arrays, of_.rows() * kShardBins, stream);
  }
}

void ShardedSelection::select(cudaStream_t stream, bool counted) {
  counted_ = counted;
  for (std::int64_t digit = 0; digit < kShardDigits; ++digit) count(digit, stream);
  list(stream);
}

void ShardedSelection::compare_lists(const std::vector<std::int32_t>& selected, const std::vector<std::int32_t>& counts,
                                     Comparison& result) const {
  const std::int64_t list = length_of_list(of_.list);
  std::vector<std::int64_t> listed(of_.rows(), 0);  // of the ranks before
  for (std::int64_t r = 0; r < std::ssize(runs_); ++r) {
    const std::vector<std::int32_t> own = ranks_[r]->list_counts.to_host();
    std::vector<std::int32_t> expected(of_.rows() * list, -1);
    for (std::int64_t row = 0; row < of_.rows(); ++row) {
      for (std::int64_t i = 0; i < own[row] && listed[row] + i < list; ++i) {
        const std::int32_t key = selected[row * list + listed[row] + i];
        expected[row * list + i] = key - static_cast<std::int32_t>(runs_[r].first);
      }
      listed[row] += std::max(own[row], 0);
    }
    result.same_numbers("selected of a rank", ranks_[r]->selected.to_host(), expected);
  }
  for (std::int64_t row = 0; row < of_.rows(); ++row)
    result.equal("count of all ranks", row, static_cast<double>(listed[row]), counts[row]);
}

void ShardedSelection::list_unexchanged(cudaStream_t stream) {
  for (std::int64_t r = 0; r < std::ssize(ranks_); ++r) {
    call(library_.count_shard, count_arguments(r, 1), stream);  // for its marks
  }
  list(stream);
}

void ShardedSelection::list(cudaStream_t stream) {
  for (std::int64_t r = 0; r < std::ssize(ranks_); ++r) call(library_.select_shard, select_arguments(r), stream);
}

}  // namespace skt::gpu
