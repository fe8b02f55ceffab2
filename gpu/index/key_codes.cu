// Hashes keys: the bucket code of each key in each table (paper, Algorithm 1), and its packed form.
//
// CPU twin: estimators/key_codes.hpp; gpu/check/references/host_twin.hpp repeats this arithmetic bit for bit.
// Arithmetic: keys and hyperplanes in fp32, one fused multiply-add per coordinate, in order of the coordinate.
// Error: |projection - exact| <= dim * 2^-24 / (1 - dim * 2^-24) * sum_d |w_d k_d|; a bit may differ from the exact one
// only where |exact projection| is below that.
// Work: tables * planes * dim fused multiply-adds to a key on the ordinary cores; a block keeps 128 keys in shared
// memory as fp32 and reads each hyperplane once for all of them.
#include <cuda_runtime.h>

#include "gpu/device/barrier.cuh"
#include "gpu/device/element.cuh"
#include "gpu/device/launch.cuh"
#include "gpu/functors/index_pages.hpp"
#include "gpu/functors/lengths.hpp"
#include "gpu/functors/packed_codes.hpp"

namespace skt::gpu {
namespace {

constexpr int kKeys = 128;   // to a block, one thread each
constexpr int kPlanes = 4;   // projections a thread forms at once: 4 sums hide the latency of one
constexpr int kPadding = 4;  // floats behind a key in shared memory, so that 8 lanes' 16 bytes fall in 32 banks

__device__ float fma_in_order(float4 a, float4 b, float sum) {
  return fmaf(a.w, b.w, fmaf(a.z, b.z, fmaf(a.y, b.y, fmaf(a.x, b.x, sum))));
}

template <class Element>
__device__ void keys_to_shared(const skt_hash_keys_args& args, std::int64_t first_key, int keys_here, float* shared) {
  const auto* keys = static_cast<const Element*>(args.keys) +
                     (std::int64_t{blockIdx.y} * args.shape.capacity + first_key) * args.shape.dim;
  const int dim = to_int(args.shape.dim);
  const int chunks = keys_here * dim / kPerLoad<Element>;
  for (int c = threadIdx.x; c < chunks; c += kKeys) {
    const Chunk<Element> chunk = load_chunk(keys + std::int64_t{c} * kPerLoad<Element>);
    const int key = c * kPerLoad<Element> / dim;
    const int d = c * kPerLoad<Element> % dim;
    for (int i = 0; i < kPerLoad<Element>; ++i) shared[key * (dim + kPadding) + d + i] = to_float(chunk.element[i]);
  }
}

// The code of one key in one table; planes_padded hyperplanes [planes_padded, dim] of it lie in shared memory.
__device__ int code_of_key(const float* key, const float* hyperplanes, int dim, int planes) {
  int code = 0;
  for (int plane = 0; plane < planes; plane += kPlanes) {
    float projection[kPlanes] = {};
    for (int d = 0; d < dim; d += 4) {
      const float4 k = *reinterpret_cast<const float4*>(key + d);
#pragma unroll
      for (int p = 0; p < kPlanes; ++p) {
        const float4 w = *reinterpret_cast<const float4*>(hyperplanes + (plane + p) * dim + d);
        projection[p] = fma_in_order(k, w, projection[p]);
      }
    }
#pragma unroll
    for (int p = 0; p < kPlanes; ++p) {
      if (plane + p < planes) code = 2 * code + (projection[p] >= 0 ? 1 : 0);
    }
  }
  return code;
}

// Grid: [ceil(count / kKeys), batch * kv_heads].
template <class Element>
__global__ void __launch_bounds__(kKeys) hash_keys_kernel(skt_hash_keys_args args) {
  wait_for_previous_kernel();
  launch_next_kernel();
  extern __shared__ float shared[];
  const int dim = to_int(args.shape.dim);
  const int planes = to_int(args.shape.planes);
  float* hyperplanes = shared + kKeys * (dim + kPadding);  // planes rounded up to kPlanes; the last stay unread bits
  const KeyRange range = appended_keys(args, to_int(blockIdx.y / args.shape.kv_heads));
  const std::int64_t first_key = range.begin + std::int64_t{blockIdx.x} * kKeys;
  if (first_key >= range.end) return;
  const int keys_here = to_int(min(std::int64_t{kKeys}, range.end - first_key));
  keys_to_shared<Element>(args, first_key, keys_here, shared);
  const int thread = threadIdx.x;
  for (std::int64_t table = 0; table < args.shape.tables; ++table) {
    block_barrier();
    for (int i = threadIdx.x; i < planes * dim; i += kKeys) hyperplanes[i] = args.hyperplanes[table * planes * dim + i];
    block_barrier();
    if (thread < keys_here) {
      const int code = code_of_key(shared + threadIdx.x * (dim + kPadding), hyperplanes, dim, planes);
      const std::int64_t row = std::int64_t{blockIdx.y} * args.shape.tables + table;
      args.codes[row * args.shape.capacity + first_key + threadIdx.x] = static_cast<std::int16_t>(code);
    }
  }
}

constexpr int kPackThreads = 256;

// Grid: [ceil(count / kPackThreads), words, batch * kv_heads]; one thread to a word of a key.
__global__ void pack_codes_kernel(PagedArguments<skt_pack_codes_args> kernel) {
  wait_for_previous_kernel();
  launch_next_kernel();
  const skt_pack_codes_args& args = kernel.args;
  const std::int64_t row = blockIdx.z;
  const KeyRange range = appended_keys(args, to_int(row / args.shape.kv_heads));
  const std::int64_t key = range.begin + std::int64_t{blockIdx.x} * kPackThreads + threadIdx.x;
  if (key >= range.end) return;
  const std::int16_t* codes = args.codes + row * args.shape.tables * args.shape.capacity + key;
  const std::uint32_t mask = (1u << args.shape.planes) - 1u;
  const auto code_of = [&](std::int64_t table) {
    const std::uint16_t code = codes[table * args.shape.capacity];
    return std::uint64_t{code & mask};
  };
  const std::int64_t words = words_per_key(args.shape.tables, args.shape.planes);
  const unsigned tile = kernel.pages.place_of(static_cast<unsigned>(row), static_cast<unsigned>(key / kTileKeys));
  args.packed[tile * kTileKeys * words + packed_position(key % kTileKeys, blockIdx.y, words)] =
      packed_word(code_of, args.shape.tables, args.shape.planes, blockIdx.y);
}

Validation validate(const skt_hash_keys_args& args, skt_error* error) {
  Validation check(error);
  check.written(args.written, args.shape);
  check.vector_dim(args.shape.dim);
  check.hash(args.shape, 1, kMostPublishedPlanes);
  check.type("key_type", args.key_type);
  check.pointer("keys", args.keys);
  check.pointer("hyperplanes", args.hyperplanes);
  check.pointer("codes", args.codes);
  return check;
}

Validation validate(const skt_pack_codes_args& args, skt_error* error) {
  Validation check(error);
  check.written(args.written, args.shape);
  check.packed_hash(args.shape);
  check.pointer("codes", args.codes);
  check.pointer("packed", args.packed);
  check.index_pages(args.paged, args.shape);
  return check;
}

}  // namespace
}  // namespace skt::gpu

using namespace skt::gpu;

int skt_hash_keys(const skt_hash_keys_args* args, CUstream_st* stream, skt_error* error) {
  const Validation check = validate(*args, error);
  if (check.failed() || args->written.count == 0) return check.code();
  const std::int64_t planes = ceil_div(args->shape.planes, kPlanes) * kPlanes;
  Launch shape = thread_to_a_key(args->written.count, kKeys, args->shape.batch * args->shape.kv_heads);
  shape.shared_bytes = (kKeys * (args->shape.dim + kPadding) + planes * args->shape.dim) * sizeof(float);
  return with_element(args->key_type, [&]<class Element>(const Element*) {
    return launch(hash_keys_kernel<Element>, shape, stream, *args, error);
  });
}

int skt_pack_codes(const skt_pack_codes_args* args, CUstream_st* stream, skt_error* error) {
  const Validation check = validate(*args, error);
  if (check.failed() || args->written.count == 0) return check.code();
  Launch shape;
  shape.grid = grid_of(ceil_div(args->written.count, kPackThreads),
                       words_per_key(args->shape.tables, args->shape.planes), args->shape.batch * args->shape.kv_heads);
  shape.threads = kPackThreads;
  return launch(pack_codes_kernel, shape, stream, PagedArguments<skt_pack_codes_args>{*args, index_pages(*args)},
                error);
}
