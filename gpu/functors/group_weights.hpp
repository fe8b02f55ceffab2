// What does a query head add to a key's score where the heads of a kv head share one list?
//
// By the signed projection its weight 2^(x - c): x its estimated logit to base 2, c its normaliser, an estimate of the
// log-sum-exp of its row. So the sum over the heads estimates how much softmax mass they give to the key together, and
// the keys of the largest sums keep the most mass of all lists of that length (docs/group_lists.md).
//
// A normaliser is estimated from 16 of a row's tiles of 64 keys: the first, which has the sink, the last, which has the
// newest keys, and 14 spread over those between, which stand for them all by the mean of the logarithms of their sums: one
// heavy key among them would else raise it by far. So every block finds the same one without a pass over the row, and a
// list needs no state of the step before. Of rows of up to 16 tiles all are summed.
//
// Arithmetic of fp32 without a library's exp: device and host have the same bits. A power is a polynomial of degree 4 in
// the fraction, off by at most kPowerError relatively, times a power of two; beyond kMostPower octaves it stays there,
// which no bf16 score of a usual row reaches. It would be wrong if a larger logit had a smaller weight:
// tests/gpu/functors/group_weights_test.cpp.
#pragma once

#include <cmath>
#include <cstdint>
#include <cstring>

#include "gpu/functors/host_device.hpp"
#include "gpu/functors/softmax_merge.hpp"

namespace skt::gpu {

inline constexpr int kMostSharingHeads = 8;
inline constexpr float kMostPower = 120;
inline constexpr double kPowerError = 3e-6;

// 2^x, of an x beyond kMostPower that of kMostPower; NaN of NaN.
SKT_HD inline float weight_power(float x) {
  x = x < -kMostPower ? -kMostPower : x;
  x = x > kMostPower ? kMostPower : x;
  const float whole = std::rint(x);
  const float fraction = x - whole;
  float power = 0.009570079855620861f;
  power = std::fma(power, fraction, 0.05591783672571182f);
  power = std::fma(power, fraction, 0.240247443318367f);
  power = std::fma(power, fraction, 0.6931217908859253f);
  power = std::fma(power, fraction, 0.9999992847442627f);
  if (x != x) return x;
  std::int32_t bits = 0;
  std::memcpy(&bits, &power, sizeof bits);
  bits += static_cast<std::int32_t>(whole) * (1 << 23);
  std::memcpy(&power, &bits, sizeof power);
  return power;
}

// c = exponent - log2(factor).
struct HeadNormaliser {
  float exponent = 0;  // an integer
  float factor = 1;
};

SKT_HD inline float weight_of_head(float logit, const HeadNormaliser& normaliser) {
  return weight_power(logit - normaliser.exponent) * normaliser.factor;
}

// c = log2 of a sum of powers; 0 of none, and where one was not finite.
SKT_HD inline HeadNormaliser normaliser_of_sum(const SoftmaxPart<float>& sum) {
  if (!(sum.sum > 0 && sum.sum < INFINITY && sum.exponent < INFINITY)) return {};
  std::int32_t bits = 0;
  std::memcpy(&bits, &sum.sum, sizeof bits);
  const std::int32_t octave = (bits >> 23) - 127;
  bits -= octave * (1 << 23);
  float fraction = 0;
  std::memcpy(&fraction, &bits, sizeof fraction);
  return {sum.exponent + static_cast<float>(octave), 1 / fraction};
}

// c of a natural log-sum-exp; 0 where it is not finite.
SKT_HD inline HeadNormaliser normaliser_of_log_sum(float log_sum) {
  const float octaves = log_sum * 1.44269504f;
  if (!(octaves > -INFINITY && octaves < INFINITY)) return {};
  const float whole = std::rint(octaves);
  return {whole, weight_power(whole - octaves)};
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

// Sums the parts of two tiles, the larger exponent's powers.
SKT_HD inline SoftmaxPart<float> sum_of_parts(const SoftmaxPart<float>& a, const SoftmaxPart<float>& b) {
  const float exponent = a.exponent > b.exponent ? a.exponent : b.exponent;
  return {exponent, std::fma(b.sum, rescale_factor(b.exponent, exponent), a.sum * rescale_factor(a.exponent, exponent))};
}

// log2 of a part that is not empty, its fraction's by a straight line: at most .09 too low.
SKT_HD inline float octaves_of(const SoftmaxPart<float>& part) {
  const HeadNormaliser of_part = normaliser_of_sum(part);
  return of_part.exponent + (1 / of_part.factor - 1);
}

// c from the sums over the sampled tiles, part_of(i) of the i-th; a tile without a key that may be selected is an empty part.
template <class PartOf>
SKT_HD HeadNormaliser normaliser_of_tiles(unsigned tiles, const PartOf& part_of) {
  SoftmaxPart<float> total;
  const unsigned sampled = sampled_tiles(tiles);
  const bool all = tiles <= kSampledTiles;
  float octaves = 0;
  float between = 0;  // tiles that are not empty
  for (unsigned i = 0; i < sampled; ++i) {
    const SoftmaxPart<float> part = part_of(i);
    if (part.sum == 0) continue;
    if (all || i == 0 || i == sampled - 1) {
      total = sum_of_parts(total, part);
    } else {
      octaves += octaves_of(part);
      between += 1;
    }
  }
  if (between > 0) {
    const float mean = octaves / between;
    const float whole = std::ceil(mean);
    const float stood_for = between * (static_cast<float>(tiles - 2) / static_cast<float>(kSampledTiles - 2));
    total = sum_of_parts(total, {whole, stood_for * weight_power(mean - whole)});
  }
  return normaliser_of_sum(total);
}

}  // namespace skt::gpu
