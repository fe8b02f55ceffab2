// Scores by the signed projection, a sum of partial sums (gpu/packed_scores/kernel.cuh).
#include "gpu/packed_scores/launch.cuh"

namespace skt::gpu {

int launch_signed_scores(const ScoreArguments& kernel, CUstream_st* stream, skt_error* error) {
  return launch_scores_of<OneHead<SignedProjection>>(kernel, stream, error);
}

}  // namespace skt::gpu
