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
