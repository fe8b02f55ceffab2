// What does a launch of packed scores tell its kernel, and which instances of the kernel are there?
#pragma once

#include "gpu/decode/decode_stages.hpp"
#include "gpu/device/launch.cuh"
#include "gpu/functors/index_pages.hpp"

namespace skt::gpu {

struct ScoreArguments {
  skt_score_packed_args args;
  RowBins bins;
  RowProgress progress;
  Inputs inputs;
  IndexPages pages;
  int rows_at_once;    // kv rows whose half-tables a block keeps: 1 or 2
  int passes;          // over a kv head's query heads
  int words = 0;       // of a key, where heads are multiplied
  int ring_tiles = 0;  // of a warp, in shared memory or on their way, there
};

// Whether the query heads that share a kv head share a list.
inline bool share_lists(const skt_score_packed_args& args) {
  return args.lists == SKT_LIST_OF_KV_HEAD && args.shape.heads > args.shape.kv_heads;
}

// Which launches an instance of a kernel serves. `any` asks in every tile what a launch has. The others serve the usual
// ones: one query row, neither pages nor a mask, and scores that are counted in a step's bins or in those of ranks, if at
// all. Asking costs a tile up to a quarter of its instructions (docs/experiments/gpu_step.md).
enum class Serves { any, step, rank };

inline Serves usual_case(const ScoreArguments& kernel) {
  const skt_score_packed_args& args = kernel.args;
  if (args.shape.query_rows > 1 || args.mask.allowed != nullptr || kernel.pages.paged()) return Serves::any;
  return kernel.bins.of_shards ? Serves::rank : Serves::step;
}

// Calls f.template operator()<serves>(), for the launch of `kernel`.
template <class F>
int with_usual_case(const ScoreArguments& kernel, F&& f) {
  switch (usual_case(kernel)) {
    case Serves::step:
      return f.template operator()<Serves::step>();
    case Serves::rank:
      return f.template operator()<Serves::rank>();
    default:
      return f.template operator()<Serves::any>();
  }
}

// Tells the compiler what a launch of the instance has not.
template <Serves serves>
SKT_HD void leave_out(ScoreArguments& kernel) {
  if constexpr (serves != Serves::any) {
    kernel.args.shape.query_rows = 1;
    kernel.args.mask.allowed = nullptr;
    kernel.pages.table = nullptr;
    kernel.bins.of_shards = serves == Serves::rank;
  }
}

// Of a block of an instance: its warps at most, how many of them find room in a step, and passes over a kv head's query
// heads.
struct BlockShape {
  int most_warps, counting_warps, passes;
};
constexpr int kFewestCountingWarps = 8;  // fewer would lose more time than the counts save the selection

int launch_one_head_scores(const ScoreArguments& kernel, CUstream_st* stream, skt_error* error);
int launch_four_head_scores(const ScoreArguments& kernel, CUstream_st* stream, skt_error* error);
int launch_signed_scores(const ScoreArguments& kernel, CUstream_st* stream, skt_error* error);
int launch_grouped_scores(const ScoreArguments& kernel, CUstream_st* stream, skt_error* error);
BlockShape grouped_block_shape(const skt_score_packed_args& args, const Device& device);

}  // namespace skt::gpu
