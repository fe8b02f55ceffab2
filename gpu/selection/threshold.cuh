// Which score is a row's budget-th largest? By counts in bins, exactly, in whole numbers.
//
// The bin that holds it is divided into 2048 again until few enough keys are left to gather in shared memory, where the
// same division finds the key. It would be wrong if an interval lost the threshold: gpu-check compares the selected
// sets with a sort.
#pragma once

#include "gpu/device/barrier.cuh"
#include "gpu/device/cluster.cuh"
#include "gpu/device/warp_scan.cuh"
#include "gpu/functors/ordered_key.hpp"
#include "gpu/functors/score_bins.hpp"

namespace skt::gpu {

constexpr int kSelectThreads = 512;
constexpr int kSelectWarps = kSelectThreads / 32;
constexpr int kSelectBinBits = 11;
constexpr int kSelectBins = 1 << kSelectBinBits;
static_assert(kSelectBins == 4 * kSelectThreads && kSelectBins == kScoreBins);  // 4 bins to a thread
constexpr int kGatheredKeys = 4096;  // of a row; a bin of gpu/functors/score_bins.hpp rarely holds more

// Sink and window keys rank above every score: the largest score, +infinity, has the key 0xff800000.
constexpr std::uint32_t kForced = ~0u;
constexpr std::uint32_t kAll = ~0u;

// The keys in [base, base + span]: the interval that holds the threshold, 2^width wide or less. `need` of them, lowest
// index first, are selected, or kAll; keys above are all selected, keys below none.
struct Threshold {
  std::uint32_t base;
  std::uint32_t span;
  int width;  // 0 .. 32
  std::uint32_t need;
  std::uint32_t count;  // keys of the row in the interval, if it is known; else kAll

  __device__ bool contains(std::uint32_t key) const { return key - base <= span; }
  __device__ bool is_above(std::uint32_t key) const { return key > base && !contains(key); }
  __device__ bool is_divisible() const { return width > 0 && need != kAll; }
};

struct SelectedBin {
  std::uint32_t bin, above, count;
};

// What finding a threshold needs of a block's shared memory.
struct ThresholdShared {
  std::uint32_t bins[2][kSelectBins];  // by turns: others may still read the last round's
  std::uint32_t warp_totals[kSelectWarps];
  SelectedBin selected;
};

// Sum of `value` over the threads of a block before this one, and over all of them.
__device__ inline std::uint32_t scan_block(std::uint32_t value, std::uint32_t* warp_totals, std::uint32_t& total) {
  std::uint32_t of_warp = 0;
  std::uint32_t before = scan_warp(value, of_warp);
  if (threadIdx.x % 32 == 0) warp_totals[threadIdx.x / 32] = of_warp;
  block_barrier();
  total = 0;
  const int my_warp = threadIdx.x / 32;
#pragma unroll
  for (int warp = 0; warp < kSelectWarps; ++warp) {
    if (warp < my_warp) before += warp_totals[warp];
    total += warp_totals[warp];
  }
  return before;
}

// The bins of a thread, the highest bins to the first thread.
__device__ inline int my_bins() {
  const int thread = threadIdx.x;
  return kSelectThreads - 1 - thread;
}

// The bin of the need-th key from above, 1 <= need, of which `above` are in bins of threads before this one.
__device__ inline SelectedBin bin_that_holds(const uint4& counts, std::uint32_t above, std::uint32_t need,
                                             ThresholdShared& shared) {
  const std::uint32_t falling[4] = {counts.w, counts.z, counts.y, counts.x};
#pragma unroll
  for (int i = 0; i < 4; ++i) {
    if (above < need && need - above <= falling[i]) {
      const std::uint32_t bin = 4 * my_bins() + 3 - i;
      shared.selected = {bin, above, falling[i]};
    }
    above += falling[i];
  }
  block_barrier();
  return shared.selected;
}

// The same. If all bins together hold fewer, false.
__device__ inline bool find_bin(const uint4& counts, std::uint32_t need, ThresholdShared& shared, SelectedBin& found) {
  std::uint32_t total = 0;
  const std::uint32_t above = scan_block(counts.x + counts.y + counts.z + counts.w, shared.warp_totals, total);
  found = bin_that_holds(counts, above, need, shared);
  return need <= total;
}

__device__ inline int width_of(std::uint32_t span) {
  return 32 - __clz(span);
}

// The part [begin, begin + span] of `threshold` that is one bin.
__device__ inline Threshold narrowed(const Threshold& threshold, std::uint32_t begin, std::uint32_t span,
                                     const SelectedBin& found) {
  Threshold narrower = {begin, span, width_of(span), threshold.need - found.above, found.count};
  if (narrower.need == found.count) narrower.need = kAll;  // no need to divide what is taken whole
  return narrower;
}

// Only keys that are forced lie above this one.
__device__ inline Threshold nothing_but_forced() {
  return {kForced - 1, 0, 0, 0, 0};
}
__device__ inline Threshold everything(std::uint32_t need) {
  return {1, kForced - 2, 32, need, kAll};
}

// From a row's counts in the bins of gpu/functors/score_bins.hpp, those of my_bins() to each thread.
__device__ inline Threshold from_score_bins(const uint4& counts, std::uint32_t lowest, std::uint32_t budget,
                                            ThresholdShared& shared) {
  SelectedBin found;
  if (!find_bin(counts, budget, shared, found)) return everything(kAll);
  const int bin = found.bin;
  const std::uint32_t begin = score_bin_begin(bin, lowest);
  const std::uint32_t end = bin + 1 < kScoreBins ? score_bin_begin(bin + 1, lowest) : kForced;
  return narrowed(everything(budget), begin, end - 1 - begin, found);
}

__device__ inline void clear(std::uint32_t* bins) {
  reinterpret_cast<uint4*>(bins)[threadIdx.x] = {0, 0, 0, 0};
  block_barrier();
}

// One round: the threshold's interval divided by up to 2048. visit(count) shows every key to count(); gather(bins) adds
// up what other blocks counted, after a barrier of its own.
template <class Visit, class Gather>
__device__ Threshold narrow(const Threshold& threshold, std::uint32_t* bins, ThresholdShared& shared, Visit&& visit,
                            Gather&& gather) {
  const int shift = max(threshold.width - kSelectBinBits, 0);
  clear(bins);
  visit([&](std::uint32_t key) {
    if (threshold.contains(key)) atomicAdd(&bins[(key - threshold.base) >> shift], 1u);
  });
  const uint4 counts = gather(bins);
  SelectedBin found;
  if (!find_bin(counts, threshold.need, shared, found)) {  // only where the count was not known before
    Threshold all = threshold;
    all.need = kAll;
    return all;
  }
  const std::uint32_t begin = found.bin << shift;  // of the bin, from base
  return narrowed(threshold, threshold.base + begin, min((1u << shift) - 1, threshold.span - begin), found);
}

}  // namespace skt::gpu
