// What does a query head add to a key's score where the heads of a kv head share one list?
//
// By the signed projection its weight 2^(x - c): x its estimated logit to base 2, c its normaliser, an estimate of the
// log-sum-exp of its row. So the sum over the heads estimates how much softmax mass they give to the key together, and
// the keys of the largest sums keep the most mass of all lists of that length (docs/rankings/kv_head_lists.md).
//
// Logits are counted in steps, 128 to an octave. A power of two is then a bf16 number whose bits are the steps themselves:
// its fraction stands for 2^fraction by a straight line, at most kPowerError too high, which is little beside what an
// estimate from a few hundred bits is off. A larger logit never has a smaller weight. Beyond kMostOctaves it stays where it
// is, so that neither a weight nor a sum of eight leaves the range.
//
// A normaliser is estimated from 16 of a row's tiles of 64 keys: the first, which has the sink, the last, and 14
// spread over those between, which stand for them all by the mean of the logarithms of their sums: one heavy key among them
// would else raise it by far. So no pass over the row is needed, and a list needs no state of the step before. Of rows of up to
// 16 tiles all are summed. The newest kMostAppended keys of a row are in no sum, as a step may not have their codes yet; a row of no
// other keys has the normaliser 0.
//
// Whole numbers and single roundings: device and host have the same bits. tests/gpu/functors/group_weights_test.cpp.
#pragma once

#include <cmath>
#include <cstdint>
#include <cstring>

#include "gpu/functors/host_device.hpp"
#include "gpu/functors/lengths.hpp"
#include "gpu/functors/packed_codes.hpp"
#include "gpu/socketlab_gpu.h"

namespace skt::gpu {

inline constexpr int kMostSharingHeads = 8;
inline constexpr float kOctaveSteps = 128;
inline constexpr float kMostOctaves = 120;
inline constexpr double kPowerError = 0.0615;

// 1.5 * 2^23: a number of steps added to it stands in its last bits.
inline constexpr float kStepsBase = 12582912;

// What the product of norm and sum over signs, in steps, is added to.
SKT_HD inline float weight_offset(float normaliser) {
  return std::rint(kStepsBase + 127 * kOctaveSteps - normaliser);
}

// A weight in the last 16 bits, as bf16; of NaN one that is NaN. `scaled` times `norm` is the logit in steps.
SKT_HD inline std::uint32_t weight_bits(float scaled, float norm, float offset) {
  constexpr float kLowest = kStepsBase + (127 - kMostOctaves) * kOctaveSteps;
  constexpr float kHighest = kStepsBase + (127 + kMostOctaves) * kOctaveSteps;
  float steps = std::fma(norm, scaled, offset);
  std::uint32_t bits = 0;
#ifdef __CUDA_ARCH__
  asm("max.NaN.f32 %0, %0, %1;" : "+f"(steps) : "f"(kLowest));
  asm("min.NaN.f32 %0, %0, %1;" : "+f"(steps) : "f"(kHighest));
#else
  if (steps != steps) return 0x7fffffffu;
  steps = steps < kLowest ? kLowest : steps > kHighest ? kHighest : steps;
#endif
  std::memcpy(&bits, &steps, sizeof bits);
  return bits;
}

// The number that a weight's bits stand for.
SKT_HD inline float weight_of_bits(std::uint32_t bits) {
  bits <<= 16;
  float weight = 0;
  std::memcpy(&weight, &bits, sizeof weight);
  return weight;
}

// 2^(steps / 128).
SKT_HD inline float weight_power(float steps) {
  return weight_of_bits(weight_bits(steps, 1, weight_offset(0)));
}

// The steps of a number above 0, by the same straight lines.
SKT_HD inline float steps_of(float number) {
  std::int32_t bits = 0;
  std::memcpy(&bits, &number, sizeof bits);
  return static_cast<float>(bits - 0x3f800000) * 0x1p-16f;
}

// 0 for a normaliser that is not finite: of a row without keys that may be selected, or with a logit that is infinite.
SKT_HD inline float finite_normaliser(float steps) {
  return steps > -INFINITY && steps < INFINITY ? steps : 0;
}
// Of a natural log-sum-exp.
SKT_HD inline float normaliser_of_log_sum(float log_sum) {
  return finite_normaliser(log_sum * (1.44269504f * kOctaveSteps));
}

// Bytes of skt_score_packed_args.work, by what its comment says.
SKT_HD constexpr std::int64_t score_work_bytes(const skt_shape& shape) {
  const std::int64_t group = shape.heads / shape.kv_heads;
  const std::int64_t of_eight = 1024 * ((words_per_key(shape.tables, shape.planes) + 3) / 4) + 128;
  return all_rows(shape) / group * ((group + 7) / 8 * of_eight + 64 * group);
}

// A key's logit in steps where its tile is sampled: from the sum over signs in fp32, and a unit that makes steps of it.
SKT_HD inline float sampled_logit(float sum, float unit, float norm) {
  return norm * (unit * sum);
}

inline constexpr unsigned kSampledTiles = 16;

SKT_HD constexpr unsigned sampled_tiles(unsigned tiles) {
  return tiles < kSampledTiles ? tiles : kSampledTiles;
}
// The i-th of them, of a row of `tiles` tiles: rising, the first and the last among them.
SKT_HD constexpr unsigned sampled_tile(unsigned i, unsigned tiles) {
  if (tiles <= kSampledTiles || i == 0) return i;
  if (i == kSampledTiles - 1) return tiles - 1;
  constexpr unsigned between = kSampledTiles - 2;
  const auto middle = static_cast<unsigned>((2 * (i - 1) + 1) * std::uint64_t{tiles - 2} / (2 * between));
  return 1 + middle;
}
SKT_HD constexpr bool stands_for_others(unsigned i, unsigned tiles) {
  return tiles > kSampledTiles && i > 0 && i < kSampledTiles - 1;
}

// A row's normaliser from the log-sums of its sampled tiles, in steps; -infinity of a tile without a key that may be
// selected, and behind the last. Of 16 numbers, one to each of as many lanes: mine(i) is lane i's, sum(f) and largest(f) add
// up and compare what f(i) is of each, in pairs of lanes 8, 4, 2 and 1 apart, and every lane is told.
template <class Lanes>
SKT_HD float normaliser_of_tiles(unsigned tiles, const Lanes& lanes) {
  const auto counts = [&](unsigned i) { return stands_for_others(i, tiles) && lanes.mine(i) > -INFINITY; };
  const float others = lanes.sum([&](unsigned i) { return counts(i) ? 1.0f : 0.0f; });
  const float octaves = lanes.sum([&](unsigned i) { return counts(i) ? lanes.mine(i) : 0.0f; });
  const float stood_for = others * (static_cast<float>(tiles - 2) / static_cast<float>(kSampledTiles - 2));
  // The second lane speaks for all tiles between.
  const float between = others > 0 ? octaves / others + steps_of(stood_for) : -INFINITY;
  const auto log_sum = [&](unsigned i) {
    return !stands_for_others(i, tiles) ? lanes.mine(i) : i == 1 ? between : -INFINITY;
  };
  const float largest = lanes.largest(log_sum);
  const float taken_out = finite_normaliser(largest);
  const float sum =
      lanes.sum([&](unsigned i) { return log_sum(i) > -INFINITY ? weight_power(log_sum(i) - taken_out) : 0.0f; });
  return finite_normaliser(largest + steps_of(sum));
}

// The lanes of normaliser_of_tiles() as an array.
struct TilesInArray {
  float log_sums[kSampledTiles];

  float mine(unsigned i) const { return log_sums[i]; }
  template <class F>
  float sum(const F& f) const {
    return reduced(f, [](float a, float b) { return a + b; });
  }
  template <class F>
  float largest(const F& f) const {
    return reduced(f, [](float a, float b) { return std::fmax(a, b); });
  }

 private:
  template <class F, class Join>
  static float reduced(const F& f, const Join& join) {
    float numbers[kSampledTiles];
    for (unsigned i = 0; i < kSampledTiles; ++i) numbers[i] = f(i);
    for (unsigned apart = kSampledTiles / 2; apart > 0; apart /= 2) {
      for (unsigned i = 0; i < apart; ++i) numbers[i] = join(numbers[i], numbers[i + apart]);
    }
    return numbers[0];
  }
};

}  // namespace skt::gpu
