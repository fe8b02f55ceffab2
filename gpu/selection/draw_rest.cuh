// Which keys of the rest of a list are read? Blocks of the selection's kernel say so while others select.
//
// CPU twin: twin_rest() in gpu/check/references/rest.hpp, in every bit.
// Functor: gpu/functors/rest_sample.hpp says what is drawn.
// Method: a cluster to a list, which waits for the row's scores alone. Their counts give the bin of the least listed
// candidate, and the sum W but for keys of the first bin: a pass over the scores adds those up, and takes the largest norm
// too. Words are drawn for all keys, but scores looked up again only of keys with a small enough word. The cluster exchanges
// whole numbers and largest numbers, so that every size of it gives the same bits. Which keys are listed is not known yet: of
// that bin a listed key may be drawn too, and the attention's blocks leave it out (ListEnd).
// Bytes: scores, mostly from L2, and norms once.
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
#include "gpu/selection/marks.cuh"
#include "gpu/selection/row.cuh"
#include "gpu/selection/threshold.cuh"

namespace skt::gpu {

constexpr int kMostRoom = rest_room(kMostRestSamples);

// What a block, or a row, has of the rest and of the listed candidates of its highest bin. Bits of numbers that are not
// negative rise with them, and those of NaN are above all.
struct RestCount {
  std::uint64_t units;
  std::uint32_t keys, heavy;  // heavy: 1 where a key scores NaN, which is drawn for certain
  std::uint32_t norm, score;  // bits of the largest norm, in fp16, and of the largest |score|

  __device__ void add(const RestCount& other) {
    units += other.units;
    keys += other.keys;
    heavy = max(heavy, other.heavy);
    norm = max(norm, other.norm);
    score = max(score, other.score);
  }
};

// Units in two words, as no more than 32 bits are added at once by a warp or in shared memory.
constexpr int kLowBits = 20;
__device__ inline std::uint32_t low_units(const RestCount& of) {
  return static_cast<std::uint32_t>(of.units) & ((1u << kLowBits) - 1);
}
__device__ inline std::uint32_t high_units(const RestCount& of) {
  return static_cast<std::uint32_t>(of.units >> kLowBits);
}
__device__ inline std::uint64_t units_of(std::uint32_t low, std::uint32_t high) {
  return (std::uint64_t{high} << kLowBits) + low;
}

// Of a block, in shared memory, where warps add.
struct BlockCount {
  std::uint32_t low_units, high_units, keys, heavy, norm, score;

  __device__ RestCount count() const { return {units_of(low_units, high_units), keys, heavy, norm, score}; }
};
__device__ inline void add_to(BlockCount& block, const RestCount& mine) {
  atomicAdd(&block.low_units, low_units(mine));
  atomicAdd(&block.high_units, high_units(mine));
  atomicAdd(&block.keys, mine.keys);
  atomicMax(&block.heavy, mine.heavy);
  atomicMax(&block.norm, mine.norm);
  atomicMax(&block.score, mine.score);
}

constexpr int kMostFound = 2048;
struct FoundWord {
  std::int32_t key;
  std::uint32_t word;
};

struct DrawShared {
  ThresholdShared threshold;
  FoundWord found[kMostFound];  // keys that may be drawn by their words
  std::uint32_t found_words;
  BlockCount block;
  std::uint32_t drawn;
  DrawnKey unsorted[kMostRoom];
};

// Keys of a row that may be of the rest, but for what they score.
struct RestKeys {
  int length, sink, window_begin;

  __device__ unsigned there(int first) const { return bits_before(first, length); }
  // Outside sink and window; a bit for each of eight keys.
  __device__ unsigned open(int first) const {
    return there(first) & bits_before(first, window_begin) & ~bits_before(first, sink);
  }
};

constexpr int kLaneKeys = 8;
constexpr int kChunkKeys = 32 * kLaneKeys;

// Eight keys of a lane, as memory has them.
template <class Score>
struct LaneKeys {
  static constexpr int kWords = sizeof(Score) / 2;
  int first;
  uint4 scores[kWords];
  uint4 norms;

  // Those of the lane in chunk `chunk` of the row, if there are such; a row has room for whole eights.
  __device__ void load(const RestArguments& kernel, const Score* row, int length, unsigned kv_row, int chunk) {
    first = chunk * kChunkKeys + static_cast<int>(threadIdx.x) % 32 * kLaneKeys;
    if (first >= length) return;
#pragma unroll
    for (int i = 0; i < kWords; ++i) scores[i] = reinterpret_cast<const uint4*>(row + first)[i];
    const std::int64_t place = kernel.pages.place_of(kv_row, static_cast<unsigned>(first) / kTileKeys);
    norms = *reinterpret_cast<const uint4*>(static_cast<const __half*>(kernel.norms) + place * kTileKeys +
                                            first % kTileKeys);
  }
  // The next two of the eight keys: scores, and bits of norms. Loops over pairs are short code, of which the first run is slow.
  struct Pair {
    float scores[2];
    std::uint32_t norms[2];
  };
  __device__ Pair take_pair() {
    Pair pair;
    if constexpr (kIsBf16<Score>) {
      pair.scores[0] = __uint_as_float(scores[0].x << 16);
      pair.scores[1] = __uint_as_float(scores[0].x & 0xffff0000u);
      scores[0] = {scores[0].y, scores[0].z, scores[0].w, 0};
    } else {
      pair.scores[0] = __uint_as_float(scores[0].x);
      pair.scores[1] = __uint_as_float(scores[0].y);
      scores[0] = {scores[0].z, scores[0].w, scores[1].x, scores[1].y};
      scores[1] = {scores[1].z, scores[1].w, 0, 0};
    }
    pair.norms[0] = norms.x & 0xffffu;
    pair.norms[1] = norms.x >> 16;
    norms = {norms.y, norms.z, norms.w, 0};
    return pair;
  }
};

// Of the row, of this block.
struct ChunkRange {
  int begin, end;
};
__device__ inline ChunkRange chunks_of_block(int length) {
  const int chunks = (length + kChunkKeys - 1) / kChunkKeys;
  const int each = (chunks + cluster_size() - 1) / cluster_size();
  return {min(cluster_rank() * each, chunks), min((cluster_rank() + 1) * each, chunks)};
}

// The chunks of a warp: of the block's share of the row every kSelectWarps-th. The first are asked for at once.
template <class Score>
class WarpChunks {
 public:
  __device__ WarpChunks(const RestArguments& kernel, const Score* row, int length, unsigned kv_row)
      : kernel_(kernel), row_(row), length_(length), kv_row_(kv_row) {
    const ChunkRange of_block = chunks_of_block(length);
    begin_ = of_block.begin + static_cast<int>(threadIdx.x) / 32;
    end_ = of_block.end;
#pragma unroll
    for (int i = 0; i < kAhead; ++i) load(ahead_[i], begin_ + i * kSelectWarps);
  }
  // Calls visit(eight keys) for each chunk, of the lanes that have keys in it.
  template <class Visit>
  __device__ void for_each(Visit&& visit) {
#pragma unroll 1
    for (int chunk = begin_; chunk < end_; chunk += kSelectWarps) {
      const LaneKeys<Score> now = ahead_[0];
#pragma unroll
      for (int i = 1; i < kAhead; ++i) ahead_[i - 1] = ahead_[i];
      load(ahead_[kAhead - 1], chunk + kAhead * kSelectWarps);
      if (now.first < length_) visit(now);
    }
  }

 private:
  static constexpr int kAhead = kIsBf16<Score> ? 3 : 2;

  __device__ void load(LaneKeys<Score>& to, int chunk) const {
    if (chunk < end_) to.load(kernel_, row_, length_, kv_row_, chunk);
  }

  const RestArguments& kernel_;
  const Score* row_;
  int length_;
  unsigned kv_row_;
  int begin_, end_;
  LaneKeys<Score> ahead_[kAhead];
};

__device__ inline RestCount over_warp(const RestCount& mine) {
  return {units_of(__reduce_add_sync(~0u, low_units(mine)), __reduce_add_sync(~0u, high_units(mine))),
          __reduce_add_sync(~0u, mine.keys), __reduce_max_sync(~0u, mine.heavy), __reduce_max_sync(~0u, mine.norm),
          __reduce_max_sync(~0u, mine.score)};
}

// The bin of the least listed candidate; of the best one where none is listed.
__device__ inline int bin_of_least(const uint4& counts, std::uint32_t budget, ThresholdShared& shared) {
  SelectedBin found = {0, 0, 0};
  if (find_bin(counts, max(budget, 1u), shared, found)) return static_cast<int>(found.bin);
  block_barrier();
  std::uint32_t total = 0;
  scan_block(counts.x + counts.y + counts.z + counts.w, shared.warp_totals, total);
  block_barrier();
  if (total == 0) return 0;
  find_bin(counts, total, shared, found);
  return static_cast<int>(found.bin);
}

// The row of a list.
template <class Score>
struct RestRow {
  int list;
  const Score* scores;
  unsigned kv_row;
  RestKeys keys;
};

// The rest of a row and the listed candidates of its highest bin, bin `least`, counted by the cluster.
template <class Score>
__device__ RestCount count_rest(const RestRow<Score>& row, const RestScale& scale, WarpChunks<Score>& warp_chunks,
                                const uint4& counts, int least, std::uint32_t lowest, BlockCount& block) {
  const int lane = static_cast<int>(threadIdx.x) % 32, warp = static_cast<int>(threadIdx.x) / 32;
  // Of the bins, whose keys count as the lowest score of theirs, each block takes those of the warps of its rank.
  RestCount mine = {};
  uint4 of_bins = counts;
#pragma unroll 1
  for (int bin = 4 * my_bins(); bin < 4 * my_bins() + 4 && bin <= least; ++bin) {
    if (warp % cluster_size() != cluster_rank()) break;
    mine.keys += of_bins.x;
    const float score = reached_by(score_bin_begin(bin, lowest));
    if (bin > 0) mine.units += std::uint64_t{of_bins.x} * scale.units_of(scale.weight(score));
    of_bins = {of_bins.y, of_bins.z, of_bins.w, 0};
  }
  const float lowest_score = reached_by(score_bin_begin(1, lowest));
  warp_chunks.for_each([&](LaneKeys<Score> eight) {
    const unsigned open = row.keys.open(eight.first), there = row.keys.there(eight.first);
#pragma unroll 1
    for (int first = 0; first < kLaneKeys; first += 2) {
      const auto pair = eight.take_pair();
#pragma unroll
      for (int i = 0; i < 2; ++i) {
        const float score = pair.scores[i];
        const bool counts = (open >> (first + i) & 1) != 0 && score > -INFINITY && scale.may_be_rest(score);
        mine.norm = max(mine.norm, counts ? pair.norms[i] : 0);
        if (!scale.of_score) mine.score = max(mine.score, counts ? __float_as_uint(fabsf(score)) : 0);
        if (counts && score < lowest_score) mine.units += scale.units_of(scale.weight(score));
        // Of sink and window what scores NaN is not listed either.
        if (score != score && (there >> (first + i) & 1) != 0) {
          mine.add({0, 1, 1, pair.norms[i], __float_as_uint(INFINITY)});
        }
      }
    }
  });
  mine = over_warp(mine);
  if (lane == 0) add_to(block, mine);
  cluster_barrier();
  RestCount of_row = {};
  if (lane < cluster_size()) of_row = shared_of(&block, lane)->count();
  return over_warp(of_row);
}

// Draws from the block's share of the row, in any order. No key weighs more than one at the edge would, so that few words are
// small enough to look further: at most `most`.
template <class Score>
__device__ void draw_keys(const RestArguments& kernel, const RestRow<Score>& row, const RestScale& scale, float rate,
                          std::uint32_t most, DrawShared& shared) {
  const int thread = static_cast<int>(threadIdx.x);
  const RestKeys& keys = row.keys;
  const std::uint32_t step = kernel.rest.rest_step == nullptr ? 0 : *kernel.rest.rest_step;
  const auto words_of = [&](int four) { return rest_words(kernel.rest.rest_seed, row.list, step, four); };
  const auto draw = [&](int key, std::uint32_t word) {
    if (key >= keys.length) return;
    const float score = score_of(row.scores[key]);
    const std::uint32_t last = last_word(scale.weight(score), rate);
    const bool is_open = key >= keys.sink && key < keys.window_begin;
    const bool may_be = score != score || (is_open && score > -INFINITY && scale.may_be_rest(score));
    if (word > last || !may_be) return;
    const std::uint32_t place = atomicAdd(&shared.drawn, 1u);
    if (place < static_cast<std::uint32_t>(kernel.room)) shared.unsorted[place] = {key, last, ordered_key(score)};
  };
  const ChunkRange chunks = chunks_of_block(keys.length);
#pragma unroll 1
  for (int four = chunks.begin * kChunkKeys / 4 + thread; four < chunks.end * kChunkKeys / 4; four += kSelectThreads) {
    const RestWords words = words_of(four);
    if (min(min(words.of_key[0], words.of_key[1]), min(words.of_key[2], words.of_key[3])) > most) continue;
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      if (words.of_key[i] > most) continue;
      const std::uint32_t place = atomicAdd(&shared.found_words, 1u);
      if (place < kMostFound) shared.found[place] = {4 * four + i, words.of_key[i]};
    }
  }
  block_barrier();
  if (shared.found_words <= kMostFound) {
    const int found = to_int(shared.found_words);
    for (int i = thread; i < found; i += kSelectThreads) draw(shared.found[i].key, shared.found[i].word);
  } else {
    // All keys may be drawn, or nearly so.
#pragma unroll 1
    for (int key = chunks.begin * kChunkKeys + thread; key < chunks.end * kChunkKeys; key += kSelectThreads) {
      draw(key, words_of(key / 4).of_key[key % 4]);
    }
  }
}

// Puts what the blocks of the cluster have drawn where the attention's blocks look, by rising key. Returns how many keys.
__device__ inline std::uint32_t put_drawn(const RestArguments& kernel, int list, DrawShared& shared) {
  const int lane = static_cast<int>(threadIdx.x) % 32;
  cluster_barrier();
  const std::uint32_t of_rank = lane < cluster_size() ? *shared_of(&shared.drawn, lane) : 0;
  const std::uint32_t all = __reduce_add_sync(~0u, of_rank);
  const std::uint32_t before = __reduce_add_sync(~0u, lane < cluster_rank() ? of_rank : 0);
  const int here = to_int(min(shared.drawn, static_cast<std::uint32_t>(kernel.room)));
  DrawnKey* const drawn = kernel.drawn + std::int64_t{list} * kernel.room;
  for (int i = static_cast<int>(threadIdx.x); i < here; i += kSelectThreads) {
    std::uint32_t place = before;
    for (int other = 0; other < here; ++other) place += shared.unsorted[other].key < shared.unsorted[i].key ? 1 : 0;
    if (place < static_cast<std::uint32_t>(kernel.room)) drawn[place] = shared.unsorted[i];
  }
  return all;
}

// Of a cluster: what list `list` leaves out, drawn and counted. `counts`: those of my_bins() of its row.
template <class Score>
__device__ void draw_rest(const RestArguments& kernel, const skt_select_keys_args& args, int list, const uint4& counts,
                          std::uint32_t lowest, DrawShared& shared) {
  const int length = scored_length(args.sequences, list / to_int(args.shape.heads));
  const std::uint32_t budget = budget_of(length, to_int(args.list.budget), to_int(args.list.sparsity));
  const RestRow<Score> row = {list,
                              static_cast<const Score*>(args.scores) + list * args.shape.capacity,
                              static_cast<unsigned>(list / kernel.lists_to_kv_head),
                              {length, to_int(args.list.sink), window_begin(length, to_int(args.list.window))}};
  if (threadIdx.x == 0) {
    shared.drawn = shared.found_words = 0;
    shared.block = {};
  }
  WarpChunks<Score> warp_chunks(kernel, row.scores, length, row.kv_row);  // asked for before it is known what for
  const int least = bin_of_least(counts, budget, shared.threshold);
  const RestScale scale = rest_scale(least, lowest, kernel.weight_scale, kernel.normalisers != nullptr);
  const RestCount of_row = count_rest(row, scale, warp_chunks, counts, least, lowest, shared.block);
  const float rate = rest_rate(scale, of_row.units, of_row.keys, to_int(kernel.rest.rest_samples));
  const std::uint32_t most = of_row.heavy != 0 ? kCertain : last_word(scale.weight(scale.edge), rate);
  draw_keys(kernel, row, scale, rate, most, shared);
  const std::uint32_t drawn = put_drawn(kernel, list, shared);
  if (cluster_rank() == 0 && threadIdx.x == 0) {
    const float norm = known(__half2float(__ushort_as_half(static_cast<unsigned short>(of_row.norm))));
    kernel.rows[list] = {drawn, of_row.keys, rate, scale.normaliser, norm, known(__uint_as_float(of_row.score))};
  }
  if (kernel.progress != nullptr) {
    block_barrier();
    if (threadIdx.x == 0) count_up(&kernel.progress[list], kWholeRow / cluster_size());
  }
  cluster_barrier();  // no block leaves while another reads its shared memory
}

}  // namespace skt::gpu
