// A user's scoring kernel, for own_kernels_test.py: a warp to a key, a lane to every 32nd table. It has the forms of CUDA
// that the project's own kernels lack: a shared number, a launch of a template over several lines, headers by -I.
#include <cuda_fp16.h>

#include <answers.h>

#include "warp_sum.cuh"

namespace mine {

static_assert(sizeof(uint2) == 8);

template <class Number, int Warps>
__global__ void score(skt_score_buckets_args args) {
  // clang-format off
  __shared__ Number norms[Warps]; __shared__ int first;  // two __shared__ on a line; and no launch: <<<>>>
  // clang-format on
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  if (threadIdx.x == 0) first = blockIdx.x * Warps;
  __syncthreads();
  const int64_t key = first + warp, row = blockIdx.y, batch = row / args.shape.heads;
  const int64_t own = batch * args.shape.kv_heads + row % args.shape.heads / (args.shape.heads / args.shape.kv_heads);
  if (key >= args.used) return;
  if (lane == 0) norms[warp] = __half2float(static_cast<const __half*>(args.norms)[own * args.shape.capacity + key]);
  __syncwarp();
  Number sum = 0;
  for (int64_t table = lane; table < args.shape.tables; table += 32) {
    const int16_t code = __ldg(args.codes + (own * args.shape.tables + table) * args.shape.capacity + key);
    sum += static_cast<const float*>(args.probabilities)[(row * args.shape.tables + table << args.shape.planes) + code];
  }
  sum = warp_sum<Number, 32>(sum);
  if (lane != 0) return;
  const int64_t mask = args.mask.allowed_per_head ? row : batch;
  const bool allowed = args.mask.allowed == nullptr || args.mask.allowed[mask * args.shape.capacity + key] != 0;
  args.scores[row * args.shape.capacity + key] = allowed ? norms[warp] * sum : -INFINITY;
}

}  // namespace mine

int skt_abi_version() {
  return SKT_ABI_VERSION;
}

int skt_score_buckets(const skt_score_buckets_args* args, CUstream_st* stream, skt_error* error) {
  if (args->probability_type != SKT_F32 || args->norm_type != SKT_F16 || args->bad_codes != nullptr) {
    return answer(SKT_UNSUPPORTED, error, "fp32 probabilities, fp16 norms and trusted codes alone");
  }
  if (args->used == 0) return SKT_OK;
  constexpr int warps = 4;
  const dim3 grid(static_cast<unsigned>((args->used + warps - 1) / warps),
                  static_cast<unsigned>(args->shape.batch * args->shape.heads));
  mine::score<float, warps><<<grid, 32 * warps, 0, stream>>>(*args);
  return cudaGetLastError() == cudaSuccess ? SKT_OK : answer(SKT_CUDA_ERROR, error, "launch");
}
