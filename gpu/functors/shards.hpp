// What of a sequence does a rank hold, and by which digits do the ranks find the threshold of the selection together?
//
// A rank holds the keys at positions first .. first + keys - 1, as keys 0 .. keys - 1 of its own cache. Sink and window
// are those of the whole sequence. The ordered key (gpu/functors/ordered_key.hpp) of the budget-th best is found digit by
// digit, each from counts of all ranks, so that three exchanges of fixed size settle it whatever the scores are. The
// first digit is a bin of uneven width, so that few keys are left in it: 2^18 ordered keys from 2^-16 to 2^16, which is
// 32 to an octave, and 2^22 elsewhere. The other two divide what is left, 11 bits at a time. It would be wrong if two
// ranks saw another sequence, bins overlapped or fell with rising score, or two digits left a bit out:
// tests/gpu/functors/shards_test.cpp.
#pragma once

#include <cstdint>
#include <cstring>

#include "gpu/functors/host_device.hpp"
#include "gpu/functors/lengths.hpp"

namespace skt::gpu {

inline constexpr int kShardDigits = 3;
inline constexpr int kShardBinBits = 11;
inline constexpr int kShardBins = 1 << kShardBinBits;  // of each digit

inline constexpr int kShardCoarseShift = 22;  // 1024 bins over all ordered keys, and one more at each fine step
inline constexpr int kShardFineShift = 18;
inline constexpr int kShardFineSteps = 1023;
// Of 2^-16, in fine steps; of the bits of a positive number, which lack the ordered key's upper bit.
inline constexpr int kShardFinestOfBits = (127 - 16) << 23 >> kShardFineShift;
inline constexpr int kShardFinest = kShardFinestOfBits + (1 << (31 - kShardFineShift));
inline constexpr int kShardFineToCoarse = 1 << (kShardCoarseShift - kShardFineShift);
static_assert(kShardFinest % kShardFineToCoarse == 0);

SKT_HD constexpr int shard_fine_steps(int behind) {
  return behind < 0 ? 0 : behind < kShardFineSteps ? behind : kShardFineSteps;
}

// The first digit. Both terms rise with the ordered key, so their sum does.
SKT_HD constexpr int shard_bin(std::uint32_t ordered) {
  return static_cast<int>(ordered >> kShardCoarseShift) +
         shard_fine_steps(static_cast<int>(ordered >> kShardFineShift) - kShardFinest);
}

// shard_bin(ordered_key(score)) of the bits of a score that is +0 or above, in fewer instructions. Of bits that are
// negative, too, if they rise with the score.
SKT_HD constexpr int shard_bin_of_bits(std::int32_t bits) {
  return (1 << (31 - kShardCoarseShift)) + (bits >> kShardCoarseShift) +
         shard_fine_steps((bits >> kShardFineShift) - kShardFinestOfBits);
}

// The same of any score that may be selected.
SKT_HD inline int shard_bin_of_score(float score) {
  const float no_negative_zero = score + 0.0f;  // -0 + 0 = +0
  std::int32_t bits = 0;
  std::memcpy(&bits, &no_negative_zero, sizeof bits);
  return shard_bin_of_bits(bits ^ ((bits >> 31) & 0x7fffffff));  // the more negative, the lower
}

// The smallest ordered key of the bin, or of the next that has any: the last of each 17 fine bins is empty, as both
// terms of shard_bin() rise there.
SKT_HD constexpr std::uint32_t shard_bin_begin(int bin) {
  constexpr int kFirstFine = kShardFinest / kShardFineToCoarse;
  constexpr int kFineBins = kShardFineSteps + (kShardFineSteps + 1) / kShardFineToCoarse;
  if (bin <= kFirstFine) return static_cast<std::uint32_t>(bin) << kShardCoarseShift;
  const int behind = bin - kFirstFine;
  if (behind >= kFineBins) return static_cast<std::uint32_t>(bin - kShardFineSteps) << kShardCoarseShift;
  const int coarse = behind / (kShardFineToCoarse + 1);
  const int fine = behind % (kShardFineToCoarse + 1);
  return static_cast<std::uint32_t>(kShardFinest + coarse * kShardFineToCoarse + fine) << kShardFineShift;
}

// The lowest bit of the next digit, where the threshold is known to lie among 2^width ordered keys.
SKT_HD constexpr int shard_shift(int width) {
  return width > kShardBinBits ? width - kShardBinBits : 0;
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
