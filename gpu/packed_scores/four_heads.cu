// Scores of four query heads at a time that share a kv head (gpu/packed_scores/kernel.cuh).
#include "gpu/packed_scores/launch.cuh"

namespace skt::gpu {

int launch_four_head_scores(const ScoreArguments& kernel, CUstream_st* stream, skt_error* error) {
  return share_lists(kernel.args) ? launch_scores_of<FourHeads<true>>(kernel, stream, error)
                                  : launch_scores_of<FourHeads<false>>(kernel, stream, error);
}

}  // namespace skt::gpu
