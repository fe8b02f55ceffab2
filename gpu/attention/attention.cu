// Softmax attention of each query over its selected keys: parts of the list, then one merge (split decode attention).
//
// CPU twin: sparse_attention in estimators/attention.hpp.
// Functors: gpu/functors/softmax_merge.hpp. Rows come by gpu/attention/rows.cuh to a warp's gpu/attention/average.cuh,
// parts are merged by gpu/attention/parts.cuh.
// Arithmetic: fp32, logits to base 2. A warp takes rounds of 2 KB of keys, of e4m3 1 KB, so that a round has as many as
// of 16 bits: a logit sums a quarter of the lane's coordinates in each of four sums, then a butterfly; weights
// 2^(logit - e) with an integer e that rises when a logit passes it, so that rescaling is exact. Rounds, groups of
// lanes, warps and parts are added in a fixed order: the same bits on every run.
// Error of the output, absolute, to first order, u = 2^-24, with A the average of |v| by the exact weights and
// E = (dim + 8) u max_j s|q|.|k_j| the error of a logit:
//   |output - exact| <= (2 E + (list + 40) u) A,
// the errors of the vector and of the sum together. In it:
//   a logit's pieces 14 u, its scale and the difference to the exponent 5 u, of e4m3 the key's scale 1 u;
//   of a weight twice 4 u (ex2.approx);
//   of the n keys of the list n / 8 + n / 128 + 24 additions and fused multiply-adds in the vector and
//   n / 16 + n / 128 + 23 in the sum, less without parts to merge (n <= 128: 14 and 13);
//   a division; of e4m3 the product with the value's scale.
// Bytes of e4m3 are exact in fp32, and their scales stand outside the sums: as s takes in that of the keys, and v that of
// the values, the bound is that of every type. A tiny value scale adds 2^-150.
// Beside it list * 2^-124 times the largest |v|: ex2 flushes weights below 2^-126, of which the largest is at least
// 1/2, in the vector and in the sum.
// Bytes: keys and values of the selection once: 2 * dim * element to a selected key; and 8 * dim bytes of parts to 128
// of them.
#include <cuda_runtime.h>

#include <algorithm>
#include <cstddef>

#include "gpu/attention/average.cuh"
#include "gpu/attention/parts.cuh"
#include "gpu/attention/rows.cuh"
#include "gpu/decode/row_progress.cuh"
#include "gpu/device/barrier.cuh"
#include "gpu/device/element.cuh"
#include "gpu/device/launch.cuh"
#include "gpu/functors/lengths.hpp"

namespace skt::gpu {
namespace {

constexpr int kWarps = 8;
constexpr int kThreads = 32 * kWarps;
constexpr int kBlocksPerMultiprocessor = 2;   // 16 warps, each with its ring of copies in flight
constexpr int kFewestPartKeys = 16 * kWarps;  // of the list, to a block
constexpr std::int64_t kMostParts = 512;      // of a row: one row alone fills the device

struct KernelArguments {
  skt_sparse_attention_args args;
  Parts parts;
  const std::uint32_t* listed;  // counters of the rows' progress; or null
};

template <class Layout>
__device__ Rows rows_of(const skt_sparse_attention_args& args, int kv_row) {
  const int kv_heads = to_int(args.shape.kv_heads);
  const bool paged = args.paged.block_table != nullptr;
  const std::int64_t first =
      (paged ? kv_row % kv_heads * args.paged.head_stride : kv_row * args.shape.capacity) * Layout::bytes;
  Rows rows = {static_cast<const std::byte*>(args.cache.keys) + first,
               static_cast<const std::byte*>(args.cache.values) + first};
  if (paged) {
    rows.table = args.paged.block_table + kv_row / kv_heads * args.paged.blocks;
    rows.page_shift = 31 - __clz(to_int(args.paged.page_size));
    rows.page_stride = to_int(args.paged.page_stride);
    rows.token_stride = to_int(args.paged.token_stride);
  }
  return rows;
}

// The kv row that row `row` of [batch, query rows, heads] reads.
__device__ int kv_row_of(const skt_sparse_attention_args& args, int row) {
  const int heads = to_int(args.shape.heads);
  const int kv_heads = to_int(args.shape.kv_heads);
  const int group = heads / kv_heads;
  const int query_rows = query_rows_of(args.shape);
  if (query_rows == 1) return row / group;
  return row / heads / query_rows * kv_heads + row % heads / group;
}

// Of the kv head of a row's query; 1 where there are none.
__device__ float scale_of(const float* scales, const skt_sparse_attention_args& args, int row) {
  const int group = to_int(args.shape.heads) / to_int(args.shape.kv_heads);
  return scales == nullptr ? 1 : __ldcg(&scales[row % to_int(args.shape.heads) / group]);
}

// Grid: [parts, batch * query rows * heads].
template <class Element, int dim>
__global__ void __launch_bounds__(kThreads, kBlocksPerMultiprocessor) sparse_attention_kernel(KernelArguments kernel) {
  using Layout = RowLayout<Element, dim>;
  extern __shared__ __align__(128) std::byte shared[];
  launch_next_kernel();
  const skt_sparse_attention_args& args = kernel.args;
  const int row = blockIdx.y;
  const int warp = threadIdx.x / 32;
  const int warps = kernel.parts.parts * kWarps;
  const int part = blockIdx.x;
  const int first = part * kWarps + warp;
  wait_for_row(kernel.listed, blockIdx.y, kWholeRow);
  Ring<Element, dim> ring(shared + warp * kRingBytes, rows_of<Layout>(args, kv_row_of(args, row)),
                          args.selected + row * args.list, to_int(args.list), first, warps);
  const int count = args.counts[row];
  const float key_scale = scale_of(args.cache.key_scales, args, row);
  WarpAverage<Element, dim> average(args.type, args.queries, std::int64_t{row} * dim, args.logit_scale * key_scale);
  if (part >= kernel.parts.used(count)) return;
  ring.set_end(count);
#pragma unroll
  for (int i = 0; i < Layout::stages - 1; ++i) ring.start();
  for (int left = count - first * Layout::keys; left > 0; left -= warps * Layout::keys) {
    const std::byte* round = ring.take();
    ring.start();
    average.add(round, left);
  }
  wait_for_rounds<0>();
  block_barrier();
  auto* vectors = reinterpret_cast<float*>(shared);
  auto* softmax = reinterpret_cast<Part*>(vectors + kWarps * dim);
  average.write(vectors + warp * dim, softmax[warp]);
  block_barrier();
  write_part<kThreads, dim>(kernel.parts, std::int64_t{row} * kernel.parts.parts + blockIdx.x, vectors, softmax);
}

// Grid: [batch * query rows * heads].
template <int dim>
__global__ void __launch_bounds__(kThreads) merge_parts_kernel(KernelArguments kernel) {
  launch_next_kernel();
  wait_for_previous_kernel();
  const int row = blockIdx.x;
  merge_parts<kThreads, dim>(kernel.parts, row, kernel.parts.used(kernel.args.counts[row]),
                             scale_of(kernel.args.cache.value_scales, kernel.args, row),
                             {kernel.args.output, kernel.args.log_sum_exp, kernel.args.part});
}

// As many parts to a row as the device holds blocks at once; none shorter than kFewestPartKeys. Of one query row,
// however many there are: its sums keep their order, and so their bits.
std::int64_t most_parts(const skt_sparse_attention_args& args) {
  return std::max<std::int64_t>(1, ceil_div(args.list, kFewestPartKeys));
}
int parts_of(const skt_sparse_attention_args& args, const Device& device) {
  const std::int64_t resident = std::int64_t{device.multiprocessors} * kBlocksPerMultiprocessor;
  const std::int64_t share = std::max<std::int64_t>(1, resident / (args.shape.batch * args.shape.heads));
  return to_int(std::min({share, most_parts(args), kMostParts}));
}

std::int64_t reserved_parts(const skt_sparse_attention_args& args) {
  return all_rows(args.shape) * std::min(most_parts(args), kMostParts);
}
std::int64_t vector_bytes(const skt_sparse_attention_args& args) {
  return reserved_parts(args) * args.shape.dim * std::int64_t{sizeof(float)};
}
std::int64_t softmax_bytes(const skt_sparse_attention_args& args) {
  return reserved_parts(args) * std::int64_t{sizeof(Part)};
}
std::int64_t workspace_bytes(const skt_sparse_attention_args& args) {
  return vector_bytes(args) + softmax_bytes(args);
}

void validate_sizes(const skt_sparse_attention_args& args, Validation& check) {
  check.heads(args.shape);
  check.capacity(args.shape);
  check.in_range("list", args.list, 1, kMostAttended);
  check.kernel_dim(args.shape.dim);
  check.type("type", args.type);
  check.in_range("cache_form", args.cache.cache_form, SKT_CACHE_OF_TYPE, SKT_CACHE_E4M3);
}

void validate_scales(const skt_sparse_attention_args& args, Validation& check) {
  check.optional_pointer("key_scales", args.cache.key_scales, 4);
  check.optional_pointer("value_scales", args.cache.value_scales, 4);
  if (args.cache.key_scales == nullptr && args.cache.value_scales == nullptr) return;
  if (args.cache.cache_form != SKT_CACHE_E4M3) {
    check.refuse(SKT_BAD_ARGUMENT, "cache_form, beside scales,", args.cache.cache_form, "1, SKT_CACHE_E4M3");
  }
}

void validate_pages(const skt_sparse_attention_args& args, Validation& check) {
  check.pointer("block_table", args.paged.block_table, 4);
  check.in_range("page_size", args.paged.page_size, 1, kMostPageKeys);
  if (!check.failed() && (args.paged.page_size & (args.paged.page_size - 1)) != 0) {
    check.refuse(SKT_BAD_ARGUMENT, "page_size", args.paged.page_size, "a power of two");
  }
  check.page_rows(args.paged, args.shape);
}

}  // namespace

int check_sparse_attention(const skt_sparse_attention_args& args, skt_error* error) {
  Validation check(error);
  validate_sizes(args, check);
  check.positive("logit_scale", args.logit_scale);
  check.pointer("queries", args.queries);
  check.pointer("keys", args.cache.keys);
  check.pointer("values", args.cache.values);
  check.pointer("selected", args.selected);
  check.pointer("counts", args.counts, 4);
  validate_scales(args, check);
  if (args.paged.block_table != nullptr) validate_pages(args, check);
  check.optional_pointer("part", args.part);
  if (args.part == nullptr) {
    check.pointer("output", args.output);
    check.optional_pointer("log_sum_exp", args.log_sum_exp, 4);
  }
  check.pointer("workspace", args.workspace, 256);
  if (!check.failed()) check.in_range("workspace_bytes", args.workspace_bytes, workspace_bytes(args), INT64_MAX);
  return check.code();
}

namespace {

template <class Element, int dim>
int launch_for(KernelArguments kernel, CUstream_st* stream, skt_error* error) {
  kernel.parts.block_keys = kWarps * RowLayout<Element, dim>::keys;
  const std::int64_t rows = all_rows(kernel.args.shape);
  Launch shape;
  shape.grid = grid_of(kernel.parts.parts, rows);
  shape.threads = kThreads;
  shape.carveout = cudaSharedmemCarveoutMaxShared;
  shape.shared_bytes = kWarps * kRingBytes;
  const int code = launch(sparse_attention_kernel<Element, dim>, shape, stream, kernel, error);
  if (code != SKT_OK) return code;
  shape.grid = grid_of(rows);
  shape.shared_bytes = 0;
  return launch(merge_parts_kernel<dim>, shape, stream, kernel, error);
}

}  // namespace

int launch_sparse_attention(const skt_sparse_attention_args& args, const RowProgress& progress, CUstream_st* stream,
                            skt_error* error) {
  Device device;
  const cudaError_t status = query_device(device);
  if (status != cudaSuccess) return cuda_failure(status, error);
  auto* workspace = static_cast<char*>(args.workspace);
  const Parts parts = {reinterpret_cast<float*>(workspace), reinterpret_cast<Part*>(workspace + vector_bytes(args)),
                       parts_of(args, device), 0};
  const auto launch_with = [&]<class Element>(const Element*) {
    return with_dim(args.shape.dim, [&]<int dim>() {
      return launch_for<Element, dim>({args, parts, progress.selected}, stream, error);
    });
  };
  if (args.cache.cache_form == SKT_CACHE_E4M3) return launch_with(static_cast<const E4m3*>(nullptr));
  return with_element(args.type, launch_with);
}

}  // namespace skt::gpu

using namespace skt::gpu;

int skt_sparse_attention_workspace_bytes(const skt_sparse_attention_args* args, std::int64_t* bytes, skt_error* error) {
  Validation check(error);
  validate_sizes(*args, check);
  if (!check.failed()) *bytes = workspace_bytes(*args);
  return check.code();
}

int skt_sparse_attention(const skt_sparse_attention_args* args, CUstream_st* stream, skt_error* error) {
  if (const int code = check_sparse_attention(*args, error); code != SKT_OK) return code;
  return launch_sparse_attention(*args, {}, stream, error);
}
