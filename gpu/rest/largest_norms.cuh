// How long are the longest keys of a row? Warps of the half-tables' kernel say so, each of a share of the row.
//
// Of norms in fp16 the bits: not negative, they rise with them, NaN above all.
// Bytes: norms once.
#pragma once

#include <cuda_fp16.h>
#include <cuda_runtime.h>

#include <cstdint>
#include <cstring>

#include "gpu/functors/lengths.hpp"
#include "gpu/functors/packed_codes.hpp"
#include "gpu/rest/arguments.hpp"

namespace skt::gpu {

constexpr int kNormsAtOnce = 8;  // of a lane
constexpr int kNormsOfWarp = 32 * kNormsAtOnce;

// Share `share` of [kv rows, norm_shares], whole tiles.
struct NormShare {
  int kv_row;
  int begin, end;            // keys of the row
  int open_begin, open_end;  // those outside sink and window

  __device__ NormShare(const RestArguments& kernel, int of_all) : kv_row(of_all / kernel.norm_shares) {
    const int share = of_all % kernel.norm_shares;
    const int length = scored_length(kernel.sequences, kv_row / kernel.kv_heads);
    const int each = ceil_div(ceil_div(length, kernel.norm_shares), kTileKeys) * to_int(kTileKeys);
    begin = min(share * each, length);
    end = min(begin + each, length);
    open_begin = to_int(kernel.list.sink);
    open_end = window_begin(length, to_int(kernel.list.window));
  }
  // Eight norms, of which the first is that of key `key`.
  __device__ const uint4* norms_at(const RestArguments& kernel, int key) const {
    const std::int64_t place =
        kernel.pages.place_of(static_cast<unsigned>(kv_row), static_cast<unsigned>(key) / kTileKeys);
    return reinterpret_cast<const uint4*>(static_cast<const __half*>(kernel.norms) + place * kTileKeys +
                                          key % kTileKeys);
  }
};

// Brings to L2 what the warp will read, whoever may still write it: L2 is where writes meet. Not where pages or a length
// on the device say what that is, which may still be on their way.
__device__ inline void prefetch_norms(const RestArguments& kernel, int share) {
#if __CUDA_ARCH__ >= 900
  if (kernel.pages.paged() || kernel.sequences.lengths != nullptr) return;
  const NormShare of(kernel, share);
#pragma unroll 1
  for (int key = of.begin + kTileKeys * (static_cast<int>(threadIdx.x) % 32); key < of.end; key += 32 * kTileKeys) {
    asm volatile("prefetch.global.L2 [%0];" ::"l"(of.norms_at(kernel, key)));
  }
#endif
}

// Of a warp. From L2: an L1 might hold what was there before a key was appended.
__device__ inline void find_largest_norm(const RestArguments& kernel, int share) {
  const NormShare of(kernel, share);
  const int lane = static_cast<int>(threadIdx.x) % 32;
  std::uint32_t largest = 0;
#pragma unroll 8
  for (int key = of.begin + kNormsAtOnce * lane; key < of.end; key += kNormsOfWarp) {
    uint4 norms = __ldcg(of.norms_at(kernel, key));
    if (key < of.open_begin || key + kNormsAtOnce > of.open_end) {
      std::uint16_t each[kNormsAtOnce];
      std::memcpy(each, &norms, sizeof norms);
#pragma unroll
      for (int i = 0; i < kNormsAtOnce; ++i) {
        each[i] = key + i >= of.open_begin && key + i < of.open_end ? each[i] : 0;
      }
      std::memcpy(&norms, each, sizeof norms);
    }
    for (const std::uint32_t two : {norms.x, norms.y, norms.z, norms.w})
      largest = max(largest, max(two & 0xffffu, two >> 16));
  }
  largest = __reduce_max_sync(~0u, largest);
  if (lane == 0) kernel.largest_norms[share] = largest;
}

}  // namespace skt::gpu
