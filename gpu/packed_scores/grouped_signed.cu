// How is the kernel of gpu/packed_scores/grouped_kernel.cuh launched: for four heads at once or for eight?
#include "gpu/packed_scores/grouped_kernel.cuh"
#include "gpu/packed_scores/launch.cuh"
#include "gpu/packed_scores/prepare_rows.cuh"

namespace skt::gpu {
namespace {

using FourGrouped = GroupedHeads<1>;
using EightGrouped = GroupedHeads<2>;
using FourSharing = GroupedHeads<1, 0, true>;
using EightSharing = GroupedHeads<2, 0, true>;

constexpr int kFewestRingTiles = 2;  // one to be multiplied and one on its way

int words_of(const skt_score_packed_args& args) {
  return to_int(words_per_key(args.shape.tables, args.shape.planes));
}

// Bytes that are left for the rings of a block that keeps the weights and counts of `rows` rows.
template <class Heads>
int bytes_for_rings(const skt_score_packed_args& args, bool counted, int rows, const Device& device) {
  return to_int(device.shared_bytes) - GroupedMemory<Heads>::rows_bytes(rows, words_of(args), counted);
}

// How many warps such a block has, as many as find room for the smallest rings; 0 where the rest alone is too much.
template <class Heads>
int grouped_warps(const skt_score_packed_args& args, bool counted, int rows, const Device& device) {
  const int fit =
      bytes_for_rings<Heads>(args, counted, rows, device) / CodeRing::bytes(kFewestRingTiles, words_of(args));
  return std::clamp(fit, 0, Heads::threads / 32);
}

template <class Heads>
int launch_prepare(const ScoreArguments& kernel, const Device& device, CUstream_st* stream, skt_error* error) {
  const skt_score_packed_args& args = kernel.args;
  const bool samples = Heads::shares && args.log_sums == nullptr;
  Launch shape;
  shape.threads = kPrepareThreads<Heads>;
  shape.grid = grid_of(args.shape.batch * query_rows_of(args.shape) * args.shape.kv_heads * kernel.passes,
                       samples ? kSampledTiles + 1 : 1);
  shape.carveout = cudaSharedmemCarveoutMaxShared;
  shape.shared_bytes = RowWeights<Heads::sets>::bytes(kernel.words);
  bool copies_sums = false;
  if (samples) {
    const std::int64_t codes = kernel.words * std::int64_t{kTileWordBytes};
    const std::int64_t sums = std::min<std::int64_t>(Heads::heads, args.shape.heads / args.shape.kv_heads) *
                              args.shape.tables * half_table_entries(to_int(args.shape.planes)) *
                              std::int64_t{sizeof(float)};
    copies_sums = codes + sums <= device.shared_bytes / 2;
    shape.shared_bytes = std::max<std::size_t>(shape.shared_bytes, codes + (copies_sums ? sums : 0));
  }
  const PrepareArguments arguments = {kernel, copies_sums};
  if constexpr (Heads::shares) {
    // The planes of gpu/bench/shared_heads.py, and the usual ones.
    if (args.shape.planes == 8) return launch(prepare_rows_kernel<Heads, 8>, shape, stream, arguments, error);
    if (args.shape.planes == kUsualPlanes) {
      return launch(prepare_rows_kernel<Heads, kUsualPlanes>, shape, stream, arguments, error);
    }
  }
  return launch(prepare_rows_kernel<Heads>, shape, stream, arguments, error);
}

template <class Heads>
int launch_grouped(ScoreArguments kernel, const Device& device, CUstream_st* stream, skt_error* error) {
  const skt_score_packed_args& args = kernel.args;
  const bool counted = kernel.bins.counts != nullptr;
  const int words = words_of(args);
  const int rows = grouped_warps<Heads>(args, counted, 2, device) == Heads::threads / 32 ? 2 : 1;
  const int warps = std::max(1, grouped_warps<Heads>(args, counted, rows, device));
  const int of_warp = bytes_for_rings<Heads>(args, counted, rows, device) / warps;
  kernel.ring_tiles = std::clamp(of_warp / CodeRing::bytes(1, words), 1, kMostRingTiles);
  kernel.words = words;
  kernel.rows_at_once = rows;
  kernel.passes = score_passes<Heads>(args);
  if (const int code = launch_prepare<Heads>(kernel, device, stream, error); code != SKT_OK) return code;
  Launch shape;
  shape.threads = 32 * warps;
  shape.shared_bytes = GroupedMemory<Heads>::rings_bytes(warps, kernel.ring_tiles, words) +
                       GroupedMemory<Heads>::rows_bytes(rows, words, counted);
  shape.carveout = cudaSharedmemCarveoutMaxShared;
  shape.grid = score_grid(args, kernel.passes, device);
  // The kernel knows the words where they are those of 320 or 608 bits, which gpu/bench/shared_heads.py times. Of these,
  // launches with bf16 scores, as a step's, have an instance that knows what they have not; fp32 scores, which ranks ask
  // for, have none. In bins of ranks no instance counts.
  const auto launch_of = [&]<class Words>() {
    return usual_case(kernel) == Serves::step && args.score_type == SKT_BF16
               ? launch(score_grouped_kernel<Words, Serves::step>, shape, stream, kernel, error)
               : launch(score_grouped_kernel<Words, Serves::any>, shape, stream, kernel, error);
  };
  if constexpr (Heads::shares) {
    // One list for all of 160, 320 and 608 bits, as gpu/bench/whole_model.py times them.
    const bool has_room = kernel.ring_tiles == list_ring_tiles(words);
    if (has_room && usual_case(kernel) == Serves::step && args.score_type == SKT_BF16) {
      const auto launch_step = [&]<class Words>() {
        return launch(score_grouped_kernel<Words, Serves::step>, shape, stream, kernel, error);
      };
      if (Heads::sets == 1 && words == 5) return launch_step.template operator()<GroupedHeads<1, 5, true>>();
      if (Heads::sets == 1 && words == 10) return launch_step.template operator()<GroupedHeads<1, 10, true>>();
      if (Heads::sets == 1 && words == 19) return launch_step.template operator()<GroupedHeads<1, 19, true>>();
    }
  } else if constexpr (Heads::sets == 1) {
    if (words == 10) return launch_of.template operator()<GroupedHeads<1, 10>>();
    if (words == 19) return launch_of.template operator()<GroupedHeads<1, 19>>();
  }
  return launch(score_grouped_kernel<Heads, Serves::any>, shape, stream, kernel, error);
}

// Above four heads to a kv head, unless the weights of eight leave room for too few warps and they need not share a list.
bool takes_eight(const skt_score_packed_args& args, const Device& device) {
  if (args.shape.heads / args.shape.kv_heads <= FourGrouped::heads) return false;
  return share_lists(args) || grouped_warps<EightGrouped>(args, true, 1, device) >= kFewestCountingWarps;
}

template <class Heads>
BlockShape block_shape(const skt_score_packed_args& args, const Device& device) {
  return {Heads::threads / 32, grouped_warps<Heads>(args, true, 1, device), score_passes<Heads>(args)};
}

}  // namespace

BlockShape grouped_block_shape(const skt_score_packed_args& args, const Device& device) {
  const bool eight = takes_eight(args, device);
  if (share_lists(args))
    return eight ? block_shape<EightSharing>(args, device) : block_shape<FourSharing>(args, device);
  return eight ? block_shape<EightGrouped>(args, device) : block_shape<FourGrouped>(args, device);
}

int launch_grouped_scores(const ScoreArguments& kernel, CUstream_st* stream, skt_error* error) {
  Device device;
  const cudaError_t status = query_device(device);
  if (status != cudaSuccess) return cuda_failure(status, error);
  const bool eight = takes_eight(kernel.args, device);
  if (share_lists(kernel.args)) {
    return eight ? launch_grouped<EightSharing>(kernel, device, stream, error)
                 : launch_grouped<FourSharing>(kernel, device, stream, error);
  }
  return eight ? launch_grouped<EightGrouped>(kernel, device, stream, error)
               : launch_grouped<FourGrouped>(kernel, device, stream, error);
}

}  // namespace skt::gpu
