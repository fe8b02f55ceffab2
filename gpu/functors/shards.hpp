// What of a sequence does a rank hold, and by which digits do the ranks find the threshold of the selection together?
//
// A rank holds the keys at positions first .. first + keys - 1, as keys 0 .. keys - 1 of its own cache. Sink and window
// are those of the whole sequence. The ordered key (gpu/functors/ordered_key.hpp) of the budget-th best is found digit by
// digit: 11, 11 and 10 bits, each from counts of all ranks, so that three exchanges of fixed size settle it whatever the
// scores are. It would be wrong if two ranks saw another sequence, or digits overlapped or left a bit out:
// tests/gpu/functors/shards_test.cpp.
#pragma once

#include <cstdint>

#include "gpu/functors/host_device.hpp"
#include "gpu/functors/lengths.hpp"

namespace skt::gpu {

inline constexpr int kShardDigits = 3;
inline constexpr int kShardBins = 2048;      // of digits 0 and 1
inline constexpr int kLastShardBins = 1024;  // of digit 2

// The digit's lowest bit.
SKT_HD constexpr int shard_shift(int digit) {
  return digit == 0 ? 21 : digit == 1 ? 10 : 0;
}

SKT_HD constexpr int shard_bins(int digit) {
  return digit + 1 < kShardDigits ? kShardBins : kLastShardBins;
}

// What of one sequence is on a rank, in the rank's own numbers: `length` keys, of which those below `sink` and from
// window_begin on are selected whatever they score.
struct ShardRow {
  int length, sink, window_begin;
};

// `at` held within 0 .. length, where `at` counts from the sequence's first key and the rank begins at `first`.
SKT_HD constexpr int place_in_shard(int at, int first, int length) {
  const int place = at - first;  // both are 0 or more
  return place < 0 ? 0 : place < length ? place : length;
}

// `used`: keys of the sequence on all ranks.
SKT_HD constexpr ShardRow shard_row(int first, int keys, int used, int sink, int window) {
  const int length = place_in_shard(used, first, keys);
  return {length, place_in_shard(sink, first, length), place_in_shard(window_begin(used, window), first, length)};
}

// Of `need` keys that tie with the threshold, lowest position first, how many are on a rank that has `own` of them
// where the ranks before it have `before`?
SKT_HD constexpr std::uint32_t ties_of_rank(std::uint32_t need, std::uint32_t before, std::uint32_t own) {
  const std::uint32_t left = need > before ? need - before : 0;
  return left < own ? left : own;
}

}  // namespace skt::gpu
