// Key codes and value norms, one thread to a key; see planted.hpp.
#include "gpu/planted/planted.hpp"

namespace skt::gpu {
namespace {

constexpr int kThreads = 128;

// Grid: [ceil(count / kThreads), tables, batch * kv_heads].
template <class Element>
__global__ void naive_hash_keys(skt_hash_keys_args args) {
  const std::int64_t offset = static_cast<std::int64_t>(blockIdx.x) * kThreads + threadIdx.x;
  if (offset >= args.count) return;
  const std::int64_t key = args.first + offset;
  const auto* k = static_cast<const Element*>(args.keys) + (blockIdx.z * args.capacity + key) * args.dim;
  const float* planes = args.hyperplanes + blockIdx.y * args.planes * args.dim;
  int code = 0;
  for (int p = 0; p < args.planes; ++p) {
    float projection = 0;
    for (int d = 0; d < args.dim; ++d)
      projection = fmaf(to_float(k[d]), planes[p * args.dim + d], projection);
    const bool bit = kPlanted == Planted::greater_for_at_least ? projection > 0 : projection >= 0;
    code = kPlanted == Planted::little_endian_codes ? code | bit << p : 2 * code + bit;
  }
  args.codes[(blockIdx.z * args.tables + blockIdx.y) * args.capacity + key] = static_cast<std::int16_t>(code);
}

// Grid: [ceil(count / kThreads), batch * kv_heads].
template <class Element>
__global__ void naive_value_norms(skt_value_norms_args args) {
  const std::int64_t offset = static_cast<std::int64_t>(blockIdx.x) * kThreads + threadIdx.x;
  const std::int64_t end = kPlanted == Planted::norms_off_by_one_tail ? args.count + 1 : args.count;
  if (offset >= end) return;
  const std::int64_t row = blockIdx.y * args.capacity + args.first + offset;
  const auto* v = static_cast<const Element*>(args.values) + row * args.dim;
  float sum = 0;
  for (int d = 0; d < args.dim; ++d) sum = fmaf(to_float(v[d]), to_float(v[d]), sum);
  const float norm = __fsqrt_rn(sum);
  const bool saturates = args.form == SKT_NORM_F16 && kPlanted != Planted::norms_overflow && norm > 65504.0f;
  if (args.form == SKT_NORM_BF16) {
    static_cast<__nv_bfloat16*>(args.norms)[row] = __float2bfloat16_rn(norm);
  } else {
    static_cast<__half*>(args.norms)[row] = __float2half_rn(saturates ? 65504.0f : norm);
  }
}

dim3 grid_of(std::int64_t count, std::int64_t y, std::int64_t z) {
  return {static_cast<unsigned>((count + kThreads - 1) / kThreads), static_cast<unsigned>(y),
          static_cast<unsigned>(z)};
}

}  // namespace
}  // namespace skt::gpu

using namespace skt::gpu;

int skt_hash_keys(const skt_hash_keys_args* args, CUstream_st* stream, skt_error* error) {
  skt_hash_keys_args asked = *args;
  const bool wraps = kPlanted == Planted::sixteen_planes_wrap && asked.planes == 16;
  if (wraps) asked.planes = 15;  // so that 16 is not refused
  const int code = right<decltype(skt_hash_keys)>("skt_hash_keys")(&asked, stream, error);
  if (code != SKT_OK || args->count == 0) return code;
  const dim3 grid = grid_of(args->count, args->tables, args->batch * args->kv_heads);
  return with_element(args->key_type, [&]<class Element>(const Element*) {
    naive_hash_keys<Element><<<grid, kThreads, 0, stream>>>(*args);
    return launched(error);
  });
}

int skt_value_norms(const skt_value_norms_args* args, CUstream_st* stream, skt_error* error) {
  const int code = right<decltype(skt_value_norms)>("skt_value_norms")(args, stream, error);
  if (code != SKT_OK || args->count == 0) return code;
  const dim3 grid = grid_of(args->count, args->batch * args->kv_heads, 1);
  return with_element(args->value_type, [&]<class Element>(const Element*) {
    naive_value_norms<Element><<<grid, kThreads, 0, stream>>>(*args);
    return launched(error);
  });
}
