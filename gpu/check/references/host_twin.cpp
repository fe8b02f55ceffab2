#include "gpu/check/references/host_twin.hpp"

#include <algorithm>
#include <cmath>

#include "gpu/check/cases/element_type.hpp"
#include "gpu/functors/fixed_weights.hpp"
#include "gpu/functors/half_score.hpp"

namespace skt::gpu {

std::int16_t twin_code(std::span<const float> key, std::span<const float> hyperplanes, std::int64_t planes) {
  int code = 0;
  for (std::int64_t plane = 0; plane < planes; ++plane) {
    float projection = 0;
    for (std::size_t d = 0; d < key.size(); ++d) {
      projection = std::fma(key[d], hyperplanes[plane * key.size() + d], projection);
    }
    code = 2 * code + (projection >= 0 ? 1 : 0);
  }
  return static_cast<std::int16_t>(code);
}

float twin_norm(std::span<const float> value, std::int32_t form) {
  float sum = 0;
  for (const float x : value) sum = std::fma(x, x, sum);
  const float norm = std::sqrt(sum);
  if (form == SKT_NORM_BF16) return round_to(SKT_BF16, norm);
  return round_to_half(form == SKT_NORM_F16 && norm > 65504.0f ? 65504.0f : norm);
}

float twin_bucket_score(std::span<const float> probabilities, std::span<const std::int16_t> codes, std::int64_t planes,
                        float norm) {
  float sum = 0;
  for (std::size_t table = 0; table < codes.size(); ++table) {
    sum += probabilities[(table << planes) + codes[table]];
  }
  return norm * sum;
}

namespace {

// To the nearest fp16, ties to even; |x| below 65504. Its spacing is 2^-10 of the octave, 2^-24 at least.
double double_to_half(double x) {
  int exponent = 0;
  std::frexp(x, &exponent);  // |x| < 2^exponent
  const int spacing = std::max(exponent - 11, -24);
  return std::ldexp(std::nearbyint(std::ldexp(x, -spacing)), spacing);
}

struct Halves {
  float high, low;
};

Halves entries_of(std::span<const float> half_tables, std::size_t table, std::int16_t code, std::int64_t planes) {
  const std::int64_t low_bits = planes / 2;
  const std::size_t high_entries = std::size_t{1} << (planes - low_bits);
  const float* high = half_tables.data() + table * (high_entries + (std::size_t{1} << low_bits));
  const std::size_t bits = unsigned_code(code);
  return {high[bits >> low_bits], high[high_entries + (bits & ((std::size_t{1} << low_bits) - 1))]};
}

}  // namespace

float twin_packed_score(std::span<const float> half_tables, std::span<const std::int16_t> codes, std::int64_t planes,
                        float norm) {
  float sum = 0;
  for (std::size_t table = 0; table < codes.size(); ++table) {
    const Halves entry = entries_of(half_tables, table, codes[table], planes);
    sum = std::fma(entry.high, entry.low, sum);
  }
  return norm * sum;
}

float twin_half_score(std::span<const float> half_tables, std::span<const std::int16_t> codes, std::int64_t planes,
                      float norm) {
  float sum = 0;
  double chain = 0;  // fp16; the exact sum of it and a product of two fp16 numbers fits a double
  for (std::size_t table = 0; table < codes.size(); ++table) {
    const Halves entry = entries_of(half_tables, table, codes[table], planes);
    const double high = round_to_half(entry.high * kHalfEntryScale);
    const double low = round_to_half(entry.low * kHalfEntryScale);
    chain = double_to_half(table % kChainTables == 0 ? high * low : high * low + chain);
    if (table % kChainTables == kChainTables - 1 || table + 1 == codes.size()) sum += to_single(chain);
  }
  return norm * (sum * kHalfSumScale);
}

float twin_signed_score(std::span<const float> half_sums, std::span<const std::int16_t> codes, std::int64_t planes,
                        float norm) {
  float sum = 0;
  for (std::size_t table = 0; table < codes.size(); ++table) {
    const Halves entry = entries_of(half_sums, table, codes[table], planes);
    sum += entry.high + entry.low;
  }
  return norm * sum;
}

FixedWeights twin_fixed_weights(std::span<const float> half_sums, std::int64_t tables, std::int64_t planes) {
  const auto bits = static_cast<int>(planes);
  std::vector<float> projections;
  float largest = 0;
  for (std::int64_t table = 0; table < tables; ++table) {
    for (int bit = 0; bit < bits; ++bit) {
      projections.push_back(projection_of(half_sums.data() + table * half_table_entries(bits), bit, bits));
      const float size = std::abs(projections.back());
      if (std::isnan(size) || size > largest) largest = size;  // NaN stays
    }
  }
  FixedWeights weights;
  weights.unit = weight_unit(largest);
  for (std::int64_t i = 0; i < std::ssize(projections); ++i) {
    weights.of_bit.push_back(fixed_weight(projections[i], inverse_weight_unit(largest)));
    weights.all += weights.of_bit.back();
  }
  return weights;
}

float twin_signed_sum(const FixedWeights& weights, std::span<const std::int16_t> codes, std::int64_t planes,
                      float norm) {
  int set = 0;
  for (std::int64_t i = 0; i < std::ssize(weights.of_bit); ++i) {
    if ((unsigned_code(codes[i / planes]) >> (i % planes) & 1) != 0) set += weights.of_bit[i];
  }
  return signed_score(set, weights.all, weights.unit, norm);
}

float twin_grouped_score(const FixedWeights& weights, std::span<const std::int16_t> codes, std::int64_t planes,
                         float norm) {
  return round_to(SKT_BF16, twin_signed_sum(weights, codes, planes, norm));
}

}  // namespace skt::gpu
