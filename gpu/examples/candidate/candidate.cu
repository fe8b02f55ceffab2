// A template for a kernel that gpu-check is to check, with a fault in it. Needs a CUDA compiler, and a GPU or the
// emulated device: CMakeLists.txt beside this file has the commands.
//
// skt_score_buckets sums in half precision, as one is tempted to; gpu-check says at which key, by how much, and how to
// run that case again. Replace the kernel by your own and add operations; what you leave out is skipped, and what you
// answer with SKT_UNSUPPORTED is counted, not failed.
#include <cuda_fp16.h>

#include <cstdint>
#include <cstdio>

#include "socketlab_gpu.h"

namespace {

constexpr int kThreads = 256;

int answer(int code, skt_error* error, const char* message) {
  if (error != nullptr) std::snprintf(error->message, sizeof error->message, "%s", message);
  return code;
}

int refuse(skt_error* error, const char* message) {
  return answer(SKT_BAD_ARGUMENT, error, message);
}

bool aligned(const void* pointer) {
  return reinterpret_cast<std::uintptr_t>(pointer) % 16 == 0;
}

bool usable(const void* pointer) {
  return pointer != nullptr && aligned(pointer);
}

int launched(skt_error* error) {
  const cudaError_t status = cudaGetLastError();
  if (status == cudaSuccess) return SKT_OK;
  return answer(SKT_CUDA_ERROR, error, cudaGetErrorString(status));
}

dim3 grid_of(std::int64_t keys, std::int64_t rows) {
  return {static_cast<unsigned>((keys + kThreads - 1) / kThreads), static_cast<unsigned>(rows)};
}

// Grid: [ceil(used / kThreads), batch * heads].
__global__ void score_buckets(skt_score_buckets_args args) {
  const skt_shape& s = args.shape;
  const std::int64_t key = std::int64_t{blockIdx.x} * kThreads + threadIdx.x;
  if (key >= args.used) return;
  const std::int64_t row = blockIdx.y;
  const std::int64_t batch = row / s.heads;
  const std::int64_t kv_row = batch * s.kv_heads + row % s.heads / (s.heads / s.kv_heads);
  const float* probabilities = static_cast<const float*>(args.probabilities) + (row * s.tables << s.planes);
  const std::int16_t* codes = args.codes + kv_row * s.tables * s.capacity + key;
  __half sum = __float2half_rn(0);  // wrong: a sum over tables needs fp32
  for (std::int64_t table = 0; table < s.tables; ++table) {
    const float p = probabilities[(table << s.planes) + codes[table * s.capacity]];
    sum = __float2half_rn(__half2float(sum) + p);
  }
  const float norm = __half2float(static_cast<const __half*>(args.norms)[kv_row * s.capacity + key]);
  const std::int64_t mask_row = args.mask.allowed_per_head ? row : batch;
  const bool allowed = args.mask.allowed == nullptr || args.mask.allowed[mask_row * s.capacity + key] != 0;
  args.scores[row * s.capacity + key] = allowed ? norm * __half2float(sum) : -INFINITY;
}

}  // namespace

int skt_abi_version() {
  return SKT_ABI_VERSION;
}

int skt_score_buckets(const skt_score_buckets_args* args, CUstream_st* stream, skt_error* error) {
  if (!usable(args->probabilities) || !usable(args->codes) || !usable(args->norms) || !usable(args->scores) ||
      !aligned(args->mask.allowed)) {  // which may be missing
    return refuse(error, "a pointer is missing or not 16-byte aligned");
  }
  if (args->shape.planes < 1 || args->shape.planes > 15) return refuse(error, "planes: allowed is 1 to 15");
  if (args->shape.heads % args->shape.kv_heads != 0) return refuse(error, "heads: allowed is a multiple of kv_heads");
  if (args->used > args->shape.capacity) return refuse(error, "used: allowed is up to capacity");
  if (args->probability_type != SKT_F32 || args->norm_type != SKT_F16 || args->bad_codes != nullptr) {
    return answer(SKT_UNSUPPORTED, error, "only fp32 probabilities, fp16 norms and trusted codes");
  }
  if (args->used == 0) return SKT_OK;
  score_buckets<<<grid_of(args->used, args->shape.batch * args->shape.heads), kThreads, 0, stream>>>(*args);
  return launched(error);
}
