// Which keys of the rest of a list are read? Blocks of the selection's kernel say so while others select.
//
// CPU twin: twin_rest() in gpu/check/references/rest.hpp, in every bit.
// Functor: gpu/functors/rest_sample.hpp says what is drawn.
// Method: a cluster to a list. Before the row's scores are there, words are drawn for all keys and the small ones kept, and the
// largest norm is found. The scores' counts in bins then give the bin of the least listed candidate and the sum W, so that
// scores are looked up only of keys with a small enough word. Which keys are listed is not known yet: of the least one's bin a
// listed key may be drawn too, and the attention's blocks leave it out (ListEnd).
// Bytes: norms once, counts, and some scores from L2.
#pragma once

#include <cuda_fp16.h>
#include <cuda_runtime.h>

#include <cstdint>

#include "gpu/decode/row_progress.cuh"
#include "gpu/device/barrier.cuh"
#include "gpu/device/cluster.cuh"
#include "gpu/device/element.cuh"
#include "gpu/functors/lengths.hpp"
#include "gpu/functors/packed_codes.hpp"
#include "gpu/rest/arguments.hpp"
#include "gpu/selection/row.cuh"
#include "gpu/selection/threshold.cuh"

namespace skt::gpu {

constexpr int kMostRoom = rest_room(kMostRestSamples);
constexpr int kMostFound = 2048;

struct FoundWord {
  std::int32_t key;
  std::uint32_t word;
};

// Of the row, in units of W; `heavy` keys score NaN and are drawn for certain.
struct RestCount {
  std::uint64_t units;
  std::uint32_t keys, heavy;
};

struct DrawShared {
  ThresholdShared threshold;
  FoundWord found[kMostFound];  // keys with a word of at most kept_word()
  std::uint32_t found_words;
  std::uint32_t norm;  // bits of the largest one of the block, in fp16: not negative, they rise with it, NaN above all
  RestCount of_warps[kSelectWarps];
  std::uint32_t drawn;
  DrawnKey unsorted[kMostRoom];
};

// A row of scores and what a block has of it.
template <class Score>
struct RestRow {
  int list;
  const Score* scores;
  unsigned kv_row;
  int length, sink, window_begin;
  int scored;      // of the length: keys behind have no scores yet
  int begin, end;  // of the block: whole eights but for the row's end

  __device__ bool is_open(int key) const { return key >= sink && key < window_begin; }
  __device__ int open_keys() const { return max(0, window_begin - sink); }
};

// Calls visit(key, word) for the keys of the block whose word is at most `most`, in any order.
template <class Score, class Visit>
__device__ void for_small_words(const RestArguments& kernel, const RestRow<Score>& row, std::uint32_t most,
                                Visit&& visit) {
  const std::uint32_t step = kernel.rest.rest_step == nullptr ? 0 : *kernel.rest.rest_step;
#pragma unroll 1
  for (int key = row.begin + 4 * static_cast<int>(threadIdx.x); key < row.end; key += 4 * kSelectThreads) {
    const RestWords words = rest_words(kernel.rest.rest_seed, row.list, step, key / 4);
    if (min(min(words.of_key[0], words.of_key[1]), min(words.of_key[2], words.of_key[3])) > most) continue;
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      if (words.of_key[i] <= most && key + i < row.end) visit(key + i, words.of_key[i]);
    }
  }
}

// Three quarters of the room are expected to be taken; more than all of it comes once in 10^33 blocks (Chernoff's bound).
template <class Score>
__device__ std::uint32_t kept_word(const RestRow<Score>& row) {
  constexpr float kExpected = 0.75f * kMostFound;
  const float share = kExpected / static_cast<float>(row.end - row.begin);
  return share < 1 ? static_cast<std::uint32_t>(share * 0x1p32f) : kCertain;
}

// Bits of the largest norm of the thread's keys outside sink and window. From L2: an L1 might hold what was there before a key
// was appended.
template <class Score>
__device__ std::uint32_t largest_norm(const RestArguments& kernel, const RestRow<Score>& row) {
  constexpr int kKeys = 8;
  std::uint32_t largest = 0;
#pragma unroll 4
  for (int key = row.begin + kKeys * static_cast<int>(threadIdx.x); key < row.end; key += kKeys * kSelectThreads) {
    const std::int64_t place = kernel.pages.place_of(row.kv_row, static_cast<unsigned>(key) / kTileKeys);
    const uint4 norms = __ldcg(
        reinterpret_cast<const uint4*>(static_cast<const __half*>(kernel.norms) + place * kTileKeys + key % kTileKeys));
    const std::uint32_t pairs[4] = {norms.x, norms.y, norms.z, norms.w};
#pragma unroll
    for (int i = 0; i < kKeys; ++i) {
      const std::uint32_t norm = i % 2 == 0 ? pairs[i / 2] & 0xffffu : pairs[i / 2] >> 16;
      if (row.is_open(key + i)) largest = max(largest, norm);
    }
  }
  return largest;
}

// How many of the keys first .. end - 1 score NaN, of those that the thread looks at.
template <class Score>
__device__ std::uint32_t count_nan(const RestRow<Score>& row, int first, int end) {
  std::uint32_t count = 0;
#pragma unroll 4
  for (int key = first + static_cast<int>(threadIdx.x); key < end; key += kSelectThreads) {
    const float score = score_of(row.scores[key]);
    count += score != score ? 1 : 0;
  }
  return count;
}

// Of all warps; of all threads.
__device__ inline RestCount over_block(const RestCount& mine, RestCount (&of_warps)[kSelectWarps]) {
  // In two words, as a warp adds no more than 32 bits at once.
  constexpr int kLowBits = 20;
  const std::uint32_t low = __reduce_add_sync(~0u, static_cast<std::uint32_t>(mine.units) & ((1u << kLowBits) - 1));
  const std::uint32_t high = __reduce_add_sync(~0u, static_cast<std::uint32_t>(mine.units >> kLowBits));
  const RestCount of_warp = {(std::uint64_t{high} << kLowBits) + low, __reduce_add_sync(~0u, mine.keys),
                             __reduce_add_sync(~0u, mine.heavy)};
  if (threadIdx.x % 32 == 0) of_warps[threadIdx.x / 32] = of_warp;
  block_barrier();
  RestCount sum = {};
  for (const RestCount& warp : of_warps) {
    sum = {sum.units + warp.units, sum.keys + warp.keys, sum.heavy + warp.heavy};
  }
  return sum;
}

// Of the bins up to `least`, whose keys count as the lowest score of theirs, and `heavy` keys beside them.
__device__ inline RestCount count_rest(const uint4& counts, int least, std::uint32_t lowest, const RestScale& scale,
                                       std::uint32_t heavy, DrawShared& shared) {
  const std::uint32_t of_bins[4] = {counts.x, counts.y, counts.z, counts.w};
  RestCount mine = {0, heavy, heavy};
#pragma unroll
  for (int i = 0; i < 4; ++i) {
    const int bin = 4 * my_bins() + i;
    if (bin > least || of_bins[i] == 0) continue;
    mine.keys += of_bins[i];
    mine.units += std::uint64_t{of_bins[i]} * scale.units_of(scale.weight(lowest_score_of(bin, lowest)));
  }
  return over_block(mine, shared.of_warps);
}

// Draws from the block's keys, in any order: no key weighs more than one at the edge would, so that none with a word above
// `most` need be looked at.
template <class Score>
__device__ void draw_keys(const RestArguments& kernel, const RestRow<Score>& row, const RestScale& scale, float rate,
                          std::uint32_t most, DrawShared& shared) {
  const auto draw = [&](int key, std::uint32_t word) {
    const float score = score_of(row.scores[key]);
    const std::uint32_t last = last_word(scale.weight(score), rate);
    const bool may_be =
        (score != score && key < row.scored) || (row.is_open(key) && score > -INFINITY && scale.may_be_rest(score));
    if (word > last || !may_be) return;
    const std::uint32_t place = atomicAdd(&shared.drawn, 1u);
    if (place < static_cast<std::uint32_t>(kernel.room)) shared.unsorted[place] = {key, last, ordered_key(score)};
  };
  if (most > kept_word(row) || shared.found_words > kMostFound) return for_small_words(kernel, row, most, draw);
  const int found = to_int(shared.found_words);
#pragma unroll 4
  for (int i = static_cast<int>(threadIdx.x); i < found; i += kSelectThreads) {
    if (shared.found[i].word <= most) draw(shared.found[i].key, shared.found[i].word);
  }
}

// Puts what the blocks of the cluster have drawn where the attention's blocks look, by rising key, and what is said of the row.
__device__ inline void put_drawn(const RestArguments& kernel, int list, const DrawnRow& row, DrawShared& shared) {
  const int lane = static_cast<int>(threadIdx.x) % 32;
  cluster_barrier();
  const std::uint32_t of_rank = lane < cluster_size() ? *shared_of(&shared.drawn, lane) : 0;
  const std::uint32_t before = __reduce_add_sync(~0u, lane < cluster_rank() ? of_rank : 0);
  const int here = to_int(min(shared.drawn, static_cast<std::uint32_t>(kernel.room)));
  DrawnKey* const drawn = kernel.drawn + std::int64_t{list} * kernel.room;
  for (int i = static_cast<int>(threadIdx.x); i < here; i += kSelectThreads) {
    std::uint32_t place = before;
    for (int other = 0; other < here; ++other) place += shared.unsorted[other].key < shared.unsorted[i].key ? 1 : 0;
    if (place < static_cast<std::uint32_t>(kernel.room)) drawn[place] = shared.unsorted[i];
  }
  if (cluster_rank() != 0 || threadIdx.x >= 32) return;
  DrawnRow all = row;
  all.drawn = __reduce_add_sync(~0u, of_rank);
  const std::uint32_t norm = __reduce_max_sync(~0u, lane < cluster_size() ? *shared_of(&shared.norm, lane) : 0);
  all.norm = known(__half2float(__ushort_as_half(static_cast<unsigned short>(norm))));
  if (lane == 0) kernel.rows[list] = all;
}

template <class Score>
__device__ RestRow<Score> rest_row(const RestArguments& kernel, const skt_select_keys_args& args, int list,
                                   int unscored) {
  const int length = scored_length(args.sequences, list / to_int(args.shape.heads));
  const int each = 8 * ((length + 8 * cluster_size() - 1) / (8 * cluster_size()));
  return {list,
          static_cast<const Score*>(args.scores) + list * args.shape.capacity,
          static_cast<unsigned>(list / kernel.lists_to_kv_head),
          length,
          min(to_int(args.list.sink), length),
          window_begin(length, to_int(args.list.window)),
          length - unscored,
          min(cluster_rank() * each, length),
          min((cluster_rank() + 1) * each, length)};
}

// Of a cluster: what list `list` leaves out, drawn and counted. `wait_and_count` waits for the row's scores and returns the
// counts of my_bins().
template <class Score, class WaitAndCount>
__device__ void draw_rest(const RestArguments& kernel, const skt_select_keys_args& args, int list, int unscored,
                          std::uint32_t lowest, DrawShared& shared, WaitAndCount&& wait_and_count) {
  const RestRow<Score> row = rest_row<Score>(kernel, args, list, unscored);
  const std::uint32_t budget = budget_of(row.length, to_int(args.list.budget), to_int(args.list.sparsity));
  if (threadIdx.x == 0) shared.drawn = shared.found_words = shared.norm = 0;
  block_barrier();
  for_small_words(kernel, row, kept_word(row), [&](int key, std::uint32_t word) {
    const std::uint32_t place = atomicAdd(&shared.found_words, 1u);
    if (place < kMostFound) shared.found[place] = {key, word};
  });
  const std::uint32_t norm = __reduce_max_sync(~0u, largest_norm(kernel, row));
  if (threadIdx.x % 32 == 0) atomicMax(&shared.norm, norm);
  const uint4 counts = wait_and_count();
  // Scores of NaN are in no bin. Of sink and window what scores so is not listed either.
  std::uint32_t heavy =
      count_nan(row, 0, min(row.sink, row.scored)) + count_nan(row, max(row.sink, row.window_begin), row.scored);
  std::uint32_t total = 0;
  const std::uint32_t above =
      scan_block(counts.x + counts.y + counts.z + counts.w, shared.threshold.warp_totals, total);
  if (total != static_cast<std::uint32_t>(row.open_keys())) heavy += count_nan(row, row.sink, row.window_begin);
  const std::uint32_t need = min(max(budget, 1u), total);
  const int least = total == 0 ? 0 : static_cast<int>(bin_that_holds(counts, above, need, shared.threshold).bin);
  const RestScale scale = rest_scale(least, lowest, kernel.weight_scale, kernel.normalisers != nullptr);
  const RestCount of_row = count_rest(counts, least, lowest, scale, heavy, shared);
  const float rate = rest_rate(scale, of_row.units, of_row.keys, to_int(kernel.rest.rest_samples));
  const std::uint32_t most = of_row.heavy != 0 ? kCertain : last_word(scale.weight(scale.edge), rate);
  draw_keys(kernel, row, scale, rate, most, shared);
  put_drawn(kernel, list, {0, of_row.keys, rate, scale.normaliser, 0, known(scale.edge)}, shared);
  if (kernel.progress != nullptr) {
    block_barrier();
    if (threadIdx.x == 0) count_up(&kernel.progress[list], kWholeRow / cluster_size());
  }
  cluster_barrier();  // no block leaves while another reads its shared memory
}

}  // namespace skt::gpu
