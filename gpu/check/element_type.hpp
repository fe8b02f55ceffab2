// The three element types on the host: rounding to them, and their bytes for the device.
#pragma once

#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include <cstdint>
#include <cstring>
#include <vector>

#include "gpu/socketlab_gpu.h"

namespace skt::gpu {

inline float round_to_half(float x) {
  return __half2float(__float2half_rn(x));
}

inline float half_from_bits(std::uint16_t bits) {
  __half_raw raw;
  raw.x = bits;
  return __half2float(__half(raw));
}

inline float round_to(std::int32_t type, float x) {
  if (type == SKT_F16) return round_to_half(x);
  if (type == SKT_BF16) return __bfloat162float(__float2bfloat16_rn(x));
  return x;
}

inline std::int64_t element_bytes(std::int32_t type) {
  return type == SKT_F32 ? 4 : 2;
}

// Numbers already rounded to `type`, as the device reads them.
inline std::vector<std::byte> to_bytes(std::int32_t type, const std::vector<float>& numbers) {
  std::vector<std::byte> bytes(numbers.size() * static_cast<std::size_t>(element_bytes(type)));
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    if (type == SKT_F32) {
      std::memcpy(bytes.data() + 4 * i, &numbers[i], 4);
    } else if (type == SKT_F16) {
      const __half x = __float2half_rn(numbers[i]);
      std::memcpy(bytes.data() + 2 * i, &x, 2);
    } else {
      const __nv_bfloat16 x = __float2bfloat16_rn(numbers[i]);
      std::memcpy(bytes.data() + 2 * i, &x, 2);
    }
  }
  return bytes;
}

}  // namespace skt::gpu
