// The published scoring kernel (paper, Algorithm 4): one thread to a key, one look-up to a table.
//
// CPU twin: soft_scores in estimators/collision_scores.hpp; gpu/check/references/host_twin.hpp repeats this arithmetic
// bit for bit.
// Arithmetic: fp32 sum over tables 0 .. L-1 in order, times the norm; probabilities and norms of 16 bits become fp32 as
// they are read; -infinity where the key is not allowed.
// Error of a score, relative: tables * 2^-24 from the sum of positive terms, 2^-24 from the product.
// Bytes: 2 to a (key, table) and head for the codes, 2 for the norm, 4 for the score.
// What bounds it: a warp's 32 look-ups fall in as many places of a table, which the first-level cache serves a few at a
// time; codes are read past that cache, so that the table stays there, and kTablesAtOnce of them before the first
// look-up waits for one.
#include <cuda_runtime.h>

#include "gpu/device/element.cuh"
#include "gpu/device/launch.cuh"

namespace skt::gpu {
namespace {

// 424 to 428 us at 145,408 keys of 32 heads, L = 60, P = 10 on an H200, where the published kernel took 402; blocks of
// 1024 with 10 tables take 341, blocks of 256 with one table at a time 503.
constexpr int kThreads = 256;
constexpr int kTablesAtOnce = 6;

enum class CodesAre { trusted, checked };

struct KernelArguments {
  const void* probabilities;  // and so on, as skt_score_buckets_args has them
  const std::int16_t* codes;
  const void* norms;
  const std::uint8_t* allowed;
  float* scores;
  std::int64_t* bad_codes;
  std::int64_t heads, kv_heads, capacity, used, tables, planes;
  std::int32_t allowed_per_head, norm_type;
};

// bad_codes: how many, and the first as the place in `codes` (all bits set: none).
__device__ void note_bad_code(const KernelArguments& args, const std::int16_t* code) {
  auto* noted = reinterpret_cast<unsigned long long*>(args.bad_codes);
  atomicAdd(&noted[0], 1ull);
  const unsigned long long place = code - args.codes;
  atomicMin(&noted[1], place);
}

// Adds `count` <= kTablesAtOnce tables. If codes are checked, one outside the table adds 0, and the first head of those
// that share it notes it.
template <class Probability, CodesAre codes_are>
__device__ float add_tables(const KernelArguments& args, const Probability* probabilities, const std::int16_t* codes,
                            int count, float sum) {
  int code[kTablesAtOnce];
#pragma unroll
  for (int i = 0; i < kTablesAtOnce; ++i) code[i] = i < count ? __ldcs(codes + i * args.capacity) : 0;
#pragma unroll
  for (int i = 0; i < kTablesAtOnce; ++i) {
    if (i >= count) break;
    if (codes_are == CodesAre::checked && static_cast<unsigned>(code[i]) >> args.planes != 0) {
      if (blockIdx.y % (args.heads / args.kv_heads) == 0) note_bad_code(args, codes + i * args.capacity);
      continue;
    }
    sum += to_float(probabilities[(i << args.planes) + code[i]]);
  }
  return sum;
}

// Grid: [ceil(used / kThreads), batch * heads].
template <class Probability, CodesAre codes_are>
__global__ void __launch_bounds__(kThreads) score_buckets_kernel(KernelArguments args) {
  wait_for_previous_kernel();
  launch_next_kernel();
  const std::int64_t key = std::int64_t{blockIdx.x} * kThreads + threadIdx.x;
  if (key >= args.used) return;
  const std::int64_t row = blockIdx.y;
  const std::int64_t batch = row / args.heads;
  const std::int64_t kv_row = batch * args.kv_heads + row % args.heads / (args.heads / args.kv_heads);
  const std::int16_t* codes = args.codes + kv_row * args.tables * args.capacity + key;
  const auto* probabilities =
      static_cast<const Probability*>(args.probabilities) + ((row * args.tables) << args.planes);
  float sum = 0;
  for (int left = to_int(args.tables); left > 0; left -= kTablesAtOnce) {
    sum = left >= kTablesAtOnce ? add_tables<Probability, codes_are>(args, probabilities, codes, kTablesAtOnce, sum)
                                : add_tables<Probability, codes_are>(args, probabilities, codes, left, sum);
    codes += kTablesAtOnce * args.capacity;
    probabilities += kTablesAtOnce << args.planes;
  }
  const std::int64_t mask_row = args.allowed_per_head ? row : batch;
  const bool allowed = args.allowed == nullptr || args.allowed[mask_row * args.capacity + key] != 0;
  args.scores[row * args.capacity + key] =
      allowed ? load_as(args.norm_type, args.norms, kv_row * args.capacity + key) * sum : -INFINITY;
}

Validation validate(const skt_score_buckets_args& args, skt_error* error) {
  Validation check(error);
  check.heads(args.shape);
  check.one_query_row(args.shape);
  check.capacity(args.shape);
  check.used(args.used, args.shape);
  check.hash(args.shape, 1, kMostPublishedPlanes);
  check.mask(args.mask);
  check.type("probability_type", args.probability_type);
  check.in_range("norm_type", args.norm_type, SKT_F16, SKT_BF16);
  check.pointer("probabilities", args.probabilities);
  check.pointer("codes", args.codes);
  check.pointer("norms", args.norms);
  check.pointer("scores", args.scores);
  check.optional_pointer("bad_codes", args.bad_codes, 8);
  return check;
}

// Waits for the scores and refuses bad codes.
int refuse_bad_codes(const skt_score_buckets_args& args, cudaStream_t stream, skt_error* error) {
  std::int64_t noted[2] = {};
  cudaError_t status = cudaMemcpyAsync(noted, args.bad_codes, sizeof noted, cudaMemcpyDeviceToHost, stream);
  if (status == cudaSuccess) status = cudaStreamSynchronize(stream);
  if (status != cudaSuccess || noted[0] == 0) return cuda_failure(status, error);
  if (error != nullptr) {
    const std::int64_t table = noted[1] / args.shape.capacity;
    const std::int64_t kv_row = table / args.shape.tables;
    std::snprintf(error->message, sizeof error->message,
                  "codes: %" PRId64 " outside 0 to %d, the first at batch %" PRId64 ", kv head %" PRId64
                  ", table %" PRId64 ", key %" PRId64,
                  noted[0], (1 << args.shape.planes) - 1, kv_row / args.shape.kv_heads, kv_row % args.shape.kv_heads,
                  table % args.shape.tables, noted[1] % args.shape.capacity);
  }
  return SKT_BAD_CODES;
}

// Scores with checked codes.
template <class Probability>
int launch_checked(const skt_score_buckets_args& args, const KernelArguments& kernel, const Launch& shape,
                   cudaStream_t stream, skt_error* error) {
  cudaError_t status = cudaMemsetAsync(args.bad_codes, 0, sizeof(std::int64_t), stream);
  if (status == cudaSuccess) status = cudaMemsetAsync(args.bad_codes + 1, 0xff, sizeof(std::int64_t), stream);
  if (status != cudaSuccess) return cuda_failure(status, error);
  const int code = launch(score_buckets_kernel<Probability, CodesAre::checked>, shape, stream, kernel, error);
  return code == SKT_OK ? refuse_bad_codes(args, stream, error) : code;
}

}  // namespace
}  // namespace skt::gpu

using namespace skt::gpu;

int skt_score_buckets(const skt_score_buckets_args* args, CUstream_st* stream, skt_error* error) {
  const Validation check = validate(*args, error);
  if (check.failed() || args->used == 0) return check.code();
  const skt_shape& s = args->shape;
  const KernelArguments kernel = {.probabilities = args->probabilities,
                                  .codes = args->codes,
                                  .norms = args->norms,
                                  .allowed = args->mask.allowed,
                                  .scores = args->scores,
                                  .bad_codes = args->bad_codes,
                                  .heads = s.heads,
                                  .kv_heads = s.kv_heads,
                                  .capacity = s.capacity,
                                  .used = args->used,
                                  .tables = s.tables,
                                  .planes = s.planes,
                                  .allowed_per_head = args->mask.allowed_per_head,
                                  .norm_type = args->norm_type};
  Launch shape = thread_to_a_key(args->used, kThreads, s.batch * s.heads);
  shape.carveout = cudaSharedmemCarveoutMaxL1;  // else what the kernel before has left
  return with_element(args->probability_type, [&]<class Probability>(const Probability*) {
    return args->bad_codes == nullptr
               ? launch(score_buckets_kernel<Probability, CodesAre::trusted>, shape, stream, kernel, error)
               : launch_checked<Probability>(*args, kernel, shape, stream, error);
  });
}
