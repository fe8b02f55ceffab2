// The element types on the host: rounding to them, and their bytes for the device.
#pragma once

#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

#include "gpu/socketlab_gpu.h"

namespace skt::gpu {

inline float to_single(double x) {
  return static_cast<float>(x);
}

inline float round_to_half(float x) {
  return Eigen::half(x);
}

inline float half_from_bits(std::uint16_t bits) {
  return Eigen::numext::bit_cast<Eigen::half>(bits);
}

inline float bfloat_from_bits(std::uint16_t bits) {
  return Eigen::numext::bit_cast<Eigen::bfloat16>(bits);
}

// By way of fp32.
inline float round_to(std::int32_t type, double x) {
  const float single = to_single(x);
  if (type == SKT_F16) return round_to_half(single);
  if (type == SKT_BF16) return Eigen::bfloat16(single);
  return single;
}

// To the nearest number of e4m3, ties to the even one; 448 and above is 448. Fits fp32, fp16 and bf16.
inline float round_to_e4m3(double x) {
  constexpr double kLargest = 448;
  if (std::isnan(x)) return to_single(x);
  const double magnitude = std::min(std::abs(x), kLargest);
  const int exponent = magnitude < 0x1p-6 ? -6 : std::ilogb(magnitude);
  const double step = std::ldexp(1.0, exponent - 3);
  return to_single(std::copysign(std::min(std::nearbyint(magnitude / step) * step, kLargest), x));
}

// The byte of a number of e4m3; the first of the two NaNs where the number is none.
inline std::uint8_t e4m3_byte(float number) {
  const int sign = std::signbit(number) ? 0x80 : 0;
  const float magnitude = std::abs(number);
  if (std::isnan(number)) return static_cast<std::uint8_t>(sign | 0x7f);
  if (magnitude < 0x1p-6f) return static_cast<std::uint8_t>(sign | static_cast<int>(magnitude * 512));
  const int exponent = std::ilogb(magnitude);
  const int mantissa = static_cast<int>(std::ldexp(magnitude, 3 - exponent)) - 8;
  return static_cast<std::uint8_t>(sign | (exponent + 7) << 3 | mantissa);
}

// Largest relative error of rounding a normal number to `type`; 0 for fp32, in which all numbers are given.
inline double rounding_unit(std::int32_t type) {
  return type == SKT_F16 ? 0x1p-11 : type == SKT_BF16 ? 0x1p-8 : 0;
}

inline std::size_t element_bytes(std::int32_t type) {
  return type == SKT_F32 ? 4 : 2;
}

// Numbers already rounded to `type`, as the device reads them.
inline std::vector<std::byte> to_bytes(std::int32_t type, const std::vector<float>& numbers) {
  std::vector<std::byte> bytes(numbers.size() * element_bytes(type));
#pragma omp parallel for schedule(static)
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    if (type == SKT_F32) {
      std::memcpy(bytes.data() + 4 * i, &numbers[i], 4);
    } else if (type == SKT_F16) {
      const Eigen::half x(numbers[i]);
      std::memcpy(bytes.data() + 2 * i, &x, 2);
    } else {
      const Eigen::bfloat16 x(numbers[i]);
      std::memcpy(bytes.data() + 2 * i, &x, 2);
    }
  }
  return bytes;
}

// Numbers of `type` from the bytes of the device.
inline std::vector<float> from_bytes(std::int32_t type, const std::vector<std::byte>& bytes) {
  std::vector<float> numbers(bytes.size() / element_bytes(type));
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    std::uint16_t bits = 0;
    if (type == SKT_F32) {
      std::memcpy(&numbers[i], bytes.data() + 4 * i, 4);
    } else {
      std::memcpy(&bits, bytes.data() + 2 * i, 2);
      numbers[i] = type == SKT_F16 ? half_from_bits(bits) : bfloat_from_bits(bits);
    }
  }
  return numbers;
}

}  // namespace skt::gpu
