// What do attention over parts of a list (gpu/attention/attention.cu) and the merge of the parts
// (gpu/attention/merge_rows.cu) know of a row?
#pragma once

#include <cuda_runtime.h>

#include <cstdint>

#include "gpu/attention/parts.cuh"
#include "gpu/decode/decode_stages.hpp"
#include "gpu/functors/lengths.hpp"
#include "gpu/functors/whole_numbers.hpp"
#include "gpu/rest/arguments.hpp"

namespace skt::gpu {

constexpr int kAttentionWarps = 8;
constexpr int kAttentionThreads = 32 * kAttentionWarps;

struct AttentionArguments {
  skt_sparse_attention_args args;
  Parts parts;                  // of rows that have a list
  int whole_parts;              // of rows that are attended to whole, at most
  int passes;                   // over the heads that share a list
  Inputs inputs;                // queries, keys, values and lengths
  const std::uint32_t* listed;  // counters of the lists' progress; or null
  RestArguments rest;
};

// Whether heads that share a kv head share a list too.
SKT_HD inline bool share_lists(const skt_sparse_attention_args& args) {
  return args.lists == SKT_LIST_OF_KV_HEAD && args.shape.heads > args.shape.kv_heads;
}

SKT_HD inline int heads_to_list(const skt_sparse_attention_args& args) {
  return share_lists(args) ? to_int(args.shape.heads) / to_int(args.shape.kv_heads) : 1;
}

// What a block attends for.
struct Target {
  int list;   // of [batch, query rows, heads or kv heads]
  int first;  // the first of its query heads, of [batch, query rows, heads],
  int heads;  // and how many of them there are from it on
  int kv_head, sequence;
  int behind;  // query rows of the sequence
};

// `block_row`: of the lists, `passes` to each where heads share them.
template <int heads_at_once>
__device__ Target target_of(const AttentionArguments& kernel, int block_row) {
  const skt_shape& shape = kernel.args.shape;
  const int heads = to_int(shape.heads);
  const int kv_heads = to_int(shape.kv_heads);
  const int query_rows = query_rows_of(shape);
  const int group = heads / kv_heads;
  if constexpr (heads_at_once == 1) {
    const RowPlace place = place_of_row(block_row, heads, query_rows);
    return {block_row, block_row, 1, block_row % heads / group, place.sequence, place.behind};
  }
  const int list = block_row / kernel.passes;
  const int first = block_row % kernel.passes * heads_at_once;
  const RowPlace place = place_of_row(list, kv_heads, query_rows);
  const int kv_head = list % kv_heads;
  return {list,        list / kv_heads * heads + kv_head * group + first, group - first, kv_head, place.sequence,
          place.behind};
}

// How many keys are attended to, and whether that is all that the row sees.
struct Attended {
  int count;
  bool whole;
};
__device__ inline Attended whole_of(const skt_sparse_attention_args& args, const Target& target) {
  const skt_sequences& sequences = args.sequences;
  if (sequences.dense_up_to == 0) return {0, false};
  const int length = length_of(sequences.lengths, target.sequence, to_int(sequences.used));
  return {length_before(length, target.behind), length <= sequences.dense_up_to};
}
__device__ inline Attended attended_of(const skt_sparse_attention_args& args, const Target& target) {
  const Attended whole = whole_of(args, target);
  return whole.whole ? whole : Attended{__ldcg(&args.counts[target.list]), false};
}
__device__ inline Parts parts_of(const AttentionArguments& kernel, bool whole) {
  Parts parts = kernel.parts;
  if (whole) parts.parts = kernel.whole_parts;
  return parts;
}

// Of a kv head; 1 where there are none.
__device__ inline float scale_of(const float* scales, int kv_head) {
  return scales == nullptr ? 1 : __ldcg(&scales[kv_head]);
}

// `rest`: also what the parts of the rest come to.
int launch_merge_rows(const AttentionArguments& kernel, const BuildStage& append, CUstream_st* stream,
                      skt_error* error);

}  // namespace skt::gpu
