// The kernels' fp32 arithmetic once more, in plain loops on the host: what must agree bit for bit. One key or one row
// at a time; the file would be wrong if it shared more with the kernels than gpu/functors/half_score.hpp and
// gpu/functors/fixed_weights.hpp.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace skt::gpu {

// A code of 16 planes fills the sign too.
inline std::uint32_t unsigned_code(std::int16_t code) {
  return static_cast<std::uint16_t>(code);
}

// Code of one key [dim] in one table of hyperplanes [planes, dim]: fused multiply-adds in order of the coordinate.
std::int16_t twin_code(std::span<const float> key, std::span<const float> hyperplanes, std::int64_t planes);

// Norm of a value row, rounded by enum skt_norm_form, as a float.
float twin_norm(std::span<const float> value, std::int32_t form);

// norm * sum over tables in order of p[table][code]; codes [tables].
float twin_bucket_score(std::span<const float> probabilities, std::span<const std::int16_t> codes, std::int64_t planes,
                        float norm);

// norm * the running fma(high, low, sum) over tables in order; half_tables [tables, entries].
float twin_packed_score(std::span<const float> half_tables, std::span<const std::int16_t> codes, std::int64_t planes,
                        float norm);

// The same with fp16 entries and chains of terms, as where query heads share a kv head (gpu/functors/half_score.hpp).
float twin_half_score(std::span<const float> half_tables, std::span<const std::int16_t> codes, std::int64_t planes,
                      float norm);

// norm * the running sum over tables in order of (high + low).
float twin_signed_score(std::span<const float> half_sums, std::span<const std::int16_t> codes, std::int64_t planes,
                        float norm);

// What the signed rule makes of one head's half sums where query heads share a kv head
// (gpu/functors/fixed_weights.hpp).
struct FixedWeights {
  std::vector<int> of_bit;  // [tables, planes], the least significant bit first
  int all = 0;              // their sum
  float unit = 0;
};
FixedWeights twin_fixed_weights(std::span<const float> half_sums, std::int64_t tables, std::int64_t planes);

// Of a key with these codes [tables], in fp32; and as a score, a number of bf16.
float twin_signed_sum(const FixedWeights& weights, std::span<const std::int16_t> codes, std::int64_t planes,
                      float norm);
float twin_grouped_score(const FixedWeights& weights, std::span<const std::int16_t> codes, std::int64_t planes,
                         float norm);

}  // namespace skt::gpu
