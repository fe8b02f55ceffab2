// Which kernel scores packed codes: one query head to a look-up or four (gpu/packed_scores/kernel.cuh), or
// products of heads by the signed rule (gpu/packed_scores/grouped_kernel.cuh)? And are scores counted as they are made?
#include "gpu/packed_scores/launch.cuh"

namespace skt::gpu {
namespace {

// By the signed rule, query heads that share a kv head.
bool takes_products(std::int32_t rule, const skt_shape& shape) {
  return rule == SKT_SIGNED_PROJECTION && shape.heads > shape.kv_heads;
}
bool takes_products(const skt_score_packed_args& args) {
  return takes_products(args.rule, args.shape);
}

bool takes_four_heads(const skt_score_packed_args& args) {
  return args.rule == SKT_SOFT_COLLISION &&
         scores_in_half(args.shape.heads / args.shape.kv_heads, args.shape.tables, to_int(args.shape.planes));
}

// What only products have.
void validate_bf16(const skt_score_packed_args& args, Validation& check) {
  if (!takes_products(args)) {
    check.refuse(SKT_BAD_ARGUMENT, "score_type, but by the signed rule of heads that share a kv head,", args.score_type,
                 "0 (SKT_F32)");
  }
  if (args.counts != nullptr) {
    check.refuse(SKT_BAD_ARGUMENT, "score_type of scores that are counted", args.score_type, "0 (SKT_F32)");
  }
}

// Of a list that heads share.
void validate_shared_list(const skt_score_packed_args& args, Validation& check) {
  if (args.mask.allowed != nullptr) {
    check.in_range("allowed_per_head, beside lists of kv heads,", args.mask.allowed_per_head, 0, 0);
  }
  if (args.rule == SKT_SIGNED_PROJECTION) {
    check.positive("weight_scale", args.weight_scale);
    check.optional_pointer("log_sums", args.log_sums, 4);
    if (args.counts != nullptr) check.pointer("log_sums, beside counts,", args.log_sums, 4);
    return;
  }
  const std::int64_t group = args.shape.heads / args.shape.kv_heads;
  if (group > FourHeads<true>::heads || !takes_four_heads(args)) {
    check.refuse(SKT_BAD_ARGUMENT, "lists of kv heads by the soft rule, of heads", group,
                 "2 to 4 whose half-tables take at most 64 KB");
  }
}

}  // namespace

int check_score_packed(const skt_score_packed_args& args, skt_error* error) {
  Validation check(error);
  check.heads(args.shape);
  check.capacity(args.shape);
  check.packed_hash(args.shape);
  check.sequences(args.sequences, args.shape);
  check.mask(args.mask);
  if (args.mask.allowed != nullptr) check.in_range("dense_up_to, beside a mask,", args.sequences.dense_up_to, 0, 0);
  check.in_range("rule", args.rule, SKT_SOFT_COLLISION, SKT_SIGNED_PROJECTION);
  check.score_type(args.score_type);
  check.lists(args.lists, args.shape);
  if (!check.failed() && share_lists(args)) validate_shared_list(args, check);
  if (args.score_type == SKT_BF16) validate_bf16(args, check);
  check.pointer("half_tables", args.half_tables);
  check.pointer("packed", args.packed);
  check.pointer("norms", args.norms);
  check.pointer("scores", args.scores);
  check.optional_pointer("counts", args.counts);
  if (args.counts != nullptr) {
    check.one_query_row(args.shape, "query_rows of scores that are counted");
    check.in_range("dense_up_to, beside counts,", args.sequences.dense_up_to, 0, 0);
    check.in_range("first", args.first, 0, kLargestInt);
    check.in_range("whole", args.whole, 0, kLargestInt);
    check.in_range("sink", args.list.sink, 0, kLargestInt);
    check.in_range("window", args.list.window, 0, kLargestInt);
  }
  if (!check.failed() && takes_products(args)) check.pointer("work", args.work, 16);
  check.index_pages(args.paged, args.shape);
  return check.code();
}

namespace {

template <class Lanes>
BlockShape block_shape_of(const skt_score_packed_args& args, const Device& device) {
  return {Lanes::threads / 32, score_warps<Lanes>(args, true, 1, device), score_passes<Lanes>(args)};
}

BlockShape block_shape(const skt_score_packed_args& args, const Device& device) {
  if (takes_products(args)) return grouped_block_shape(args, device);
  if (share_lists(args)) return block_shape_of<FourHeads<true>>(args, device);
  return takes_four_heads(args) ? block_shape_of<FourHeads<false>>(args, device)
                                : block_shape_of<OneHead<SoftCollision>>(args, device);
}

// Counts of a rank are made with the scores, or where these leave no room for them by a pass of their own.
int launch_counted_scores(const skt_score_packed_args& args, CUstream_st* stream, skt_error* error) {
  if (!takes_products(args) && can_count_scores(args)) {
    RowBins bins;
    bins.counts = reinterpret_cast<std::uint32_t*>(args.counts);
    bins.sink = place_in_shard(to_int(args.list.sink), to_int(args.first), to_int(args.sequences.used));
    bins.window = to_int(args.list.window);
    bins.of_shards = true;
    bins.whole_length = to_int(args.whole - args.first);
    return launch_score_packed(args, bins, {}, Inputs::may_be_in_flight, stream, error);
  }
  const int code = launch_score_packed(args, {}, {}, Inputs::may_be_in_flight, stream, error);
  if (code != SKT_OK || args.sequences.used == 0) return code;
  return launch_count_scores(args, stream, error);
}

}  // namespace

std::int32_t step_score_type(std::int32_t rule, const skt_shape& shape) {
  return takes_products(rule, shape) ? SKT_BF16 : SKT_F32;
}

bool can_count_scores(const skt_score_packed_args& args) {
  Device device;
  return query_device(device) == cudaSuccess && block_shape(args, device).counting_warps >= kFewestCountingWarps;
}

bool should_count_rows(const skt_score_packed_args& args) {
  constexpr int kFewestTiles = 2;  // to a warp: with fewer, counting takes as long as it saves or longer
  Device device;
  if (query_device(device) != cudaSuccess) return false;
  const BlockShape shape = block_shape(args, device);
  const std::int64_t tiles = score_tiles(args) * shape.passes * query_rows_of(args.shape);
  return tiles >= std::int64_t{kFewestTiles} * shape.most_warps * device.multiprocessors;
}

int launch_one_head_scores(const ScoreArguments& kernel, CUstream_st* stream, skt_error* error) {
  return launch_scores_of<OneHead<SoftCollision>>(kernel, stream, error);
}

int launch_score_packed(const skt_score_packed_args& args, const RowBins& bins, const RowProgress& progress,
                        Inputs inputs, CUstream_st* stream, skt_error* error) {
  if (args.sequences.used == 0) return SKT_OK;
  const ScoreArguments kernel = {args, bins, progress, inputs, index_pages(args), 1, 1};
  if (takes_products(args)) return launch_grouped_scores(kernel, stream, error);
  if (args.rule == SKT_SIGNED_PROJECTION) return launch_signed_scores(kernel, stream, error);
  return takes_four_heads(args) ? launch_four_head_scores(kernel, stream, error)
                                : launch_one_head_scores(kernel, stream, error);
}

}  // namespace skt::gpu

int skt_score_packed(const skt_score_packed_args* args, CUstream_st* stream, skt_error* error) {
  using namespace skt::gpu;
  if (const int code = check_score_packed(*args, error); code != SKT_OK) return code;
  if (args->counts != nullptr) return launch_counted_scores(*args, stream, error);
  return launch_score_packed(*args, {}, {}, Inputs::may_be_in_flight, stream, error);
}
