// Selection by bisection for the threshold, one warp to a row; see planted.hpp.
#include "gpu/device/element.cuh"
#include "gpu/functors/lengths.hpp"
#include "gpu/functors/ordered_key.hpp"
#include "gpu/planted/planted.hpp"

namespace skt::gpu {
namespace {

struct Row {
  const void* scores;
  std::int64_t first;  // number of the row's first score
  std::int32_t type;
  std::int64_t keys, sink, window_begin;

  __device__ float score(std::int64_t key) const {
    return type == SKT_F32 ? static_cast<const float*>(scores)[first + key] : load_as(type, scores, first + key);
  }

  __device__ bool forced(std::int64_t key) const { return key < sink || key >= window_begin; }
  // kNeverSelected for what is no candidate.
  __device__ std::uint32_t candidate(std::int64_t key) const {
    const bool counts = kPlanted == Planted::sink_and_window_twice || !forced(key);
    return key < keys && counts ? ordered_key(score(key)) : kNeverSelected;
  }
};

// Candidates whose ordered key is at least `least`; the same number in every lane.
__device__ std::int64_t count_at_least(const Row& row, std::uint32_t least) {
  __shared__ volatile unsigned shared_count;
  if (threadIdx.x == 0) shared_count = 0;
  __syncwarp();
  unsigned mine = 0;
  for (std::int64_t key = threadIdx.x; key < row.keys; key += 32) {
    const std::uint32_t ordered = row.candidate(key);
    const bool counts = ordered != kNeverSelected && ordered >= least;
    if (kPlanted == Planted::shared_accumulator_race && counts) shared_count = shared_count + 1;
    mine += counts ? 1u : 0u;
  }
  __syncwarp();
  if (kPlanted == Planted::shared_accumulator_race) return shared_count;
  return __reduce_add_sync(~0u, mine);
}

// The largest key that at least `budget` candidates reach; the smallest of all if there are fewer.
__device__ std::uint32_t threshold_of(const Row& row, std::int64_t budget) {
  std::uint32_t threshold = 0;
  for (int bit = 31; bit >= 0; --bit) {
    const std::uint32_t higher = threshold | 1u << bit;
    if (count_at_least(row, higher) >= budget) threshold = higher;
  }
  return threshold;
}

// Grid: [rows]; one warp.
__global__ void naive_select_keys(skt_select_keys_args args) {
  const int query_rows = query_rows_of(args.shape);
  const bool alike = args.sequences.lengths == nullptr && query_rows == 1;
  const RowPlace place = alike ? RowPlace{0, 0} : place_of_row(blockIdx.x, to_int(args.shape.heads), query_rows);
  const int keys =
      length_before(length_of(args.sequences.lengths, place.sequence, to_int(args.sequences.used)), place.behind);
  const Row row = {args.scores,     blockIdx.x * args.shape.capacity,
                   args.score_type, keys,
                   args.list.sink,  window_begin(keys, to_int(args.list.window))};
  const std::int64_t wanted = budget_of(keys, to_int(args.list.budget), to_int(args.list.sparsity));
  const std::int64_t budget = kPlanted == Planted::threshold_off_by_one ? max(wanted - 1, std::int64_t{0}) : wanted;
  const std::uint32_t threshold = budget == 0 ? ~0u : threshold_of(row, budget);
  const std::int64_t above = budget == 0 || threshold == ~0u ? 0 : count_at_least(row, threshold + 1);
  const std::int64_t tied = budget == 0 ? 0 : count_at_least(row, threshold) - above;
  // Of the tied, the first ones are taken; broken upward, the last ones.
  const std::int64_t take = min(tied, budget - above);
  const std::int64_t skip = kPlanted == Planted::ties_broken_upward ? tied - take : 0;
  const std::int64_t length = length_of_list(args.list);
  std::int32_t* list = args.selected + blockIdx.x * length;
  if (threadIdx.x != 0) return;
  std::int64_t count = 0;
  std::int64_t tied_before = 0;
  for (std::int64_t key = 0; key < keys; ++key) {
    const std::uint32_t ordered = row.candidate(key);
    const bool is_tied = budget > 0 && ordered == threshold && ordered != kNeverSelected;
    const bool best = budget > 0 && ordered > threshold;
    const bool taken = is_tied && tied_before >= skip && tied_before < skip + take;
    tied_before += is_tied ? 1 : 0;
    const bool forced = row.forced(key) && ordered_key(row.score(key)) != kNeverSelected;
    const int times = (forced ? 1 : 0) + (best || taken ? 1 : 0);
    for (int i = 0; i < times && count < length; ++i) list[count++] = key;
  }
  args.counts[blockIdx.x] = count;
  while (count < length) list[count++] = -1;
}

}  // namespace
}  // namespace skt::gpu

using namespace skt::gpu;

int skt_select_keys(const skt_select_keys_args* args, CUstream_st* stream, skt_error* error) {
  const int code = right<decltype(skt_select_keys)>("skt_select_keys")(args, stream, error);
  if (code != SKT_OK) return code;
  naive_select_keys<<<grid_of(all_rows(args->shape)), 32, 0, stream>>>(*args);
  return launched(error);
}
