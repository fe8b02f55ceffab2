// When are scores summed from fp16 half-tables, and how far are they then off?
//
// Where several query heads share a kv head, four of them share a look-up (gpu/packed_scores/lanes.cuh). An entry is
// stored as fp16(entry * 2^6), a term is the fp16 product of two, 4 terms are added by fp16 fused multiply-adds, and
// these sums in fp32; the score takes 2^-12 back. Entries are at most 1, so that 4 terms are at most 2^14 and nothing
// overflows.
//
// Error of a sum, with v = 2^-11: an entry is off by v relatively, or by 2^-25 below 2^-14, fp16's smallest normal; a
// term passes one rounding as it is added and at most three more in its chain, so that the sum is off by at most 1.01
// (6 v) relatively, plus for each table the subnormal part: 2^-25 * (high + low) * 2^6 of two entries and 4 * 2^-25 of
// its chain's roundings, in units of 2^-12. Positive terms: no cancellation.
#pragma once

#include <cstdint>

#include "gpu/functors/half_table.hpp"
#include "gpu/functors/host_device.hpp"

namespace skt::gpu {

inline constexpr int kChainTables = 4;
inline constexpr float kHalfEntryScale = 64;         // 2^6
inline constexpr float kHalfSumScale = 1.0f / 4096;  // 2^-12

inline constexpr double kHalfSumRelativeError = 1.01 * 6 * 0x1p-11;
// To a table, in units of probability: entries are at most 1.
inline constexpr double kHalfSumAbsoluteError = (2 * 64 + 4) * 0x1p-25 * 0x1p-12;

// Four heads' tables and counts leave room for the slots of 16 of the 20 warps or more in the 227 KB of an sm_90 block.
SKT_HD constexpr bool scores_in_half(std::int64_t group, std::int64_t tables, int planes) {
  return group > 1 && tables * half_table_entries(planes) * 8 <= 64 * 1024;
}

}  // namespace skt::gpu
