// Which kernel scores packed codes: one query head to a look-up or four (gpu/packed_scores/kernel.cuh)?
#include "gpu/packed_scores/launch.cuh"

namespace skt::gpu {
namespace {

Validation validate(const skt_score_packed_args& args, skt_error* error) {
  Validation check(error);
  check.heads(args.batch, args.heads, args.kv_heads);
  check.cache(args.capacity);
  check.multiple_of("capacity", args.capacity, kTileKeys);
  check.in_range("keys", args.keys, 0, args.capacity);
  check.packed_hash(args.tables, args.planes);
  check.in_range("allowed_per_head", args.allowed_per_head, 0, 1);
  check.in_range("rule", args.rule, SKT_SOFT_COLLISION, SKT_SIGNED_PROJECTION);
  check.pointer("half_tables", args.half_tables);
  check.pointer("packed", args.packed);
  check.pointer("norms", args.norms);
  check.optional_pointer("allowed", args.allowed);
  check.pointer("scores", args.scores);
  check.optional_pointer("lengths", args.lengths, 4);
  return check;
}

bool takes_four_heads(const skt_score_packed_args& args) {
  return args.rule == SKT_SOFT_COLLISION &&
         scores_in_half(args.heads / args.kv_heads, args.tables, to_int(args.planes));
}

}  // namespace

int check_score_packed(const skt_score_packed_args& args, skt_error* error) {
  return validate(args, error).code();
}

bool can_count_scores(const skt_score_packed_args& args) {
  constexpr int kFewestWarps = 8;  // fewer would lose more time than the counts save the selection
  Device device;
  if (query_device(device) != cudaSuccess) return false;
  const int warps = takes_four_heads(args) ? score_warps<FourHeads>(args, true, 1, device)
                                           : score_warps<OneHead<SoftCollision>>(args, true, 1, device);
  return warps >= kFewestWarps;
}

bool should_count_rows(const skt_score_packed_args& args) {
  constexpr int kFewestTiles = 2;  // to a warp: with fewer, counting takes as long as it saves or longer
  Device device;
  if (query_device(device) != cudaSuccess) return false;
  const bool four_heads = takes_four_heads(args);
  const int warps = (four_heads ? FourHeads::threads : OneHead<SoftCollision>::threads) / 32;
  const int passes = four_heads ? score_passes<FourHeads>(args) : score_passes<OneHead<SoftCollision>>(args);
  return score_tiles(args) * passes >= std::int64_t{kFewestTiles} * warps * device.multiprocessors;
}

int launch_one_head_scores(const ScoreArguments& kernel, CUstream_st* stream, skt_error* error) {
  return launch_scores_of<OneHead<SoftCollision>>(kernel, stream, error);
}

int launch_score_packed(const skt_score_packed_args& args, const RowBins& bins, const RowProgress& progress,
                        Inputs inputs, CUstream_st* stream, skt_error* error) {
  const Validation check = validate(args, error);
  if (check.failed() || args.keys == 0) return check.code();
  const ScoreArguments kernel = {args, bins, progress, inputs, 1, 1};
  if (args.rule == SKT_SIGNED_PROJECTION) return launch_signed_scores(kernel, stream, error);
  return takes_four_heads(args) ? launch_four_head_scores(kernel, stream, error)
                                : launch_one_head_scores(kernel, stream, error);
}

}  // namespace skt::gpu

int skt_score_packed(const skt_score_packed_args* args, CUstream_st* stream, skt_error* error) {
  return skt::gpu::launch_score_packed(*args, {}, {}, skt::gpu::Inputs::may_be_in_flight, stream, error);
}
