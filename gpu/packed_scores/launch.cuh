// How is the kernel of packed scores launched: with how many warps, rows, passes and blocks, and in which instance?
#pragma once

#include <cuda_runtime.h>

#include <algorithm>
#include <cstddef>

#include "gpu/device/launch.cuh"
#include "gpu/functors/lengths.hpp"
#include "gpu/packed_scores/kernel.cuh"
#include "gpu/packed_scores/lanes.cuh"

namespace skt::gpu {

// How many warps a block has that keeps the half-tables and counts of `rows` rows: as many as find room for their
// slots; 0 where the rest alone is too much.
template <class Lanes>
int score_warps(const skt_score_packed_args& args, bool counted, int rows, const Device& device) {
  const int planes = to_int(args.shape.planes);
  const std::int64_t left =
      device.shared_bytes - kTablesBarrierBytes -
      std::int64_t{rows} * (counts_bytes<Lanes>(counted) + tables_bytes<Lanes>(to_int(args.shape.tables), planes));
  const std::int64_t fit = left / (slots_bytes(planes) + kBarriersBytes);
  return to_int(std::clamp<std::int64_t>(fit, 0, Lanes::threads / 32));
}

// Passes over a kv head's query heads.
template <class Lanes>
int score_passes(const skt_score_packed_args& args) {
  return to_int(ceil_div(args.shape.heads / args.shape.kv_heads, Lanes::heads));
}
// Tiles that hold keys, of all kv rows; with lengths on the device, the most that there can be.
inline std::int64_t score_tiles(const skt_score_packed_args& args) {
  return args.shape.batch * args.shape.kv_heads * ceil_div(args.sequences.used, kTileKeys);
}

// Ranges of these tiles, one to a block of each pass of each query row.
inline std::int64_t score_ranges(const skt_score_packed_args& args, int passes, const Device& device) {
  const int blocks = passes * query_rows_of(args.shape);
  return std::min<std::int64_t>(score_tiles(args), std::max(1, device.multiprocessors / blocks));
}
// Query rows are scored apart: each has a length of its own, and the arithmetic of a call with that row alone. All of
// them run at a time, so that the codes they share come from memory once.
inline dim3 score_grid(const skt_score_packed_args& args, int passes, const Device& device) {
  return grid_of(score_ranges(args, passes, device) * passes, query_rows_of(args.shape));
}

template <int planes, class Lanes, int fixed_tables, Serves serves>
int launch_scores(ScoreArguments kernel, CUstream_st* stream, skt_error* error) {
  Device device;
  const cudaError_t status = query_device(device);
  if (status != cudaSuccess) return cuda_failure(status, error);
  const skt_score_packed_args& args = kernel.args;
  const bool counted = kernel.bins.counts != nullptr;
  // Two rows, where no warp is lost by it: then no warp waits where a range passes from one to the other.
  const int rows = score_warps<Lanes>(args, counted, 2, device) == Lanes::threads / 32 ? 2 : 1;
  const int warps = std::max(1, score_warps<Lanes>(args, counted, rows, device));
  kernel.rows_at_once = rows;
  kernel.passes = score_passes<Lanes>(args);
  Launch shape;
  shape.threads = 32 * warps;
  shape.shared_bytes = rows * (tables_bytes<Lanes>(to_int(args.shape.tables), planes) + counts_bytes<Lanes>(counted)) +
                       warps * (slots_bytes(planes) + kBarriersBytes) + kTablesBarrierBytes;
  shape.carveout = cudaSharedmemCarveoutMaxShared;
  shape.grid = score_grid(args, kernel.passes, device);
  return launch(score_packed_kernel<planes, Lanes, fixed_tables, serves>, shape, stream, kernel, error);
}

// Calls f.template operator()<planes>(), the number of planes known to the compiler.
template <int candidate = kFewestPackedPlanes, class F>
int with_planes(std::int64_t planes, F&& f) {
  if constexpr (candidate < kMostPackedPlanes) {
    if (planes != candidate) return with_planes<candidate + 1>(planes, f);
  }
  return f.template operator()<candidate>();
}

// The tables and planes most used, which an instance knows.
constexpr int kUsualTables = 60;
constexpr int kUsualPlanes = 10;
// Of 10 planes by the signed rule: 320 bits keep as much of the softmax as SOCKET's 600 (docs/gpu/accuracy.md).
constexpr int kSignedTables = 32;

// Whether launches of a step have an instance whatever their tables: of the planes that gpu/bench/bench_grid.cpp times.
// An instance takes 1 to 2 s to compile, so that other planes, and ranks of other tables, are left to `any`.
constexpr bool has_step_instance(int planes) {
  return planes == 8 || planes == kUsualPlanes || planes == 12;
}

// The kernel of the planes asked for, in the instance that knows most of the launch.
template <class Lanes>
int launch_scores_of(const ScoreArguments& kernel, CUstream_st* stream, skt_error* error) {
  return with_planes(kernel.args.shape.planes, [&]<int planes>() {
    if constexpr (planes == kUsualPlanes) {
      if (kernel.args.shape.tables == kUsualTables) {
        return with_usual_case(kernel, [&]<Serves serves>() {
          return launch_scores<planes, Lanes, kUsualTables, serves>(kernel, stream, error);
        });
      }
    }
    if constexpr (has_step_instance(planes)) {
      if (usual_case(kernel) == Serves::step) {
        if constexpr (Lanes::negative && planes == kUsualPlanes) {
          if (kernel.args.shape.tables == kSignedTables) {
            return launch_scores<planes, Lanes, kSignedTables, Serves::step>(kernel, stream, error);
          }
        }
        return launch_scores<planes, Lanes, 0, Serves::step>(kernel, stream, error);
      }
    }
    return launch_scores<planes, Lanes, 0, Serves::any>(kernel, stream, error);
  });
}

}  // namespace skt::gpu
