// Key codes, value norms and the index in one call, one thread to a key; see planted.hpp.
#include "gpu/functors/lengths.hpp"
#include "gpu/functors/packed_codes.hpp"
#include "gpu/planted/naive_pages.cuh"
#include "gpu/planted/planted.hpp"

namespace skt::gpu {
namespace {

constexpr int kThreads = 128;

// What a hyperplane's coordinate is to the tensor cores.
__device__ float rounded(float w, const float*) {
  return w;
}
__device__ float rounded(float w, const __half*) {
  return to_float(__float2half_rn(w));
}
__device__ float rounded(float w, const __nv_bfloat16*) {
  return to_float(__float2bfloat16_rn(w));
}

// Of one key in one table; coordinate(w) is what is multiplied.
template <class Element, class Coordinate>
__device__ int code_of(const Element* key, const float* planes, std::int64_t count, std::int64_t dim,
                       const Coordinate& coordinate) {
  int code = 0;
  for (int p = 0; p < count; ++p) {
    float projection = 0;
    for (int d = 0; d < dim; ++d) projection = fmaf(to_float(key[d]), coordinate(planes[p * dim + d]), projection);
    const bool bit = kPlanted == Planted::greater_for_at_least ? projection > 0 : projection >= 0;
    code = kPlanted == Planted::little_endian_codes ? code | bit << p : 2 * code + bit;
  }
  return code;
}

// Grid: [ceil(count / kThreads), tables, batch * kv_heads].
template <class Element>
__global__ void naive_hash_keys(skt_hash_keys_args args) {
  const KeyRange range = appended_keys(args, to_int(blockIdx.z / args.shape.kv_heads));
  const std::int64_t key = range.begin + std::int64_t{blockIdx.x} * kThreads + threadIdx.x;
  if (key >= range.end) return;
  const auto* k = static_cast<const Element*>(args.keys) + (blockIdx.z * args.shape.capacity + key) * args.shape.dim;
  const float* planes = args.hyperplanes + blockIdx.y * args.shape.planes * args.shape.dim;
  const int code = code_of(k, planes, args.shape.planes, args.shape.dim, [](float w) { return w; });
  args.codes[(blockIdx.z * args.shape.tables + blockIdx.y) * args.shape.capacity + key] = code;
}

// Grid: [ceil(count / kThreads), words, batch * kv_heads].
template <class Element>
__global__ void naive_build_index(skt_build_index_args args) {
  const KeyRange range = appended_keys(args, to_int(blockIdx.z / args.shape.kv_heads));
  const std::int64_t key = range.begin + std::int64_t{blockIdx.x} * kThreads + threadIdx.x;
  if (key >= range.end) return;
  const auto* k = static_cast<const Element*>(args.keys) + cache_row(args, blockIdx.z, key) * args.shape.dim;
  const auto of_table = [&](std::int64_t table) {
    constexpr const Element* type = nullptr;
    const std::uint64_t code =
        code_of(k, args.hyperplanes + table * args.shape.planes * args.shape.dim, args.shape.planes, args.shape.dim,
                [&](float w) { return kPlanted == Planted::hyperplanes_not_rounded ? w : rounded(w, type); });
    return code;
  };
  const std::int64_t words = words_per_key(args.shape.tables, args.shape.planes);
  args.packed[word_place(args, blockIdx.z, key, blockIdx.y, words)] =
      packed_word(of_table, args.shape.tables, args.shape.planes, blockIdx.y);
}

// Grid: [ceil(count / kThreads), batch * kv_heads].
template <class Element>
__global__ void naive_value_norms(skt_value_norms_args args) {
  const KeyRange range = appended_keys(args, to_int(blockIdx.y / args.shape.kv_heads));
  const std::int64_t key = range.begin + std::int64_t{blockIdx.x} * kThreads + threadIdx.x;
  if (key >= range.end + (kPlanted == Planted::norms_off_by_one_tail ? 1 : 0)) return;
  const std::int64_t place = number_place(args, blockIdx.y, key);
  const auto* v = static_cast<const Element*>(args.values) + cache_row(args, blockIdx.y, key) * args.shape.dim;
  float sum = 0;
  for (int d = 0; d < args.shape.dim; ++d) sum = fmaf(to_float(v[d]), to_float(v[d]), sum);
  const float norm = __fsqrt_rn(sum);
  const bool saturates = args.form == SKT_NORM_F16 && kPlanted != Planted::norms_overflow && norm > 65504.0f;
  store_as(args.form == SKT_NORM_BF16 ? SKT_BF16 : SKT_F16, args.norms, place, saturates ? 65504.0f : norm);
}

}  // namespace
}  // namespace skt::gpu

using namespace skt::gpu;

int skt_hash_keys(const skt_hash_keys_args* args, CUstream_st* stream, skt_error* error) {
  skt_hash_keys_args asked = *args;
  const bool wraps = kPlanted == Planted::sixteen_planes_wrap && asked.shape.planes == 16;
  if (wraps) asked.shape.planes = 15;  // so that 16 is not refused
  const int code = right<decltype(skt_hash_keys)>("skt_hash_keys")(&asked, stream, error);
  if (code != SKT_OK || args->written.count == 0) return code;
  const dim3 grid =
      grid_of(ceil_div(args->written.count, kThreads), args->shape.tables, args->shape.batch * args->shape.kv_heads);
  return with_element(args->key_type, [&]<class Element>(const Element*) {
    naive_hash_keys<Element><<<grid, kThreads, 0, stream>>>(*args);
    return launched(error);
  });
}

int skt_value_norms(const skt_value_norms_args* args, CUstream_st* stream, skt_error* error) {
  const int code = right<decltype(skt_value_norms)>("skt_value_norms")(args, stream, error);
  if (code != SKT_OK || args->written.count == 0) return code;
  const dim3 grid = grid_of(ceil_div(args->written.count, kThreads), args->shape.batch * args->shape.kv_heads);
  return with_element(args->value_type, [&]<class Element>(const Element*) {
    naive_value_norms<Element><<<grid, kThreads, 0, stream>>>(*args);
    return launched(error);
  });
}

int skt_build_index(const skt_build_index_args* args, CUstream_st* stream, skt_error* error) {
  int code = right<decltype(skt_build_index)>("skt_build_index")(args, stream, error);
  if (code != SKT_OK || args->written.count == 0) return code;
  const dim3 grid =
      grid_of(ceil_div(args->written.count, kThreads), words_per_key(args->shape.tables, args->shape.planes),
              args->shape.batch * args->shape.kv_heads);
  code = with_element(args->type, [&]<class Element>(const Element*) {
    naive_build_index<Element><<<grid, kThreads, 0, stream>>>(*args);
    return launched(error);
  });
  if (code != SKT_OK || args->values == nullptr) return code;
  const skt_value_norms_args norms = {.values = args->values,
                                      .norms = args->norms,
                                      .shape = args->shape,
                                      .written = args->written,
                                      .paged = args->paged,
                                      .value_type = args->type,
                                      .form = SKT_NORM_F16};
  return skt_value_norms(&norms, stream, error);
}
