// Which number does a byte of OCP's E4M3 hold? Sign, 4 bits of exponent with bias 7, 3 bits of mantissa.
//
// Source: OCP 8-bit Floating Point Specification (OFP8), E4M3; "e4m3fn" elsewhere: no infinity, NaN at 0x7f and 0xff,
// largest number 448, subnormals in steps of 2^-9. Every number is exact in fp16, bf16 and fp32: 4 significant bits and
// exponents -9 to 8. gpu/device/element.cuh has the instruction of sm_89; below that the kernels take this function.
#pragma once

#include <cstdint>
#include <cstring>

#include "gpu/functors/host_device.hpp"

namespace skt::gpu {

struct E4m3 {
  std::uint8_t bits;
};

// Exponent and mantissa become those of a float 2^120 times too small; of bytes below 8 that is a subnormal, of which the
// product is exact as well. It would be wrong where fp32 subnormals are flushed.
SKT_HD inline float e4m3_number(E4m3 x) {
  const std::uint32_t magnitude = x.bits & 0x7fu;
  const std::uint32_t sign = (x.bits & 0x80u) << 24;
  const std::uint32_t word = magnitude == 0x7fu ? 0x7fc00000u : magnitude << 20;
  const std::uint32_t signed_word = word | sign;
  float number;
  std::memcpy(&number, &signed_word, sizeof number);
  return number * 0x1p120f;
}

}  // namespace skt::gpu
