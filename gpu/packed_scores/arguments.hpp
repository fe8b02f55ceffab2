// What does a launch of packed scores tell its kernel, and which instances of the kernel are there?
#pragma once

#include "gpu/decode/decode_stages.hpp"

namespace skt::gpu {

struct ScoreArguments {
  skt_score_packed_args args;
  RowBins bins;
  RowProgress progress;
  Inputs inputs;
  int rows_at_once;  // kv rows whose half-tables a block keeps: 1 or 2
  int passes;        // over a kv head's query heads
};

int launch_one_head_scores(const ScoreArguments& kernel, CUstream_st* stream, skt_error* error);
int launch_four_head_scores(const ScoreArguments& kernel, CUstream_st* stream, skt_error* error);
int launch_signed_scores(const ScoreArguments& kernel, CUstream_st* stream, skt_error* error);

}  // namespace skt::gpu
