// A selection over virtual ranks: each has the scores of its own keys, counts them, and lists those that are selected.
#pragma once

#include <memory>
#include <vector>

#include "gpu/check/device/device_array.hpp"
#include "gpu/check/device/library.hpp"
#include "gpu/check/problems/runs.hpp"
#include "gpu/check/references/comparison.hpp"

namespace skt::gpu {

// What all ranks are told of the sequences; lengths, if any, are in device memory.
struct ShardedRows {
  skt_shape shape;  // without a capacity, of which each rank has its own
  skt_sequences sequences;
  skt_list list;

  std::int64_t rows() const { return shape.batch * shape.heads; }
};

struct RankArrays {
  RankArrays(const ShardedRows& of, std::int64_t places);

  std::int64_t capacity;
  DeviceArray<float> scores;               // [rows, capacity]
  DeviceArray<std::int32_t> counts, last;  // and so on, as gpu/socketlab_gpu.h has them
  DeviceArray<std::uint32_t> marks;
  DeviceArray<std::int32_t> selected, list_counts;
};

class ShardedSelection {
 public:
  // capacities: of the ranks' caches.
  ShardedSelection(const Library& library, const ShardedRows& of, const Runs& runs,
                   const std::vector<std::int64_t>& capacities);

  RankArrays& rank(std::int64_t r) { return *ranks_[r]; }
  void poison();  // all but the scores
  // From the scores of every rank to its list; waits for nothing. counted: the first digit was, with the scores.
  void select(cudaStream_t stream, bool counted);
  // Marks and lists alone, by whatever counts there are.
  void list_unexchanged(cudaStream_t stream);
  // The lists of all ranks together against that of all keys, [rows, list] and [rows].
  void compare_lists(const std::vector<std::int32_t>& selected, const std::vector<std::int32_t>& counts,
                     Comparison& result) const;
  // What every rank gathered of the last digit: [ranks, rows, 2048]. Of one rank its own, so that no copy stands between
  // what counts and what reads.
  const DeviceArray<std::int32_t>& gathered() const { return ranks_.size() > 1 ? gathered_ : ranks_[0]->last; }

 private:
  void list(cudaStream_t stream);
  void count(std::int64_t digit, cudaStream_t stream);
  skt_shard shard(std::int64_t r);
  skt_count_shard_args count_arguments(std::int64_t r, std::int64_t digit);
  skt_select_shard_args select_arguments(std::int64_t r);

  const Library& library_;
  ShardedRows of_;
  Runs runs_;
  bool counted_ = false;
  std::vector<std::unique_ptr<RankArrays>> ranks_;
  DeviceArray<std::int32_t> gathered_;
};

}  // namespace skt::gpu
