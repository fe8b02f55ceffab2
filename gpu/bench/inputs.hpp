// Inputs of gpu-bench: what a decode step reads, room for what each stage writes, and every stage's arguments.
//
// Gaussian keys, values and hyperplanes; Gaussian queries of deviation 3, so that logits have deviation 3 and attention
// goes to few keys. dim is 128 and the type bf16.
#pragma once

#include <cstddef>
#include <cstdint>

#include "gpu/bench/run_bench.hpp"
#include "gpu/check/device/call.hpp"
#include "gpu/check/device/device_array.hpp"
#include "gpu/functors/half_table.hpp"
#include "gpu/functors/packed_codes.hpp"
#include "gpu/functors/whole_numbers.hpp"

namespace skt::gpu {

inline constexpr std::int64_t kBenchDim = 128;
inline constexpr float kBenchScale = 1.0f / 64;  // of bytes: the largest is 7 deviations, and dividing by it is exact

struct Sizes {
  explicit Sizes(const BenchShape& s)
      : capacity(ceil_div(s.keys, kTileKeys) * kTileKeys),
        rows(s.batch * s.heads),
        kv_rows(s.batch * s.kv_heads),
        words(words_per_key(s.tables, s.planes)),
        entries(half_table_entries(to_int(s.planes))),
        budget(s.keys / s.sparsity),
        list(s.sink + budget + s.window),
        code_bytes(kv_rows * capacity * words * 4) {}

  std::int64_t capacity, rows, kv_rows, words, entries, budget, list, code_bytes;
};

// Everything one step reads, and room for what each stage writes.
struct InputSet {
  InputSet(const BenchShape& shape, const Sizes& sizes, const float* hyperplanes, std::uint64_t seed);

  DeviceArray<std::uint16_t> queries, keys, values;  // bf16 bits
  DeviceArray<std::int16_t> codes;
  DeviceArray<std::uint32_t> packed;
  DeviceArray<std::uint16_t> norms;
  DeviceArray<float> halves, probabilities, scores, replica_scores, output;
  DeviceArray<std::int32_t> selected, counts;
  DeviceArray<std::byte> workspace;

  skt_build_index_args index = {}, append = {};
  skt_soft_buckets_args buckets = {}, half_tables = {};
  skt_score_buckets_args score_buckets = {};
  skt_score_packed_args score_packed = {};
  skt_select_keys_args select = {};
  skt_sparse_attention_args attention = {};
  skt_decode_step_args step = {};
};

// The keys and values of a set once more in bytes, for the same index. `scales`, [kv_heads], hold kBenchScale.
struct CachedBytes {
  CachedBytes(const InputSet& set, const float* scales);

  DeviceArray<std::byte> keys, values;
  skt_sparse_attention_args attention;
  skt_decode_step_args step;
};

}  // namespace skt::gpu
