// The published scoring kernel (paper, Algorithm 4): one thread to a key, one look-up to a table.
//
// CPU twin: soft_scores in estimators/collision_scores.hpp; gpu/check/host_twin.hpp repeats this arithmetic
// bit for bit. Arithmetic: fp32 sum over tables 0 .. L-1 in order, times the fp16 norm; -infinity where the
// key is not allowed. Error of a score, relative: tables * 2^-24 from the sum of positive terms, 2^-24 from
// the product. Bytes: 2 to a (key, table) and head for the codes, 2 for the norm, 4 for the score.
#include <cuda_fp16.h>
#include <cuda_runtime.h>

#include "gpu/launch.cuh"

namespace skt::gpu {
namespace {

constexpr int kThreads = 256;

// Grid: [ceil(keys / kThreads), batch * heads].
__global__ void __launch_bounds__(kThreads) score_buckets_kernel(skt_score_buckets_args args) {
  wait_for_previous_kernel();
  launch_next_kernel();
  const std::int64_t key = static_cast<std::int64_t>(blockIdx.x) * kThreads + threadIdx.x;
  if (key >= args.keys) return;
  const std::int64_t row = blockIdx.y;
  const std::int64_t batch = row / args.heads;
  const std::int64_t kv_row = batch * args.kv_heads + row % args.heads / (args.heads / args.kv_heads);
  const std::int16_t* codes = args.codes + kv_row * args.tables * args.capacity + key;
  const float* probabilities = args.probabilities + ((row * args.tables) << args.planes);
  const int buckets = 1 << args.planes;
  float sum = 0;
  for (int table = 0; table < args.tables; ++table, codes += args.capacity, probabilities += buckets) {
    const int code = *codes;
    if (args.bad_codes != nullptr && (code < 0 || code >= buckets)) {
      atomicAdd(reinterpret_cast<unsigned long long*>(args.bad_codes), 1ull);
      continue;
    }
    sum += probabilities[code];
  }
  const float norm = __half2float(static_cast<const __half*>(args.norms)[kv_row * args.capacity + key]);
  const std::int64_t mask_row = args.allowed_per_head ? row : batch;
  const bool allowed = args.allowed == nullptr || args.allowed[mask_row * args.capacity + key] != 0;
  args.scores[row * args.capacity + key] = allowed ? norm * sum : -INFINITY;
}

Validation validate(const skt_score_buckets_args& args, skt_error* error) {
  Validation check(error);
  check.heads(args.batch, args.heads, args.kv_heads);
  check.cache(args.capacity);
  check.in_range("keys", args.keys, 0, args.capacity);
  check.hash(args.tables, args.planes, 1);
  check.in_range("allowed_per_head", args.allowed_per_head, 0, 1);
  check.pointer("probabilities", args.probabilities);
  check.pointer("codes", args.codes);
  check.pointer("norms", args.norms);
  check.optional_pointer("allowed", args.allowed);
  check.pointer("scores", args.scores);
  check.optional_pointer("bad_codes", args.bad_codes, 8);
  return check;
}

}  // namespace
}  // namespace skt::gpu

using namespace skt::gpu;

int skt_score_buckets(const skt_score_buckets_args* args, CUstream_st* stream, skt_error* error) {
  const Validation check = validate(*args, error);
  if (check.failed() || args->keys == 0) return check.code();
  Launch shape;
  shape.grid = dim3(static_cast<unsigned>((args->keys + kThreads - 1) / kThreads),
                    static_cast<unsigned>(args->batch * args->heads));
  shape.threads = kThreads;
  return launch(score_buckets_kernel, shape, stream, *args, error);
}
