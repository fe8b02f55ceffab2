// Inputs of gpu-bench: what a decode step reads, room for what each stage writes, and every stage's arguments.
//
// Gaussian keys, values and hyperplanes; Gaussian queries of deviation 3, so that logits have deviation 3 and attention
// goes to few keys. dim is 128 and the type bf16.
#pragma once

#include <cstdint>

#include "gpu/bench/run_bench.hpp"
#include "gpu/check/device/operations.hpp"

namespace skt::gpu {

inline constexpr float kBenchScale = 1.0f / 64;  // of bytes: the largest is 7 deviations, and dividing by it is exact

// The step of this shape as gpu-check has it, whose calls are timed.
CheckCase case_of(const BenchShape& shape);

// Everything one step reads, and room for what each stage writes.
struct InputSet {
  // By these hyperplanes, which all sets share.
  InputSet(const CheckCase& of, const float* hyperplanes, std::uint64_t seed);
  void build_index(const skt_written& asked, cudaStream_t stream);

  const CheckCase& c;
  DeviceProblem problem;
  DeviceIndex index;
  Stages stages;
  Bytes probabilities;
  DeviceArray<float> replica_scores;
  Bytes workspace;

  IndexPlaces places;
  skt_soft_buckets_args half_tables, buckets;
  skt_score_buckets_args score_buckets;
  skt_score_packed_args score_packed;
  skt_select_keys_args select;
  skt_sparse_attention_args attention;
  skt_decode_step_args step;
};

// The keys and values of a set once more in bytes, for the same index. `scales`, [kv_heads], hold kBenchScale.
struct CachedBytes {
  CachedBytes(const InputSet& set, const float* scales);

  Bytes keys, values;
  skt_sparse_attention_args attention;
  skt_decode_step_args step;
};

}  // namespace skt::gpu
