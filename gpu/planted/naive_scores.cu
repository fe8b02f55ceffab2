// Probabilities, one warp to a table, and the published scores, one thread to a key; see planted.hpp.
#include "gpu/functors/half_table.hpp"
#include "gpu/planted/planted.hpp"

namespace skt::gpu {
namespace {

constexpr int kThreads = 128;
constexpr int kMaxPlanes = 16;

// A number that looks drawn from N(0, 0.02^2), as the published code's corners are: of a sum of 12 uniforms.
__device__ float noise_corner(std::uint32_t code, std::uint32_t plane) {
  std::uint32_t state = code * 32 + plane + 1;
  float sum = -6;
  for (int i = 0; i < 12; ++i) {
    state = state * 1664525u + 1013904223u;
    sum += static_cast<float>(state >> 8) * 0x1p-24f;
  }
  return 0.02f * sum;
}

__device__ float entry_with_noise(const float* logits, int planes, int entry) {
  float logit = 0;
  for (int p = 0; p < planes; ++p) logit += 0.5f * logits[p] * noise_corner(entry, p);
  return expf(logit) / sqrtf(static_cast<float>(1 << planes));
}

// Grid: [tables, batch * heads]; one warp.
template <class Element>
__global__ void naive_soft_buckets(skt_soft_buckets_args args) {
  __shared__ float logits[kMaxPlanes];
  __shared__ float halves[1 << (kMaxPlanes / 2 + 2)];
  const int lane = threadIdx.x;
  const int planes = to_int(args.shape.planes);
  const auto* query = static_cast<const Element*>(args.queries) + blockIdx.y * args.shape.dim;
  for (int p = 0; p < planes; ++p) {
    const float* w = args.hyperplanes + (blockIdx.x * planes + p) * args.shape.dim;
    float sum = 0;
    for (int d = lane; d < args.shape.dim; d += 32) sum = fmaf(to_float(query[d]), w[d], sum);
    for (int lanes = 16; lanes > 0; lanes /= 2) sum += __shfl_xor_sync(~0u, sum, lanes);
    const float scale = kPlanted == Planted::missing_inverse_sqrt_dim ? 1.0f : args.scale;
    const float temperature = kPlanted == Planted::temperature_dropped ? 1.0f : args.temperature;
    if (lane == 0) logits[p] = plane_logit(sum, scale, temperature);
  }
  __syncwarp();
  const std::int64_t row = blockIdx.y * args.shape.tables + blockIdx.x;
  const int entries = half_table_entries(planes);
  for (int i = lane; i < entries; i += 32) {
    halves[i] =
        kPlanted == Planted::noise_corners ? entry_with_noise(logits, planes, i) : half_tables_entry(logits, planes, i);
    if (args.form == SKT_HALF_TABLES) static_cast<float*>(args.probabilities)[row * entries + i] = halves[i];
  }
  if (args.form == SKT_HALF_TABLES) return;
  __syncwarp();
  const int low = low_planes(planes);
  for (int code = lane; code < 1 << planes; code += 32) {
    store_as(args.probability_type, args.probabilities, (row << planes) + code,
             halves[code >> low] * halves[(1 << high_planes(planes)) + (code & ((1 << low) - 1))]);
  }
}

__device__ bool is_bad(const skt_score_buckets_args& args, std::int64_t at) {
  const int code = args.codes[at];
  if (args.bad_codes == nullptr || (code >= 0 && code < 1 << args.shape.planes)) return false;
  if (blockIdx.y % (args.shape.heads / args.shape.kv_heads) != 0) return true;  // noted by the first head of a group
  auto* noted = reinterpret_cast<unsigned long long*>(args.bad_codes);
  if (kPlanted == Planted::bad_codes_race) {
    volatile std::int64_t* count = args.bad_codes;
    *count = *count + 1;
  } else {
    atomicAdd(&noted[0], 1ull);
  }
  const unsigned long long place = at;
  atomicMin(&noted[1], place);
  return true;
}

// Grid: [ceil(keys / kThreads), batch * heads].
template <class Probability>
__global__ void naive_score_buckets(skt_score_buckets_args args) {
  const std::int64_t key = std::int64_t{blockIdx.x} * kThreads + threadIdx.x;
  const std::int64_t end = kPlanted == Planted::off_by_one_tail ? args.used + 1 : args.used;
  if (key >= end) return;
  const std::int64_t row = blockIdx.y;
  const std::int64_t batch = row / args.shape.heads;
  const std::int64_t group = args.shape.heads / args.shape.kv_heads;
  const std::int64_t kv_head = kPlanted == Planted::wrong_kv_head ? row % args.shape.heads % args.shape.kv_heads
                                                                  : row % args.shape.heads / group;
  const std::int64_t kv_row = batch * args.shape.kv_heads + kv_head;
  const auto* p =
      static_cast<const Probability*>(args.probabilities) + ((row * args.shape.tables) << args.shape.planes);
  float sum = 0;
  for (std::int64_t table = 0; table < args.shape.tables; ++table) {
    std::int64_t at = (kv_row * args.shape.tables + table) * args.shape.capacity + key;
    if (kPlanted == Planted::int32_wrap) at = static_cast<std::int32_t>(at);
    if (!is_bad(args, at)) sum += to_float(p[(table << args.shape.planes) + args.codes[at]]);
  }
  const std::int64_t at = kv_row * args.shape.capacity + key;
  const float norm = load_as(args.norm_type, args.norms, at);
  const std::int64_t mask_row = args.mask.allowed_per_head ? row : batch;
  const bool forbidden = args.mask.allowed != nullptr && args.mask.allowed[mask_row * args.shape.capacity + key] == 0;
  args.scores[row * args.shape.capacity + key] =
      forbidden && kPlanted != Planted::mask_ignored ? -INFINITY : norm * sum;
}

}  // namespace
}  // namespace skt::gpu

using namespace skt::gpu;

int skt_soft_buckets(const skt_soft_buckets_args* args, CUstream_st* stream, skt_error* error) {
  const int code = right<decltype(skt_soft_buckets)>("skt_soft_buckets")(args, stream, error);
  if (code != SKT_OK || args->corners != nullptr || args->form == SKT_HALF_SUMS) return code;
  const dim3 grid = grid_of(args->shape.tables, all_rows(args->shape));
  return with_element(args->query_type, [&]<class Element>(const Element*) {
    naive_soft_buckets<Element><<<grid, 32, 0, stream>>>(*args);
    return launched(error);
  });
}

int skt_score_buckets(const skt_score_buckets_args* args, CUstream_st* stream, skt_error* error) {
  skt_score_buckets_args trusted = *args;
  trusted.used = 0;  // checked, and nothing launched
  const int code = right<decltype(skt_score_buckets)>("skt_score_buckets")(
      args->used < 0 || args->used > args->shape.capacity ? args : &trusted, stream, error);
  if (code != SKT_OK || args->used == 0) return code;
  const dim3 grid = grid_of(args->used / kThreads + 1, all_rows(args->shape));
  std::int64_t noted[2] = {0, -1};
  if (args->bad_codes != nullptr) cudaMemcpyAsync(args->bad_codes, noted, sizeof noted, cudaMemcpyHostToDevice, stream);
  const int launch_code = with_element(args->probability_type, [&]<class Probability>(const Probability*) {
    naive_score_buckets<Probability><<<grid, kThreads, 0, stream>>>(*args);
    return launched(error);
  });
  if (args->bad_codes == nullptr || launch_code != SKT_OK) return launch_code;
  cudaMemcpyAsync(noted, args->bad_codes, sizeof noted, cudaMemcpyDeviceToHost, stream);
  cudaStreamSynchronize(stream);
  if (noted[0] == 0) return launched(error);
  const std::int64_t table = noted[1] / args->shape.capacity;
  if (error != nullptr) {
    std::snprintf(error->message, sizeof error->message,
                  "%" PRId64 " bad codes, the first of key %" PRId64 " in table %" PRId64, noted[0],
                  noted[1] % args->shape.capacity, table % args->shape.tables);
  }
  return SKT_BAD_CODES;
}
