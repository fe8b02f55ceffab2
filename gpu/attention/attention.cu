// Softmax attention of each query over its selected keys: parts of the list, then one merge (split decode attention).
//
// CPU twin: sparse_attention in estimators/attention.hpp.
// Functors: gpu/functors/softmax_merge.hpp. Rows come by gpu/attention/rows.cuh to a warp's gpu/attention/average.cuh.
// Where query heads share a list, four at a time take gpu/attention/product_average.cuh, if rows are bf16 of at most 128
// coordinates, else gpu/attention/group_average.cuh. Parts are merged by gpu/attention/parts.cuh. A sequence that is
// attended to whole has the list of all its keys, which is read nowhere.
// Arithmetic: fp32, on the tensor cores as said below, logits to base 2. A warp takes rounds of 2 KB of keys, of e4m3 1 KB, so that a round has as many as
// of 16 bits: a logit sums a quarter of the lane's coordinates in each of four sums, of four heads at a time its 8
// coordinates in one, then a butterfly; weights
// 2^(logit - e) with an integer e that rises when a logit passes it, so that rescaling is exact. Rounds, groups of
// lanes, warps and parts are added in a fixed order: the same bits on every run.
// Error of the output, absolute, to first order, u = 2^-24, with A the average of |v| by the exact weights and
// E = (dim + 8) u max_j s|q|.|k_j| the error of a logit:
//   |output - exact| <= (2 E + (list + 40) u) A,
// the errors of the vector and of the sum together. In it:
//   a logit's pieces 14 u, its scale and the difference to the exponent 5 u, of e4m3 the key's scale 1 u;
//   of a weight twice 4 u (ex2.approx);
//   of the n keys of the list n / 8 + n / 128 + 24 additions and fused multiply-adds in the vector and
//   n / 16 + n / 128 + 23 in the sum, of four heads at a time n / 8 + n / 128 + 23, less without parts to merge (n <= 128:
//   14 and 13);
//   a division; of e4m3 the product with the value's scale.
// Bytes of e4m3 are exact in fp32, and their scales stand outside the sums: as s takes in that of the keys, and v that of
// the values, the bound is that of every type. A tiny value scale adds 2^-150.
// On the tensor cores (gpu/attention/product_average.cuh) E = (3/2 dim + 8) u max_j s|q|.|k_j|, and list + 280 replaces
// list + 40. An instruction puts a sum off by at most 48 u of all that it adds up (gpu/device/matrix_product.cuh):
//   of a logit each of two chains has dim / 32, together 3/2 dim u, and one addition joins them;
//   a vector has at most n / 64 + 2, (3/4 n + 96) u;
//   a weight in two numbers is off by 128 u, and twice 4 u as above;
//   n / 128 + 17 additions follow in the vector; the sum has n / 32 + n / 128 + 26, and there is one division.
// Together that is less than (5/6 n + 276) u. Where a value is infinite the output may be NaN: the second number may be 0
// or have the other sign.
// Beside it list * 2^-124 times the largest |v|: ex2 flushes weights below 2^-126, of which the largest is at least
// 1/2, in the vector and in the sum.
// Bytes: keys and values of the selection once: 2 * dim * element to a selected key; and 8 * dim bytes of parts to 128
// of them.
#include <cuda_runtime.h>

#include <algorithm>
#include <cstddef>
#include <limits>
#include <type_traits>

#include "gpu/attention/arguments.cuh"
#include "gpu/attention/average.cuh"
#include "gpu/attention/group_average.cuh"
#include "gpu/attention/parts.cuh"
#include "gpu/attention/product_average.cuh"
#include "gpu/attention/rows.cuh"
#include "gpu/attention/weigh_rest.cuh"
#include "gpu/decode/row_progress.cuh"
#include "gpu/device/barrier.cuh"
#include "gpu/device/element.cuh"
#include "gpu/device/launch.cuh"
#include "gpu/functors/lengths.hpp"

namespace skt::gpu {
namespace {

constexpr int kBlocksPerMultiprocessor = 2;            // 16 warps, each with its ring of copies in flight
constexpr int kFewestPartKeys = 16 * kAttentionWarps;  // of the list, to a block
constexpr std::int64_t kMostParts = 512;               // of a row: one row alone fills the device

// Of shared memory, what draws and then copies keys.
template <class Layout>
constexpr std::size_t drawing_bytes() {
  return std::max<std::size_t>(kAttentionWarps * Layout::ring_bytes, sizeof(DrawShared));
}

// Grid: [parts, batch * query rows * heads], of heads that share lists [parts, batch * query rows * kv_heads * passes]; with
// a rest rest.parts more, which come first: what they draw by is there before the lists are.
template <class Average, bool has_rest>
__global__ void __launch_bounds__(kAttentionThreads, kBlocksPerMultiprocessor)
    sparse_attention_kernel(AttentionArguments kernel) {
  using Layout = typename Average::Layout;
  constexpr int dim = Average::dim;
  extern __shared__ __align__(128) std::byte shared[];
  const bool settled = kernel.inputs == Inputs::settled;
  // Blocks of the merge that append read keys without a wait: they must be there when it is launched.
  if (!settled) wait_for_previous_kernel();
  launch_next_kernel();
  const skt_sparse_attention_args& args = kernel.args;
  int block_row = static_cast<int>(blockIdx.y);
  int part = static_cast<int>(blockIdx.x);
  bool is_rest = false;
  if constexpr (has_rest) {
    const int rest_blocks = static_cast<int>(gridDim.y) * kernel.rest.parts;
    const int block = block_row * static_cast<int>(gridDim.x) + part;
    is_rest = block < rest_blocks;
    const int of_row = is_rest ? kernel.rest.parts : static_cast<int>(gridDim.x) - kernel.rest.parts;
    block_row = (is_rest ? block : block - rest_blocks) / of_row;
    part = (is_rest ? block : block - rest_blocks) % of_row;
  }
  const Target target = target_of<Average::heads>(kernel, block_row);
  const int warp = threadIdx.x / 32;
  // In a step a row that is attended to whole does not wait for its list, which is empty, but at its end, so that all of
  // the step is done when the merge is.
  const bool whole = whole_of(args, target).whole;
  Parts parts = parts_of(kernel, whole);
  const std::int32_t* list = whole ? nullptr : args.selected + std::int64_t{target.list} * args.list;
  int reserved = whole ? std::numeric_limits<int>::max() : to_int(args.list);
  int share = part;  // of the list; of what a block drew it has all
  DrawnList drawn = {};
  RestBlock<Average::heads>* rest = nullptr;
  float* factors = nullptr;
  if constexpr (has_rest) {
    __shared__ RestBlock<Average::heads> block;
    rest = &block;
    factors = reinterpret_cast<float*>(shared + drawing_bytes<Layout>());
    if (is_rest) {
      drawn = draw_part<Average>(kernel, target, block_row * kMostRestParts + part, whole,
                                 *reinterpret_cast<DrawShared*>(shared), block);
      parts = {kernel.rest.vectors, kernel.rest.softmax, kMostRestParts, 1, 1};
      list = drawn.drawn.key;
      reserved = drawn.count;
      share = 0;
    }
  }
  const float key_scale = scale_of(args.cache.key_scales, target.kv_head);
  Average average(args.type, args.queries, std::int64_t{target.first} * dim, target.heads,
                  args.logit_scale * key_scale);
  if (settled && !whole && !is_rest) wait_for_row(kernel.listed, target.list, kWholeRow);
  const int first = share * kAttentionWarps + warp;
  const int warps = parts.parts * kAttentionWarps;
  Ring<Layout> ring(shared + warp * Layout::ring_bytes,
                    cache_rows_of(args, target.sequence, target.kv_head, Layout::bytes), list, reserved, first, warps);
  const int count = is_rest ? drawn.count : attended_of(args, target).count;
  if (share < parts.used(count)) {
    ring.set_end(count);
#pragma unroll
    for (int i = 0; i < Layout::stages - 1; ++i) ring.start();
    if constexpr (has_rest) {
      if (is_rest) settle_drawn(kernel, target, whole, drawn, factors);
    }
    for (int begin = first * Layout::keys; begin < count; begin += warps * Layout::keys) {
      const std::byte* round = ring.take();
      ring.start();
      if constexpr (has_rest) {
        RestWeights weights = {count - begin, nullptr, nullptr};
        if (is_rest) {
          weights.factors = factors + begin;
          if (Average::head() < target.heads) {
            weights.logits = kernel.rest.logits_of(target.first + Average::head(), part) + begin;
          }
        }
        average.add(round, weights);
      } else {
        average.add(round, SoftmaxWeights{count - begin});
      }
    }
    wait_for_rounds<0>();
    block_barrier();
    auto* vectors = reinterpret_cast<float*>(shared);
    auto* softmax = reinterpret_cast<Part*>(vectors + Average::heads * kAttentionWarps * dim);
    average.write(vectors + warp * dim, kAttentionWarps * dim, softmax + warp, kAttentionWarps);
    block_barrier();
    constexpr int group =
        std::min(dim, kAttentionThreads);  // threads to a head, of as many heads at a time as there are
    const int heads = min(Average::heads, target.heads);
    for (int head = threadIdx.x / group; head < heads; head += kAttentionThreads / group) {
      write_part<kAttentionWarps, dim, group>(parts, std::int64_t{target.first + head} * parts.stride + part,
                                              vectors + head * kAttentionWarps * dim, softmax + head * kAttentionWarps,
                                              threadIdx.x % group);
    }
    if constexpr (has_rest) {
      if (is_rest) sum_drawn(kernel.rest, target, part, heads, whole, drawn, softmax, factors, *rest);
    }
  }
  if (settled && whole) wait_for_row(kernel.listed, target.list, kWholeRow);
}

// Of heads that share a list.
template <class Element, int dim>
using SharedAverage = std::conditional_t<std::is_same_v<Element, __nv_bfloat16> && dim <= 128, ProductAverage<dim>,
                                         GroupAverage<Element, dim>>;

constexpr int kHeadsAtOnce = GroupAverage<float, 32>::heads;
static_assert(kHeadsAtOnce == kRestHeads && kHeadsAtOnce == ProductAverage<32>::heads);

int passes_of(const skt_sparse_attention_args& args) {
  return ceil_div(heads_to_list(args), kHeadsAtOnce);
}
// Rows of blocks, of one query row.
std::int64_t rows_of_blocks(const skt_sparse_attention_args& args) {
  return args.shape.batch * (share_lists(args) ? args.shape.kv_heads * passes_of(args) : args.shape.heads);
}

// As many parts to a row of `keys` keys as the device holds blocks at once; none shorter than kFewestPartKeys. Of one
// query row, however many there are: its sums keep their order, and so their bits.
std::int64_t most_parts(std::int64_t keys) {
  return std::clamp<std::int64_t>(ceil_div(keys, kFewestPartKeys), 1, kMostParts);
}
std::int64_t resident_share(const skt_sparse_attention_args& args, const Device& device) {
  const std::int64_t resident = std::int64_t{device.multiprocessors} * kBlocksPerMultiprocessor;
  return std::max<std::int64_t>(1, resident / rows_of_blocks(args));
}
int parts_of(const skt_sparse_attention_args& args, std::int64_t keys, const Device& device) {
  std::int64_t share = resident_share(args, device);
  // Where it costs little, room for blocks that read a rest and those that append. Without them too, for the same bits.
  if (share > 6 * kMostRestParts) share -= kMostRestParts;
  if (share > kMergedAtOnce) share -= share % kMergedAtOnce;
  return to_int(std::min(share, most_parts(keys)));
}
// The most keys of a sequence that is attended to whole; 0 where none is.
std::int64_t whole_keys(const skt_sparse_attention_args& args) {
  return std::min(args.sequences.dense_up_to, args.sequences.used);
}

std::int64_t reserved_parts(const skt_sparse_attention_args& args) {
  return all_rows(args.shape) * std::max(most_parts(args.list), most_parts(whole_keys(args)));
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
  check.type("output_type", args.output_type);
  check.in_range("cache_form", args.cache.cache_form, SKT_CACHE_OF_TYPE, SKT_CACHE_E4M3);
  check.lists(args.lists, args.shape);
  check.dense_up_to(args.sequences);
  if (args.sequences.dense_up_to != 0) check.used(args.sequences.used, args.shape);
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
  if (args.sequences.dense_up_to != 0) check.optional_pointer("lengths", args.sequences.lengths, 4);
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

template <class Average, bool has_rest>
int launch_for(AttentionArguments kernel, const BuildStage& append, CUstream_st* stream, skt_error* error) {
  kernel.parts.block_keys = kAttentionWarps * Average::Layout::keys;
  Launch shape;
  shape.grid = grid_of(std::max(kernel.parts.parts, kernel.whole_parts) + (has_rest ? kernel.rest.parts : 0),
                       rows_of_blocks(kernel.args) * query_rows_of(kernel.args.shape));
  shape.threads = kAttentionThreads;
  shape.carveout = cudaSharedmemCarveoutMaxShared;
  shape.shared_bytes = kAttentionWarps * Average::Layout::ring_bytes;
  if (has_rest) shape.shared_bytes = drawing_bytes<typename Average::Layout>() + kernel.rest.room * sizeof(float);
  const int code = launch(sparse_attention_kernel<Average, has_rest>, shape, stream, kernel, error);
  if (code != SKT_OK) return code;
  return launch_merge_rows(kernel, append, stream, error);
}

// A step with a rest has kernels of its own: others would be slower for what they do not do.
template <class Average>
int launch_for(const AttentionArguments& kernel, const BuildStage& append, CUstream_st* stream, skt_error* error) {
  if constexpr (sizeof(typename Average::Element) > 1) {
    if (kernel.rest.samples()) return launch_for<Average, true>(kernel, append, stream, error);
  }
  return launch_for<Average, false>(kernel, append, stream, error);
}

}  // namespace

int launch_sparse_attention(const skt_sparse_attention_args& args, const RowProgress& progress, const RestStage& rest,
                            const BuildStage& append, Inputs inputs, CUstream_st* stream, skt_error* error) {
  Device device;
  const cudaError_t status = query_device(device);
  if (status != cudaSuccess) return cuda_failure(status, error);
  auto* workspace = static_cast<char*>(args.workspace);
  const int listed = parts_of(args, args.list, device);
  const int whole = whole_keys(args) > 0 ? parts_of(args, whole_keys(args), device) : 0;
  const Parts parts = {reinterpret_cast<float*>(workspace), reinterpret_cast<Part*>(workspace + vector_bytes(args)),
                       std::max(listed, whole), listed, 0};
  AttentionArguments kernel = {args, parts, whole, passes_of(args), inputs, progress.selected, rest_arguments(rest)};
  if (kernel.rest.samples()) {
    kernel.rest.quantile = normal_quantile(rest.rest.rest_delta);
    // Blocks of the rest come first: where lists are many, some of the device's are left to them.
    kernel.rest.parts = to_int(std::clamp<std::int64_t>(resident_share(args, device) - 1, 1, kMostRestParts));
  }
  const auto launch_with = [&]<class Element>(const Element*) {
    return with_dim(args.shape.dim, [&]<int dim>() {
      return share_lists(args) ? launch_for<SharedAverage<Element, dim>>(kernel, append, stream, error)
                               : launch_for<WarpAverage<Element, dim>>(kernel, append, stream, error);
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
  return launch_sparse_attention(*args, {}, {}, {}, Inputs::may_be_in_flight, stream, error);
}
