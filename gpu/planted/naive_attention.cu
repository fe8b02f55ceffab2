// Softmax attention over the list in two parts, one thread to a coordinate; see planted.hpp.
#include "gpu/functors/lengths.hpp"
#include "gpu/functors/softmax_merge.hpp"
#include "gpu/planted/planted.hpp"

namespace skt::gpu {
namespace {

struct PartOfOutput {
  SoftmaxPart<float> softmax;
  float vector = 0;  // of this thread's coordinate
};

// Row of key `token` among all rows.
__device__ std::int64_t key_row(const skt_sparse_attention_args& args, std::int64_t kv_row, std::int64_t token) {
  if (args.paged.block_table == nullptr) return kv_row * args.shape.capacity + token;
  const std::int64_t block = kv_row / args.shape.kv_heads * args.paged.blocks + token / args.paged.page_size;
  const std::int64_t in_page = kPlanted == Planted::page_offset_of_token_dropped ? 0 : token % args.paged.page_size;
  return args.paged.block_table[block] * args.paged.page_stride +
         kv_row % args.shape.kv_heads * args.paged.head_stride + in_page * args.paged.token_stride;
}

// Of the kv head; 1 without scales.
__device__ float scale_of(const float* scales, const skt_sparse_attention_args& args, std::int64_t kv_row) {
  return scales == nullptr ? 1 : scales[kv_row % args.shape.kv_heads];
}

template <class Query, class Element>
__device__ PartOfOutput attend(const skt_sparse_attention_args& args, std::int64_t row, std::int64_t begin,
                               std::int64_t end) {
  const std::int64_t group = args.shape.heads / args.shape.kv_heads;
  const std::int64_t sequence = row / args.shape.heads / query_rows_of(args.shape);
  const std::int64_t kv_row = sequence * args.shape.kv_heads + row % args.shape.heads / group;
  const auto* query = static_cast<const Query*>(args.queries) + row * args.shape.dim;
  PartOfOutput part;
  for (std::int64_t i = begin; i < end; ++i) {
    const std::int64_t at = key_row(args, kv_row, args.selected[row * args.list + i]);
    const auto* key = static_cast<const Element*>(args.cache.keys) + at * args.shape.dim;
    // As if the heads of a key stood together in the values: what K's and V's strides differ by elsewhere.
    const std::int64_t value_at =
        kPlanted == Planted::wrong_stride_for_values
            ? args.selected[row * args.list + i] * args.shape.kv_heads + kv_row % args.shape.kv_heads
            : at;
    float logit = 0;
    for (int d = 0; d < args.shape.dim; ++d) logit = fmaf(to_float(query[d]), to_float(key[d]), logit);
    const float value =
        to_float(static_cast<const Element*>(args.cache.values)[value_at * args.shape.dim + threadIdx.x]) *
        scale_of(args.cache.value_scales, args, kv_row);
    const float scale = args.logit_scale * scale_of(args.cache.key_scales, args, kv_row) * 1.44269504f;  // log2(e)
    const SoftmaxPart<float> one = part_of_logit(logit * scale);
    const SoftmaxMerge<float> both = merge(part.softmax, one);
    part = {both.merged, part.vector * both.left_factor + one.sum * value * both.right_factor};
  }
  return part;
}

// Grid: [batch * query rows * heads]; dim threads.
template <class Query, class Element>
__global__ void naive_sparse_attention(skt_sparse_attention_args args) {
  const std::int64_t row = blockIdx.x;
  const std::int64_t selected = args.counts[row];
  const std::int64_t count = kPlanted == Planted::minus_one_entries_loaded ? args.list : selected;
  const PartOfOutput left = attend<Query, Element>(args, row, 0, count / 2);
  const PartOfOutput right_part = attend<Query, Element>(args, row, count / 2, count);
  SoftmaxMerge<float> both = merge(left.softmax, right_part.softmax);
  if (kPlanted == Planted::parts_merged_without_rescaling) {
    both.left_factor = both.right_factor = 1;
    both.merged.sum = left.softmax.sum + right_part.softmax.sum;
  }
  const float vector = left.vector * both.left_factor + right_part.vector * both.right_factor;
  if (args.part != nullptr) {
    float* part = args.part + row * (args.shape.dim + 2);
    part[threadIdx.x] = vector;
    if (threadIdx.x == 0) part[args.shape.dim] = both.merged.exponent;
    if (threadIdx.x == 1) part[args.shape.dim + 1] = both.merged.sum;
    return;
  }
  args.output[row * args.shape.dim + threadIdx.x] = vector / both.merged.sum;
  if (args.log_sum_exp != nullptr && threadIdx.x == 0) args.log_sum_exp[row] = log_sum_exp(both.merged);
}

}  // namespace
}  // namespace skt::gpu

using namespace skt::gpu;

int skt_sparse_attention(const skt_sparse_attention_args* args, CUstream_st* stream, skt_error* error) {
  const int code = right<decltype(skt_sparse_attention)>("skt_sparse_attention")(args, stream, error);
  if (code != SKT_OK) return code;
  return with_element(args->type, [&]<class Query>(const Query*) {
    const auto kernel = args->cache.cache_form == SKT_CACHE_E4M3 ? naive_sparse_attention<Query, E4m3>
                                                                 : naive_sparse_attention<Query, Query>;
    kernel<<<grid_of(all_rows(args->shape)), grid_of(args->shape.dim), 0, stream>>>(*args);
    return launched(error);
  });
}
