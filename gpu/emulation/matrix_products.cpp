// The matrix products of a warp, by which lane holds which element: PTX ISA, "Warp-level matrix instructions".
//
// Lane 4 g + t holds of c and d rows g and g + 8 (numbers 0, 1 and 2, 3), columns 2 t and 2 t + 1. Products of halves
// are added in double and rounded once: a GPU rounds otherwise, and the checks' bounds allow for both. Products of bits
// are exact.
#include <cstring>

#include "gpu/emulation/threads.hpp"

namespace skt::emulation {
namespace {

struct HalvesOfLane {
  Half type;
  float* sum;
  const std::uint32_t *a, *b;
};

float number_of(Half type, std::uint32_t word, int which) {
  const std::uint32_t bits = word >> 16 * which & 0xffff;
  if (type == Half::bf16) return from_word<float>(bits << 16);
  const auto low = static_cast<std::uint16_t>(bits);
  _Float16 half;
  std::memcpy(&half, &low, sizeof half);
  return static_cast<float>(half);
}

// m16n8k16: of a registers 0, 2 are row g and 1, 3 row g + 8; 0, 1 columns 2 t, 2 t + 1 and 2, 3 those + 8. Of b
// register 0 is column g, rows 2 t, 2 t + 1, and 1 those + 8.
void multiply_lanes_halves(Warp& warp) {
  float a[16][16], b[16][8];
  for (int lane = 0; lane < 32; ++lane) {
    const auto& of = *static_cast<HalvesOfLane*>(warp.given[lane]);
    const int g = lane / 4, t = lane % 4;
    for (int half = 0; half < 2; ++half) {
      for (int r = 0; r < 4; ++r) a[g + 8 * (r % 2)][2 * t + half + 8 * (r / 2)] = number_of(of.type, of.a[r], half);
      for (int r = 0; r < 2; ++r) b[2 * t + half + 8 * r][g] = number_of(of.type, of.b[r], half);
    }
  }
  for (int lane = 0; lane < 32; ++lane) {
    const auto& of = *static_cast<HalvesOfLane*>(warp.given[lane]);
    for (int i = 0; i < 4; ++i) {
      const int row = lane / 4 + 8 * (i / 2), column = 2 * (lane % 4) + i % 2;
      double sum = static_cast<double>(of.sum[i]);
      for (int k = 0; k < 16; ++k) sum += static_cast<double>(a[row][k]) * static_cast<double>(b[k][column]);
      of.sum[i] = static_cast<float>(sum);
    }
  }
}

struct BitsOfLane {
  int* sum;
  const std::uint32_t *a, *b;
  const int* before;
};

// m16n8k256: of a registers 0, 2 are row g and 1, 3 row g + 8; 0, 1 bits from 32 t on and 2, 3 those from 128 + 32 t on.
// Of b register 0 is column g, bits from 32 t on, and 1 those from 128 + 32 t on. m16n8k128: the first half of each.
template <int words>
void multiply_lanes_bits(Warp& warp) {
  std::uint32_t a[16][4 * words], b[8][4 * words];
  for (int lane = 0; lane < 32; ++lane) {
    const auto& of = *static_cast<BitsOfLane*>(warp.given[lane]);
    const int g = lane / 4, t = lane % 4;
    for (int w = 0; w < words; ++w) {
      a[g][4 * w + t] = of.a[2 * w];
      a[g + 8][4 * w + t] = of.a[2 * w + 1];
      b[g][4 * w + t] = of.b[w];
    }
  }
  for (int lane = 0; lane < 32; ++lane) {
    const auto& of = *static_cast<BitsOfLane*>(warp.given[lane]);
    for (int i = 0; i < 4; ++i) {
      const int row = lane / 4 + 8 * (i / 2), column = 2 * (lane % 4) + i % 2;
      int sum = of.before[i];
      for (int k = 0; k < 4 * words; ++k) sum += __builtin_popcount(a[row][k] & b[column][k]);
      of.sum[i] = sum;
    }
  }
}

}  // namespace

void multiply_halves(Half type, float* sum, const std::uint32_t* a, const std::uint32_t* b) {
  HalvesOfLane mine = {type, sum, a, b};
  meet(multiply_lanes_halves, &mine, ~0u);
}

void multiply_bits(int words, int* sum, const std::uint32_t* a, const std::uint32_t* b, const int* before) {
  BitsOfLane mine = {sum, a, b, before};
  meet(words == 2 ? multiply_lanes_bits<2> : multiply_lanes_bits<1>, &mine, ~0u);
}

}  // namespace skt::emulation
