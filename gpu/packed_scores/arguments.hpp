// What does a launch of packed scores tell its kernel, and which instances of the kernel are there?
#pragma once

#include "gpu/decode/decode_stages.hpp"

namespace skt::gpu {

struct ScoreArguments {
  skt_score_packed_args args;
  RowBins bins;
  RowProgress progress;
  Codes codes;
  unsigned tiles_per_row;  // that hold keys
  unsigned rows_at_once;   // kv rows whose half-tables a block keeps
  int passes;              // over a kv head's query heads
};

int launch_one_head_scores(const ScoreArguments& kernel, CUstream_st* stream, skt_error* error);
int launch_four_head_scores(const ScoreArguments& kernel, CUstream_st* stream, skt_error* error);
int launch_signed_scores(const ScoreArguments& kernel, CUstream_st* stream, skt_error* error);

}  // namespace skt::gpu
