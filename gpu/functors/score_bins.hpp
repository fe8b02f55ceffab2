// Into which bin of its row does a score fall, when scores are counted?
//
// Bins divide the ordered keys (gpu/functors/ordered_key.hpp) of 16 octaves of positive scores by their exponent and
// the first 7 bits of their fraction: 128 to an octave, so that a bin is at most 1/128 of its score wide and holds few
// of a row's keys. The first bin takes all below, negative scores too, and the last all above: bins only tell the
// selection where to begin, and it divides further whatever bin the threshold falls in, but one that holds a single bf16
// number. It would be wrong if bins overlapped, left a gap, or fell with rising score;
// tests/gpu/functors/score_bins_test.cpp.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>

#include "gpu/functors/host_device.hpp"

namespace skt::gpu {

inline constexpr int kScoreBins = 2048;    // 16 octaves of 128
inline constexpr int kScoreBinShift = 16;  // leaves the sign, 8 bits of exponent and 7 of fraction

// Where the bins begin: the ordered key of 2^octave in units of a bin, -127 < octave < 112.
SKT_HD constexpr std::uint32_t lowest_score_bin(int octave) {
  return (0x80000000u | static_cast<std::uint32_t>(127 + octave) << 23) >> kScoreBinShift;
}

// 2^-8 to 2^8, where nothing is known of the scores.
inline constexpr std::uint32_t kUsualLowestScoreBin = lowest_score_bin(-8);

// A uniform code has probability 2^-planes in each table: 2^-6 to 2^10 times the score that it gives a norm of 1.
constexpr std::uint32_t lowest_bin_of_collisions(std::int64_t tables, std::int64_t planes) {
  const auto octave_of_tables = static_cast<int>(std::bit_width(static_cast<std::uint64_t>(tables))) - 1;
  return lowest_score_bin(octave_of_tables - static_cast<int>(planes) - 6);
}

// The best of a row are sums of many projections of the query, and times a norm: 1 to 2^16.
inline constexpr std::uint32_t kLowestBinOfSignedProjections = lowest_score_bin(0);

// The best of a list that heads share have a share of the heads' softmax mass each: 2^-20 to 2^-4 of it.
inline constexpr std::uint32_t kLowestBinOfGroupWeights = lowest_score_bin(-20);

SKT_HD constexpr int score_bin(std::uint32_t ordered, std::uint32_t lowest) {
  const std::uint32_t position = ordered >> kScoreBinShift;
  if (position <= lowest) return 0;
  const std::uint32_t bin = position - lowest;
  return bin < kScoreBins ? static_cast<int>(bin) : kScoreBins - 1;
}

// -infinity and NaN may not.
SKT_HD inline bool may_be_selected(float score) {
  return score > -INFINITY;
}

// score_bin(ordered_key(score), lowest) of a score that may be selected, in fewer instructions: the bits of a positive
// number are its rank, and all others, whose bits as a whole number are negative, belong to the first bin.
SKT_HD inline int bin_of_score(float score, std::uint32_t lowest) {
  std::int32_t bits = 0;
  std::memcpy(&bits, &score, sizeof bits);
  const int bin = (bits >> kScoreBinShift) - static_cast<int>(lowest - (0x80000000u >> kScoreBinShift));
  return bin < 0 ? 0 : bin < kScoreBins ? bin : kScoreBins - 1;  // one instruction
}

// The smallest ordered key of a bin; 0 belongs to no bin, as it is never selected.
SKT_HD constexpr std::uint32_t score_bin_begin(int bin, std::uint32_t lowest) {
  return bin == 0 ? 1u : (lowest + static_cast<std::uint32_t>(bin)) << kScoreBinShift;
}

}  // namespace skt::gpu
