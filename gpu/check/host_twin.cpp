#include "gpu/check/host_twin.hpp"

#include <algorithm>
#include <cmath>

#include "gpu/check/element_type.hpp"

namespace skt::gpu {

std::int16_t twin_code(std::span<const float> key, std::span<const float> hyperplanes, std::int64_t planes) {
  int code = 0;
  for (std::int64_t plane = 0; plane < planes; ++plane) {
    float projection = 0;
    for (std::size_t d = 0; d < key.size(); ++d) {
      projection =
          std::fma(key[d], hyperplanes[static_cast<std::size_t>(plane) * key.size() + d], projection);
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

float twin_bucket_score(std::span<const float> probabilities, std::span<const std::int16_t> codes,
                        std::int64_t planes, float norm) {
  float sum = 0;
  for (std::size_t table = 0; table < codes.size(); ++table) {
    sum += probabilities[(table << planes) + static_cast<std::size_t>(codes[table])];
  }
  return norm * sum;
}

float twin_packed_score(std::span<const float> half_tables, std::span<const std::int16_t> codes,
                        std::int64_t planes, float norm) {
  const auto low_bits = static_cast<unsigned>(planes / 2);
  const std::size_t high_entries = std::size_t{1} << (static_cast<unsigned>(planes) - low_bits);
  const std::size_t entries = high_entries + (std::size_t{1} << low_bits);
  float sum = 0;
  for (std::size_t table = 0; table < codes.size(); ++table) {
    const auto code = static_cast<std::size_t>(codes[table]);
    const float* high = half_tables.data() + table * entries;
    const float* low = high + high_entries;
    sum = std::fma(high[code >> low_bits], low[code & ((std::size_t{1} << low_bits) - 1)], sum);
  }
  return norm * sum;
}

}  // namespace skt::gpu
