// Into which bin of its row does a score fall, when scores are counted?
//
// Bins divide the ordered keys (gpu/ordered_key.hpp) of the scores 2^-16 .. 2^16 by their exponent and the
// first 6 bits of their fraction: 64 to an octave, so that a bin is at most 1/64 of its score wide and holds
// few of a row's keys. The first bin takes all below, negative scores too, and the last all above: bins only
// tell the selection where to begin, and it divides further whatever bin the threshold falls in. It would be
// wrong if bins overlapped, left a gap, or fell with rising score; tests/gpu/score_bins_test.cpp.
#pragma once

#include <cstdint>

#include "gpu/host_device.hpp"

namespace skt::gpu {

inline constexpr int kScoreBins = 2048;    // 32 octaves of 64
inline constexpr int kScoreBinShift = 17;  // leaves the sign, 8 bits of exponent and 6 of fraction
// The ordered key of 2^-16, in units of a bin: exponent field 127 - 16 behind a set bit.
inline constexpr std::uint32_t kLowestScoreBin = (0x80000000u | (127u - 16u) << 23) >> kScoreBinShift;

SKT_HD constexpr int score_bin(std::uint32_t ordered) {
  const std::uint32_t position = ordered >> kScoreBinShift;
  if (position <= kLowestScoreBin) return 0;
  const std::uint32_t bin = position - kLowestScoreBin;
  return bin < kScoreBins ? static_cast<int>(bin) : kScoreBins - 1;
}

// The smallest ordered key of a bin; 0 belongs to no bin, as it is never selected.
SKT_HD constexpr std::uint32_t score_bin_begin(int bin) {
  return bin == 0 ? 1u : (kLowestScoreBin + static_cast<std::uint32_t>(bin)) << kScoreBinShift;
}

}  // namespace skt::gpu
