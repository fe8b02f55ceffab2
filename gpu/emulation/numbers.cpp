// Single instructions whose result is a matter of bits, and those that only a store's or a cache line's address limits.
#include <cmath>
#include <cstring>

#include "gpu/emulation/device.hpp"
#include "gpu/emulation/memory.hpp"

namespace skt::emulation {
namespace {

double number_of(std::uint16_t bits) {
  _Float16 half;
  std::memcpy(&half, &bits, sizeof half);
  return static_cast<double>(half);
}
std::uint16_t half_of(double number) {
  const auto half = static_cast<_Float16>(number);
  std::uint16_t bits;
  std::memcpy(&bits, &half, sizeof bits);
  return bits;
}

std::uint16_t half_of_e4m3(unsigned byte) {
  constexpr unsigned kNan = 0x7f, kSmallestNormal = 8;
  const unsigned sign = (byte & 0x80) << 8, magnitude = byte & 0x7f;
  if (magnitude == kNan) return static_cast<std::uint16_t>(sign | 0x7fff);
  if (magnitude < kSmallestNormal)
    return static_cast<std::uint16_t>(sign | half_of(magnitude / 512.0));     // steps of 2^-9
  return static_cast<std::uint16_t>(sign | ((magnitude << 7) + (8u << 10)));  // the bias of exponents: 7, and 15
}

}  // namespace

std::uint32_t halves_of_e4m3(std::uint16_t bytes) {
  return half_of_e4m3(bytes & 0xff) | static_cast<std::uint32_t>(half_of_e4m3(bytes >> 8)) << 16;
}

// The product is exact in double. Its sum with c is rounded to odd, so that the rounding to fp16 is the only one.
std::uint16_t fused_halves(std::uint16_t a, std::uint16_t b, std::uint16_t c) {
  const double product = number_of(a) * number_of(b), addend = number_of(c);
  double sum = product + addend;
  if (std::isfinite(sum)) {
    const double added = sum - product;
    const double rest = (product - (sum - added)) + (addend - added);
    std::int64_t bits;
    std::memcpy(&bits, &sum, sizeof bits);
    if (rest != 0 && (bits & 1) == 0) {
      bits += (rest > 0) == (sum > 0) ? 1 : -1;
      std::memcpy(&sum, &bits, sizeof sum);
    }
  }
  return half_of(sum);
}

// ex2.approx.ftz without its error of 2 ulp: what is below 2^-126 is 0.
float exp2_approximately(float x) {
  constexpr float kSmallestNormal = 0x1p-126f;
  const float result = std::exp2(std::fabs(x) < kSmallestNormal ? 0.0f : x);
  return std::fabs(result) < kSmallestNormal ? 0.0f : result;
}

void store_two(float* at, float first, float second) {
  if (reinterpret_cast<std::uintptr_t>(at) % 8 != 0) {
    fail("a store of two numbers at %p: it is not aligned", static_cast<void*>(at));
  }
  at[0] = first;
  at[1] = second;
}

void require_loadable(const void* at, std::int64_t bytes) {
  if (reinterpret_cast<std::uintptr_t>(at) % bytes != 0) fail("a load of several words at %p: it is not aligned", at);
  require_allocated(at, bytes, "a load of several words");
}

void store_word(void* at, std::uint32_t word) {
  if (reinterpret_cast<std::uintptr_t>(at) % sizeof word != 0) fail("a store of a word at %p: it is not aligned", at);
  std::memcpy(at, &word, sizeof word);
}

// What the line held is lost. 8e37 as a score of either type: a key selected by it shows.
void discard_line(const void* at) {
  constexpr int kLineBytes = 128;
  if (reinterpret_cast<std::uintptr_t>(at) % kLineBytes != 0) fail("a discard at %p: it is not aligned", at);
  require_allocated(at, kLineBytes, "a discard");
  std::memset(const_cast<void*>(at), 0x7e, kLineBytes);
}

}  // namespace skt::emulation
