// Which kernel scores packed codes: one query head to a look-up or four (gpu/packed_scores/kernel.cuh), or
// products of heads by the signed rule (gpu/packed_scores/grouped_kernel.cuh)? And are scores counted as they are made?
#include "gpu/packed_scores/launch.cuh"

namespace skt::gpu {
namespace {

// By the signed rule, query heads that share a kv head.
bool takes_products(std::int32_t rule, std::int64_t heads, std::int64_t kv_heads) {
  return rule == SKT_SIGNED_PROJECTION && heads > kv_heads;
}
bool takes_products(const skt_score_packed_args& args) {
  return takes_products(args.rule, args.heads, args.kv_heads);
}

// What only those have.
void validate_bf16(const skt_score_packed_args& args, Validation& check) {
  if (!takes_products(args)) {
    check.refuse(SKT_BAD_ARGUMENT, "score_type, but by the signed rule of heads that share a kv head,", args.score_type,
                 "0 (SKT_F32)");
  }
  if (args.counts != nullptr) {
    check.refuse(SKT_BAD_ARGUMENT, "score_type of scores that are counted", args.score_type, "0 (SKT_F32)");
  }
}

Validation validate(const skt_score_packed_args& args, skt_error* error) {
  Validation check(error);
  check.heads(args.batch, args.heads, args.kv_heads);
  check.query_rows(args.query_rows, args.batch, args.heads);
  check.cache(args.capacity);
  check.multiple_of("capacity", args.capacity, kTileKeys);
  check.in_range("keys", args.keys, 0, args.capacity);
  check.packed_hash(args.tables, args.planes);
  check.in_range("allowed_per_head", args.allowed_per_head, 0, 1);
  check.in_range("rule", args.rule, SKT_SOFT_COLLISION, SKT_SIGNED_PROJECTION);
  check.score_type(args.score_type);
  if (args.score_type == SKT_BF16) validate_bf16(args, check);
  check.pointer("half_tables", args.half_tables);
  check.pointer("packed", args.packed);
  check.pointer("norms", args.norms);
  check.optional_pointer("allowed", args.allowed);
  check.pointer("scores", args.scores);
  check.optional_pointer("lengths", args.lengths, 4);
  check.optional_pointer("counts", args.counts);
  if (args.counts != nullptr) {
    check.in_range("query_rows of scores that are counted", args.query_rows, 0, 1);
    check.in_range("first", args.first, 0, kLargestInt);
    check.in_range("used", args.used, 0, kLargestInt);
    check.in_range("sink", args.sink, 0, kLargestInt);
    check.in_range("window", args.window, 0, kLargestInt);
  }
  check.index_pages(args);
  return check;
}

bool takes_four_heads(const skt_score_packed_args& args) {
  return args.rule == SKT_SOFT_COLLISION &&
         scores_in_half(args.heads / args.kv_heads, args.tables, to_int(args.planes));
}

template <class Lanes>
BlockShape block_shape_of(const skt_score_packed_args& args, const Device& device) {
  return {Lanes::threads / 32, score_warps<Lanes>(args, true, 1, device), score_passes<Lanes>(args)};
}

BlockShape block_shape(const skt_score_packed_args& args, const Device& device) {
  if (takes_products(args)) return grouped_block_shape(args, device);
  return takes_four_heads(args) ? block_shape_of<FourHeads>(args, device)
                                : block_shape_of<OneHead<SoftCollision>>(args, device);
}

// Counts of a rank are made with the scores, or where these leave no room for them by a pass of their own.
int launch_counted_scores(const skt_score_packed_args& args, CUstream_st* stream, skt_error* error) {
  const Validation check = validate(args, error);
  if (check.failed()) return check.code();
  if (!takes_products(args) && can_count_scores(args)) {
    RowBins bins;
    bins.counts = reinterpret_cast<std::uint32_t*>(args.counts);
    bins.sink = place_in_shard(to_int(args.sink), to_int(args.first), to_int(args.keys));
    bins.window = to_int(args.window);
    bins.of_shards = true;
    bins.whole_length = to_int(args.used - args.first);
    return launch_score_packed(args, bins, {}, Inputs::may_be_in_flight, stream, error);
  }
  const int code = launch_score_packed(args, {}, {}, Inputs::may_be_in_flight, stream, error);
  if (code != SKT_OK || args.keys == 0) return code;
  return launch_count_scores(args, stream, error);
}

}  // namespace

int check_score_packed(const skt_score_packed_args& args, skt_error* error) {
  return validate(args, error).code();
}

std::int32_t step_score_type(std::int32_t rule, std::int64_t heads, std::int64_t kv_heads) {
  return takes_products(rule, heads, kv_heads) ? SKT_BF16 : SKT_F32;
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
  const std::int64_t tiles = score_tiles(args) * shape.passes * query_rows_of(args.query_rows);
  return tiles >= std::int64_t{kFewestTiles} * shape.most_warps * device.multiprocessors;
}

int launch_one_head_scores(const ScoreArguments& kernel, CUstream_st* stream, skt_error* error) {
  return launch_scores_of<OneHead<SoftCollision>>(kernel, stream, error);
}

int launch_score_packed(const skt_score_packed_args& args, const RowBins& bins, const RowProgress& progress,
                        Inputs inputs, CUstream_st* stream, skt_error* error) {
  const Validation check = validate(args, error);
  if (check.failed() || args.keys == 0) return check.code();
  const ScoreArguments kernel = {args, bins, progress, inputs, index_pages(args), 1, 1};
  if (takes_products(args)) return launch_grouped_scores(kernel, stream, error);
  if (args.rule == SKT_SIGNED_PROJECTION) return launch_signed_scores(kernel, stream, error);
  return takes_four_heads(args) ? launch_four_head_scores(kernel, stream, error)
                                : launch_one_head_scores(kernel, stream, error);
}

}  // namespace skt::gpu

int skt_score_packed(const skt_score_packed_args* args, CUstream_st* stream, skt_error* error) {
  using namespace skt::gpu;
  if (args->counts != nullptr) return launch_counted_scores(*args, stream, error);
  return launch_score_packed(*args, {}, {}, Inputs::may_be_in_flight, stream, error);
}
