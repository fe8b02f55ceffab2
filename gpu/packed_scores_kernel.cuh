// Scores all keys from packed codes and half-tables, at the speed of reading the codes.
//
// CPU twin: soft_scores in estimators/collision_scores.hpp; gpu/check/host_twin.hpp repeats this arithmetic
// bit for bit. Arithmetic: gpu/score_lanes.cuh; then times the fp16 norm; -infinity where not allowed. Error of
// a score of one head, relative, against exact products of the same half-tables: (tables + 1) * 2^-24
// (positive terms); of four heads at once: gpu/half_score.hpp. Floor: ceil(tables * planes / 32) * 4 bytes of
// codes and 2 of norm to a (key, kv head), 4 written to a score; and two shared-memory look-ups to a (key,
// table) of one head, or of two heads that share a kv head, free of bank conflicts while half a code has at
// most 5 bits. What bounds it: gpu/README.md. A block keeps half-tables in shared memory and walks a range of
// units of keys, the ranges of all blocks equally long; where its range passes from one row to the next it
// changes the tables. A thread owns 2 neighbouring keys and works in stages of 32 tables, whose codes fill P
// words exactly; the words of the next stage are loaded before this stage's tables are looked up.
#pragma once

#include <cuda_fp16.h>
#include <cuda_runtime.h>

#include <cstddef>

#include "gpu/decode_stages.hpp"
#include "gpu/launch.cuh"
#include "gpu/ordered_key.hpp"
#include "gpu/packed_codes.hpp"
#include "gpu/score_bins.hpp"
#include "gpu/score_lanes.cuh"

namespace skt::gpu {

constexpr int kScoreThreads = 256;
constexpr int kKeysPerThread = 2;
constexpr int kUnitKeys = kScoreThreads * kKeysPerThread;  // whole tiles
constexpr int kStageTables = 32;

constexpr int padded(int tables) {
  return (tables + kChainTables - 1) / kChainTables * kChainTables;
}

__host__ __device__ inline unsigned units_to_row(std::int64_t keys) {
  return static_cast<unsigned>((keys + kUnitKeys - 1) / kUnitKeys);
}

struct ScoreArguments {
  skt_score_packed_args args;
  RowBins bins;
  Codes codes;
  int passes;  // over a kv head's query heads
};

// The half-tables of the heads of one pass: [padded tables, words_per_entry, entries].
template <int planes, class Lanes>
__device__ void half_tables_to_shared(const skt_score_packed_args& args, int tables, std::int64_t row,
                                      int heads_left, float* shared) {
  constexpr int entries = half_table_entries(planes);
  const std::int64_t stride = static_cast<std::int64_t>(tables) * entries;
  const float* source = args.half_tables + row * stride;
  for (int i = threadIdx.x; i < padded(tables) * entries; i += kScoreThreads) {
    const int table = i / entries;
#pragma unroll
    for (int word = 0; word < Lanes::words_per_entry; ++word) {
      const int at = (table * Lanes::words_per_entry + word) * entries + i % entries;
      shared[at] = table < tables ? Lanes::stored(source + i, word, stride, heads_left) : 0;
    }
  }
}

// Adds `count` tables of a stage from its table `first` on; `words` [planes] hold the stage's codes of two
// keys. stage_begin is a shared-memory address and a multiple of a half-table's bytes: `or` adds it in the
// instruction that masks an offset out of its word, and what is known of a table's place is part of the load.
template <int planes, class Lanes, int first, int count>
__device__ void add_span(const uint2 (&words)[planes], std::uint32_t stage_begin,
                         Lanes (&keys)[kKeysPerThread]) {
  constexpr int low_bits = low_planes(planes);
  constexpr int high_bits = high_planes(planes);
  constexpr int pair_bytes = half_table_entries(planes) * 4;
  constexpr int table_bytes = pair_bytes * Lanes::words_per_entry;
  static_assert(kStageTables * table_bytes % (4 << high_bits) == 0 && first % kChainTables == 0);
  const auto first_key = [&](int i) { return words[i].x; };
  const auto second_key = [&](int i) { return words[i].y; };
#pragma unroll
  for (int table = first; table < first + count; ++table) {
    const int high = table * table_bytes;
    const int low = high + (4 << high_bits);
    const int low_bit = table * planes;
    const auto add = [&](const auto& word_of, Lanes& key) {
      const std::uint32_t high_at =
          stage_begin | packed_byte_offset(word_of, low_bit + low_bits, high_bits);
      const std::uint32_t low_at = stage_begin | packed_byte_offset(word_of, low_bit, low_bits);
      if (table % kChainTables == 0) {
        key.template add<true>(high_at, high, low_at, low, pair_bytes);
      } else {
        key.template add<false>(high_at, high, low_at, low, pair_bytes);
      }
      if (table % kChainTables == kChainTables - 1) key.end_chain();
    };
    add(first_key, keys[0]);
    add(second_key, keys[1]);
  }
}

// The first `tables` of the stage's tables from `first` on, by spans of 32, 16, 8 and 4 with as few branches
// as the number allows: a branch ends what the compiler can overlap.
template <int planes, class Lanes, int first = 0, int span = kStageTables>
__device__ void add_tables(const uint2 (&words)[planes], std::uint32_t stage_begin, int tables, Lanes (&keys)[kKeysPerThread]) {
  if (tables >= first + span) {
    add_span<planes, Lanes, first, span>(words, stage_begin, keys);
  } else if constexpr (span == kChainTables) {
    if (tables > first) add_span<planes, Lanes, first, span>(words, stage_begin, keys);
  } else {
    add_tables<planes, Lanes, first, span / 2>(words, stage_begin, tables, keys);
    if (tables <= first + span / 2) return;
    add_tables<planes, Lanes, first + span / 2, span / 2>(words, stage_begin, tables, keys);
  }
}

// Where a thread stands: its first key of a unit.
struct Position {
  std::int64_t kv_row;
  int key;

  __device__ bool holds_keys(const skt_score_packed_args& args) const { return key < args.keys; }
  __device__ Position next(const skt_score_packed_args& args) const {
    Position after = {kv_row, key + kUnitKeys};
    if (after.key - static_cast<int>(threadIdx.x) * kKeysPerThread >= args.keys) {
      after = {kv_row + 1, static_cast<int>(threadIdx.x) * kKeysPerThread};
    }
    return after;
  }
};

// Two words that are read once. Volatile, so that the load stays in front of the look-ups that hide its wait.
__device__ inline uint2 streamed(const std::uint32_t* at) {
  uint2 words;
  asm volatile("ld.global.cs.v2.u32 {%0, %1}, [%2];" : "=r"(words.x), "=r"(words.y) : "l"(at));
  return words;
}

// The words of a stage from `first_word` on, of two keys; what is not loaded belongs to no table. Threads behind
// the last key read its words: a branch would let the compiler move the loads behind the look-ups.
template <int planes>
__device__ void load_stage(uint2 (&stage)[planes], const skt_score_packed_args& args, const Position& at,
                           int first_word, int words) {
  const int key = min(at.key, static_cast<int>(args.keys - 1) & ~1);
  const std::uint32_t* key_words =
      args.packed + at.kv_row * args.capacity * words + packed_position(key, first_word, words);
#pragma unroll
  for (int i = 0; i < planes; ++i) {
    if (i < words - first_word) stage[i] = streamed(key_words + i * kTileKeys);
  }
}

// Brings the codes of a unit to L2, where the loads of its stages then find them: the registers of a thread hold
// too few loads in flight to wait for memory.
__device__ inline void prefetch_unit(const skt_score_packed_args& args, const Position& at, int words) {
#if __CUDA_ARCH__ >= 900
  if (threadIdx.x != 0) return;
  const std::int64_t keys = min(static_cast<std::int64_t>(kUnitKeys), args.capacity - at.key);  // whole tiles
  const std::uint32_t* first =
      args.packed + at.kv_row * args.capacity * words + packed_position(at.key, 0, words);
  asm volatile("cp.async.bulk.prefetch.L2.global [%0], %1;" ::"l"(first),
               "r"(static_cast<std::uint32_t>(keys * words * 4)));
#endif
}

// What a score needs beside the sum over tables, of two keys; loaded before the sum, which hides the wait.
template <class Lanes>
struct KeyPair {
  __half2 norms = {};
  uchar2 allowed[Lanes::heads];

  __device__ void load(const skt_score_packed_args& args, const Position& at, std::int64_t row, int heads_left) {
    if (at.holds_keys(args)) {
      norms = *reinterpret_cast<const __half2*>(static_cast<const __half*>(args.norms) +
                                                at.kv_row * args.capacity + at.key);
    }
#pragma unroll
    for (int head = 0; head < Lanes::heads; ++head) {
      allowed[head] = {1, 1};
      if (args.allowed == nullptr || !at.holds_keys(args) || head >= heads_left) continue;
      const std::int64_t mask_row = args.allowed_per_head ? row + head : row / args.heads;
      allowed[head] = *reinterpret_cast<const uchar2*>(args.allowed + mask_row * args.capacity + at.key);
    }
  }
};

__device__ inline void count_score(const RowBins& bins, std::int64_t keys, std::int64_t key, float score,
                                   std::uint32_t* counts) {
  const std::uint32_t ordered = ordered_key(score);
  if (ordered == kNeverSelected || key < bins.sink || key >= keys - bins.window) return;
  atomicAdd(&counts[score_bin(ordered)], 1u);
}

template <class Lanes>
__device__ void write_scores(const ScoreArguments& kernel, const Position& at, std::int64_t row, int heads_left,
                             const KeyPair<Lanes>& pair, const Lanes (&sums)[kKeysPerThread],
                             std::uint32_t* counts) {
  const skt_score_packed_args& args = kernel.args;
  if (!at.holds_keys(args)) return;
  const bool both = at.key + 1 < args.keys;
#pragma unroll
  for (int head = 0; head < Lanes::heads; ++head) {
    if (head >= heads_left) return;
    const float2 score = {
        pair.allowed[head].x ? sums[0].score(head, __low2float(pair.norms)) : -INFINITY,
        pair.allowed[head].y ? sums[1].score(head, __high2float(pair.norms)) : -INFINITY};
    float* out = args.scores + (row + head) * args.capacity + at.key;
    if (both) {
      *reinterpret_cast<float2*>(out) = score;
    } else {
      *out = score.x;
    }
    if (kernel.bins.counts == nullptr) continue;
    count_score(kernel.bins, args.keys, at.key, score.x, counts + head * kScoreBins);
    if (both) count_score(kernel.bins, args.keys, at.key + 1, score.y, counts + head * kScoreBins);
  }
}

__device__ inline void add_to_row(const RowBins& bins, std::int64_t row, int heads, const std::uint32_t* counts) {
  if (bins.counts == nullptr) return;
  for (int i = threadIdx.x; i < heads * kScoreBins; i += kScoreThreads) {
    if (counts[i] != 0) atomicAdd(&bins.counts[row * kScoreBins + i], counts[i]);
  }
}

// Grid: [passes * ranges]; the passes over a range are neighbours, so that the codes they share come from
// memory once. fixed_tables: the number of tables where the compiler knows it, else 0.
template <int planes, class Lanes, int fixed_tables>
__global__ void __launch_bounds__(kScoreThreads, Lanes::blocks) score_packed_kernel(ScoreArguments kernel) {
  launch_next_kernel();
  extern __shared__ __align__(1024) std::byte memory[];
  const skt_score_packed_args& args = kernel.args;
  const int tables = fixed_tables != 0 ? fixed_tables : static_cast<int>(args.tables);
  const int words = (tables * planes + 31) / 32;
  constexpr int entry_bytes = 4 * Lanes::words_per_entry;
  constexpr int stage_bytes = kStageTables * half_table_entries(planes) * entry_bytes;
  auto* half_tables = reinterpret_cast<float*>(memory);
  // Dynamic shared memory begins at a multiple of 1 KB, as no other is declared: so does `or` add.
  const auto tables_begin = static_cast<std::uint32_t>(__cvta_generic_to_shared(memory));
  auto* counts =
      reinterpret_cast<std::uint32_t*>(memory + padded(tables) * half_table_entries(planes) * entry_bytes);

  const int group = static_cast<int>(args.heads / args.kv_heads);
  const int pass = static_cast<int>(blockIdx.x) % kernel.passes;
  const int heads_left = group - pass * Lanes::heads;
  const unsigned units_per_row = units_to_row(args.keys);
  const unsigned ranges = gridDim.x / kernel.passes;
  const unsigned range = blockIdx.x / kernel.passes;
  const std::int64_t units = args.batch * args.kv_heads * units_per_row;
  const auto begin = static_cast<unsigned>(range * units / ranges);
  const auto end = static_cast<unsigned>((range + 1) * units / ranges);
  Position at = {begin / units_per_row, static_cast<int>(begin % units_per_row * kUnitKeys) +
                                            static_cast<int>(threadIdx.x) * kKeysPerThread};
  uint2 now[planes] = {};
  if (kernel.codes == Codes::settled) {
    load_stage<planes>(now, args, at, 0, words);
    wait_for_previous_kernel();
  } else {
    wait_for_previous_kernel();
    load_stage<planes>(now, args, at, 0, words);
  }
  std::int64_t row = -1;  // = batch * heads + head, the first of the pass
  for (unsigned unit = begin; unit < end; ++unit) {
    const std::int64_t row_here = at.kv_row * group + pass * Lanes::heads;
    if (row_here != row) {
      __syncthreads();
      if (row >= 0) add_to_row(kernel.bins, row, min(Lanes::heads, heads_left), counts);
      row = row_here;
      half_tables_to_shared<planes, Lanes>(args, tables, row, heads_left, half_tables);
      __syncthreads();
      if (kernel.bins.counts != nullptr) {
        for (int i = threadIdx.x; i < Lanes::heads * kScoreBins; i += kScoreThreads) counts[i] = 0;
      }
      __syncthreads();
    }
    const Position after = unit + 1 < end ? at.next(args) : at;
    if (unit + 1 < end) prefetch_unit(args, after, words);
    KeyPair<Lanes> pair;
    pair.load(args, at, row, heads_left);
    Lanes sums[kKeysPerThread];
    uint2 next[planes];  // what load_stage leaves unset belongs to no table
    if constexpr (fixed_tables > kStageTables) {  // two stages, and no words to move from one to the other
      static_assert(fixed_tables <= 2 * kStageTables);
      load_stage<planes>(next, args, at, planes, words);
      add_tables<planes, Lanes>(now, tables_begin, kStageTables, sums);
      load_stage<planes>(now, args, after, 0, words);
      add_tables<planes, Lanes>(next, tables_begin + stage_bytes, fixed_tables - kStageTables, sums);
    } else {
      std::uint32_t stage_begin = tables_begin;
      int first_word = 0;
      for (int left = tables; left > 0; left -= kStageTables, stage_begin += stage_bytes) {
        const bool last = left <= kStageTables;
        first_word = last ? 0 : first_word + planes;
        load_stage<planes>(next, args, last ? after : at, first_word, words);
        add_tables<planes, Lanes>(now, stage_begin, left, sums);
#pragma unroll
        for (int i = 0; i < planes; ++i) now[i] = next[i];
      }
    }
    write_scores(kernel, at, row, heads_left, pair, sums, counts);
    at = after;
  }
  if (row < 0) return;
  __syncthreads();
  add_to_row(kernel.bins, row, min(Lanes::heads, heads_left), counts);
}

// Shared memory of a block.
template <class Lanes>
std::size_t score_shared_bytes(const skt_score_packed_args& args, bool counted) {
  return static_cast<std::size_t>(4 * Lanes::words_per_entry) *
             static_cast<std::size_t>(padded(static_cast<int>(args.tables))) *
             static_cast<std::size_t>(half_table_entries(static_cast<int>(args.planes))) +
         (counted ? sizeof(std::uint32_t) * Lanes::heads * kScoreBins : 0);
}

template <int planes, class Lanes, int fixed_tables>
int launch_scores(ScoreArguments kernel, CUstream_st* stream, skt_error* error) {
  Device device;
  const cudaError_t status = query_device(device);
  if (status != cudaSuccess) return cuda_failure(status, error);
  const skt_score_packed_args& args = kernel.args;
  const std::int64_t group = args.heads / args.kv_heads;
  const std::int64_t units = args.batch * args.kv_heads * units_to_row(args.keys);
  kernel.passes = static_cast<int>((group + Lanes::heads - 1) / Lanes::heads);
  Launch shape;
  shape.threads = kScoreThreads;
  shape.shared_bytes = score_shared_bytes<Lanes>(args, kernel.bins.counts != nullptr);
  shape.carveout = cudaSharedmemCarveoutMaxShared;
  const auto bytes = static_cast<std::int64_t>(shape.shared_bytes);
  const std::int64_t fit = std::max<std::int64_t>(1, device.shared_bytes / std::max<std::int64_t>(1, bytes));
  const std::int64_t resident = device.multiprocessors * std::min<std::int64_t>(Lanes::blocks, fit);
  const std::int64_t ranges = std::min(units, std::max<std::int64_t>(1, resident / kernel.passes));
  shape.grid = dim3(static_cast<unsigned>(ranges * kernel.passes));
  return launch(score_packed_kernel<planes, Lanes, fixed_tables>, shape, stream, kernel, error);
}

// Calls the kernel of `planes`; the number of tables is known to it where it is the one most used.
template <class Lanes>
int launch_scores_of(const ScoreArguments& kernel, CUstream_st* stream, skt_error* error) {
  constexpr int usual_tables = 60;
  const bool usual = kernel.args.tables == usual_tables;
  switch (kernel.args.planes) {
    case 4: return launch_scores<4, Lanes, 0>(kernel, stream, error);
    case 5: return launch_scores<5, Lanes, 0>(kernel, stream, error);
    case 6: return launch_scores<6, Lanes, 0>(kernel, stream, error);
    case 7: return launch_scores<7, Lanes, 0>(kernel, stream, error);
    case 8: return launch_scores<8, Lanes, 0>(kernel, stream, error);
    case 9: return launch_scores<9, Lanes, 0>(kernel, stream, error);
    case 10:
      return usual ? launch_scores<10, Lanes, usual_tables>(kernel, stream, error)
                   : launch_scores<10, Lanes, 0>(kernel, stream, error);
    case 11: return launch_scores<11, Lanes, 0>(kernel, stream, error);
    case 12: return launch_scores<12, Lanes, 0>(kernel, stream, error);
    case 13: return launch_scores<13, Lanes, 0>(kernel, stream, error);
    case 14: return launch_scores<14, Lanes, 0>(kernel, stream, error);
    default: return launch_scores<15, Lanes, 0>(kernel, stream, error);
  }
}

int launch_one_head_scores(const ScoreArguments& kernel, CUstream_st* stream, skt_error* error);
int launch_four_head_scores(const ScoreArguments& kernel, CUstream_st* stream, skt_error* error);
int launch_signed_scores(const ScoreArguments& kernel, CUstream_st* stream, skt_error* error);

}  // namespace skt::gpu
