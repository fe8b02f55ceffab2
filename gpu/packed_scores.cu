// Scores all keys from packed codes and half-tables, at the speed of reading the codes.
//
// CPU twin: soft_scores in estimators/collision_scores.hpp; gpu/check/host_twin.hpp repeats this arithmetic
// bit for bit. Arithmetic: sum = fma(high, low, sum) in fp32 over tables in order, times the fp16 norm;
// -infinity where not allowed. Error of a score, relative, against exact products of the same half-tables:
// (tables + 1) * 2^-24 (positive terms). Floor: ceil(tables * planes / 32) * 4 bytes of codes and 2 of norm
// to a (key, kv head), 4 written to a score; and two shared-memory look-ups to a (key, table), free of bank
// conflicts while half a code has at most 5 bits. What bounds it: a (key, table) takes 2 shifts, 2 logical
// operations, 2 shared-memory reads and 1 fused multiply-add, so that the integer pipe, the shared-memory
// pipe and the issue slots are all about three quarters busy. A block keeps one head's half-tables in shared
// memory and strides over the keys. A thread owns 2 neighbouring keys and works in stages of 32 tables, whose
// codes fill P words exactly; the words of the next stage are loaded before this stage's tables are looked
// up.
#include <cuda_fp16.h>
#include <cuda_runtime.h>

#include "gpu/half_table.hpp"
#include "gpu/launch.cuh"
#include "gpu/packed_codes.hpp"

namespace skt::gpu {
namespace {

constexpr int kThreads = 256;
constexpr int kKeysPerThread = 2;
constexpr int kBlocksPerMultiprocessor = 3;  // leaves a thread 80 registers: two stages of words
constexpr int kStageTables = 32;
constexpr int kShortestSpan = 4;  // tables are padded with zeros to a multiple

constexpr int padded(int tables) {
  return (tables + kShortestSpan - 1) / kShortestSpan * kShortestSpan;
}

template <int planes>
__device__ void half_tables_to_shared(const skt_score_packed_args& args, std::int64_t row, float* shared) {
  static_assert(half_table_entries(planes) % 4 == 0);
  constexpr int chunks = half_table_entries(planes) / 4;
  const int used = static_cast<int>(args.tables) * chunks;
  const float4* source = reinterpret_cast<const float4*>(args.half_tables) + row * used;
  for (int i = threadIdx.x; i < padded(static_cast<int>(args.tables)) * chunks; i += kThreads) {
    reinterpret_cast<float4*>(shared)[i] = i < used ? source[i] : float4{0, 0, 0, 0};
  }
}

// Entry `byte_offset`/4 of the half-table `table_begin` bytes into the stage that begins at byte
// `stage_begin`, a multiple of a half-table's bytes: `or` then adds the first two, in the instruction that
// masks the offset out of its word, and table_begin is part of the load.
__device__ float look_up(const float* half_tables, std::uint32_t stage_begin, std::uint32_t byte_offset,
                         int table_begin) {
  const char* entry = reinterpret_cast<const char*>(half_tables) + (stage_begin | byte_offset);
  return *reinterpret_cast<const float*>(entry + table_begin);
}

// Adds `count` tables of a stage from its table `first` on; `words` [planes] hold the stage's codes of two
// keys.
template <int planes, int first, int count>
__device__ float2 add_span(const uint2 (&words)[planes], const float* half_tables, std::uint32_t stage_begin,
                           float2 sum) {
  constexpr int low_bits = low_planes(planes);
  constexpr int high_bits = high_planes(planes);
  constexpr int table_bytes = half_table_entries(planes) * static_cast<int>(sizeof(float));
  static_assert(kStageTables * table_bytes % (4 << high_bits) == 0);
  const auto first_key = [&](int i) { return words[i].x; };
  const auto second_key = [&](int i) { return words[i].y; };
#pragma unroll
  for (int table = first; table < first + count; ++table) {
    const int high = table * table_bytes;
    const int low = high + (static_cast<int>(sizeof(float)) << high_bits);
    const int low_bit = table * planes;
    const int high_bit = low_bit + low_bits;
    sum.x =
        fmaf(look_up(half_tables, stage_begin, packed_byte_offset(first_key, high_bit, high_bits), high),
             look_up(half_tables, stage_begin, packed_byte_offset(first_key, low_bit, low_bits), low), sum.x);
    sum.y = fmaf(look_up(half_tables, stage_begin, packed_byte_offset(second_key, high_bit, high_bits), high),
                 look_up(half_tables, stage_begin, packed_byte_offset(second_key, low_bit, low_bits), low),
                 sum.y);
  }
  return sum;
}

// The first `tables` of the stage's tables from `first` on, by spans of 32, 16, 8 and 4 with as few branches
// as the number allows: a branch ends what the compiler can overlap.
template <int planes, int first = 0, int span = kStageTables>
__device__ float2 add_tables(const uint2 (&words)[planes], const float* half_tables,
                             std::uint32_t stage_begin, int tables, float2 sum) {
  if (tables >= first + span) return add_span<planes, first, span>(words, half_tables, stage_begin, sum);
  if constexpr (span == kShortestSpan) {
    return tables > first ? add_span<planes, first, span>(words, half_tables, stage_begin, sum) : sum;
  } else {
    sum = add_tables<planes, first, span / 2>(words, half_tables, stage_begin, tables, sum);
    if (tables <= first + span / 2) return sum;
    return add_tables<planes, first + span / 2, span / 2>(words, half_tables, stage_begin, tables, sum);
  }
}

// The `left` first words of a stage, of two keys.
template <int planes>
__device__ void load_stage(uint2 (&words)[planes], const std::uint32_t* key_words, int left) {
#pragma unroll
  for (int i = 0; i < planes; ++i) {
    if (i < left) words[i] = __ldcs(reinterpret_cast<const uint2*>(key_words + i * kTileKeys));
  }
}

// What a score needs beside the sum over tables, of two keys; loaded before the sum, which hides the wait.
struct KeyPair {
  __half2 norms;
  uchar2 allowed;
};

__device__ KeyPair load_pair(const skt_score_packed_args& args, std::int64_t row, std::int64_t kv_row,
                             std::int64_t key) {
  KeyPair pair = {{}, {1, 1}};
  pair.norms = *reinterpret_cast<const __half2*>(static_cast<const __half*>(args.norms) +
                                                 kv_row * args.capacity + key);
  if (args.allowed != nullptr) {
    const std::int64_t mask_row = args.allowed_per_head ? row : row / args.heads;
    pair.allowed = *reinterpret_cast<const uchar2*>(args.allowed + mask_row * args.capacity + key);
  }
  return pair;
}

__device__ void write_scores(const skt_score_packed_args& args, std::int64_t row, std::int64_t key,
                             const KeyPair& pair, float2 sum) {
  const float2 score = {pair.allowed.x ? __low2float(pair.norms) * sum.x : -INFINITY,
                        pair.allowed.y ? __high2float(pair.norms) * sum.y : -INFINITY};
  float* out = args.scores + row * args.capacity + key;
  if (key + 1 < args.keys) {
    *reinterpret_cast<float2*>(out) = score;
  } else {
    *out = score.x;
  }
}

// Grid: [blocks to a head * heads to a kv head, batch * kv_heads]; the query heads of a kv head are
// neighbours, so that the codes they share come from memory once.
template <int planes>
__global__ void __launch_bounds__(kThreads, kBlocksPerMultiprocessor)
    score_packed_kernel(skt_score_packed_args args) {
  launch_next_kernel();
  wait_for_previous_kernel();
  constexpr int stage_bytes = kStageTables * half_table_entries(planes) * static_cast<int>(sizeof(float));
  extern __shared__ __align__(16) float half_tables[];
  const std::int64_t kv_row = blockIdx.y;
  const int group = static_cast<int>(args.heads / args.kv_heads);
  const std::int64_t row = kv_row * group + blockIdx.x % group;  // = batch * heads + head
  const int words = static_cast<int>(words_per_key(args.tables, planes));
  const std::int64_t step =
      static_cast<std::int64_t>(gridDim.x / group) * kThreads * kKeysPerThread;  // whole tiles
  std::int64_t key =
      (static_cast<std::int64_t>(blockIdx.x / group) * kThreads + threadIdx.x) * kKeysPerThread;
  const std::uint32_t* key_words =
      args.packed + kv_row * args.capacity * words + packed_position(key, 0, words);
  uint2 now[planes] = {};
  if (key < args.keys) load_stage<planes>(now, key_words, words);
  half_tables_to_shared<planes>(args, row, half_tables);
  __syncthreads();
  for (; key < args.keys; key += step) {
    const std::uint32_t* next_key_words = key + step < args.keys ? key_words + step * words : key_words;
    const KeyPair pair = load_pair(args, row, kv_row, key);
    float2 sum = {0, 0};
    int first_word = 0;
    std::uint32_t stage_begin = 0;
    for (int left = static_cast<int>(args.tables); left > 0;
         left -= kStageTables, stage_begin += stage_bytes) {
      const bool last_stage = left <= kStageTables;
      first_word = last_stage ? 0 : first_word + planes;
      uint2 next[planes];  // what load_stage leaves unset belongs to no table
      load_stage<planes>(next, (last_stage ? next_key_words : key_words) + first_word * kTileKeys,
                         words - first_word);
      sum = add_tables<planes>(now, half_tables, stage_begin, left, sum);
#pragma unroll
      for (int i = 0; i < planes; ++i) now[i] = next[i];
    }
    write_scores(args, row, key, pair, sum);
    key_words = next_key_words;
  }
}

Validation validate(const skt_score_packed_args& args, skt_error* error) {
  Validation check(error);
  check.heads(args.batch, args.heads, args.kv_heads);
  check.cache(args.capacity);
  check.multiple_of("capacity", args.capacity, kTileKeys);
  check.in_range("keys", args.keys, 0, args.capacity);
  check.hash(args.tables, args.planes, 4);
  check.in_range("allowed_per_head", args.allowed_per_head, 0, 1);
  check.pointer("half_tables", args.half_tables);
  check.pointer("packed", args.packed);
  check.pointer("norms", args.norms);
  check.optional_pointer("allowed", args.allowed);
  check.pointer("scores", args.scores);
  return check;
}

// As many blocks to a head as the device holds at once, but none without keys.
unsigned blocks_per_head(const skt_score_packed_args& args, int multiprocessors) {
  const std::int64_t resident = static_cast<std::int64_t>(multiprocessors) * kBlocksPerMultiprocessor;
  const std::int64_t useful = (args.keys + kThreads * kKeysPerThread - 1) / (kThreads * kKeysPerThread);
  const std::int64_t share = resident / (args.batch * args.heads);
  return static_cast<unsigned>(share < 1 ? 1 : share < useful ? share : useful);
}

template <int planes>
int launch_for(const skt_score_packed_args& args, CUstream_st* stream, skt_error* error) {
  Device device;
  if (const cudaError_t status = query_device(device); status != cudaSuccess)
    return cuda_failure(status, error);
  Launch shape;
  shape.grid =
      dim3(blocks_per_head(args, device.multiprocessors) * static_cast<unsigned>(args.heads / args.kv_heads),
           static_cast<unsigned>(args.batch * args.kv_heads));
  shape.threads = kThreads;
  shape.shared_bytes = sizeof(float) * static_cast<std::size_t>(padded(static_cast<int>(args.tables))) *
                       half_table_entries(planes);
  return launch(score_packed_kernel<planes>, shape, stream, args, error);
}

}  // namespace
}  // namespace skt::gpu

using namespace skt::gpu;

int skt_score_packed(const skt_score_packed_args* args, CUstream_st* stream, skt_error* error) {
  const Validation check = validate(*args, error);
  if (check.failed() || args->keys == 0) return check.code();
  switch (args->planes) {
    case 4:
      return launch_for<4>(*args, stream, error);
    case 5:
      return launch_for<5>(*args, stream, error);
    case 6:
      return launch_for<6>(*args, stream, error);
    case 7:
      return launch_for<7>(*args, stream, error);
    case 8:
      return launch_for<8>(*args, stream, error);
    case 9:
      return launch_for<9>(*args, stream, error);
    case 10:
      return launch_for<10>(*args, stream, error);
    case 11:
      return launch_for<11>(*args, stream, error);
    case 12:
      return launch_for<12>(*args, stream, error);
    case 13:
      return launch_for<13>(*args, stream, error);
    case 14:
      return launch_for<14>(*args, stream, error);
    default:
      return launch_for<15>(*args, stream, error);
  }
}
