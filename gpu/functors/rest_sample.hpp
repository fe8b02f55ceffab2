// Which keys of the rest, those outside a list, does a step read, and with which probability?
//
// Each key by itself: with the weight w that its score gives it, and the sum W of the weights of the rest, a word of 32
// random bits draws it if it is at most floor(w n / W 2^32). About n keys are expected, and fewer where a w n / W passes 1: such
// a key is read for certain. No key depends on another, so that a kernel needs neither order nor state, and a probability is a
// whole multiple of 2^-32, never 0: a key whose weight is tiny may be drawn too.
//
// Words: by Philox-4x32-10 (Random123) at the addresses of sim/randomness.hpp of Role::rest_sample, with lists as rows. The
// 24 low bits of a key's word are those of one of the four words of block key / 4 of table 0. Its 8 high bits are bits key % 32 of
// the eight words of blocks 2 (key / 32) and the next of table 1, the highest first: few keys are drawn, and that theirs may be small
// enough is known of 32 keys from two blocks.
//
// Weights: of kv heads' lists the score itself, the sum over heads of 2^(logit - normaliser). Of lists of one head
// 2^(logit - that of a reference score) by the straight lines of gpu/functors/group_weights.hpp. Both are bf16
// numbers; a weight is never so much below that of the estimated logit as kRestRounding says.
//
// The rest of a row, of candidates (outside sink and window, not forbidden): those that are not listed. W, and how many keys
// there are, take in all candidates of the bin of gpu/functors/score_bins.hpp in which the least listed one falls, listed or
// not, and those of the bins below: so both are known before the list is, draws are a little rarer, and nothing is wrong.
//
// In W a key counts by the lowest score of its bin. So W is a little small, and more than n keys may be expected: for a list of
// one head by a factor of up to 2^(s/128) at logits of s octaves, a tenth at s = 18. Keys of the last bin, which has no upper
// end, may weigh far more than they count. Keys of the first bin, which has no lower end, all weigh as the lowest score of the
// next: they are drawn more often than their scores say, so that W is known without them.
//
// Single roundings and sums of whole numbers, in units of 2^-22 of the weight of the reference, the lowest score of the least
// listed candidate's bin: device and host have the same bits in whatever order they add.
// tests/gpu/functors/rest_sample_test.cpp.
#pragma once

#include <Random123/philox.h>

#include <cfloat>
#include <cmath>
#include <cstdint>

#include "gpu/functors/group_weights.hpp"
#include "gpu/functors/host_device.hpp"
#include "gpu/functors/ordered_key.hpp"
#include "gpu/functors/score_bins.hpp"

namespace skt::gpu {

inline constexpr std::uint32_t kRestSampleRole = 8;  // Role::rest_sample
inline constexpr int kMostRestSamples = 1024;

// Keys that are drawn for a list find so much room: of n expected more than 2 n + 64 come once in 10^20 steps.
SKT_HD constexpr int rest_room(int samples) {
  return 2 * samples + 64;
}

// Of which list and step words are.
struct RestStream {
  std::uint64_t seed;
  std::uint32_t row, step;

  SKT_HD r123::Philox4x32::ctr_type words(std::uint32_t table, std::uint32_t block) const {
    const r123::Philox4x32::key_type key = {
        {static_cast<std::uint32_t>(seed & 0xffffffffu), static_cast<std::uint32_t>(seed >> 32)}};
    return r123::Philox4x32{}({{block, row, step, kRestSampleRole << 24 | table}}, key);
  }
};

constexpr int kHighBits = 8;
constexpr int kLowBits = 32 - kHighBits;

// The high bits of the words of 32 keys, the highest first; bit i is that of key i.
struct HighBits {
  std::uint32_t of_keys[kHighBits];

  SKT_HD std::uint32_t of_key(int i) const {
    std::uint32_t bits = 0;
    for (const std::uint32_t keys : of_keys) bits = bits << 1 | (keys >> i & 1u);
    return bits;
  }
  // Bits of the keys whose high bits, as a number, are at most `most`.
  SKT_HD std::uint32_t at_most(std::uint32_t most) const {
    std::uint32_t below = 0, equal = ~0u;
    for (int bit = 0; bit < kHighBits; ++bit) {
      const std::uint32_t ones = most >> (kHighBits - 1 - bit) & 1u ? ~0u : 0u;
      below |= equal & ones & ~of_keys[bit];
      equal &= ~(ones ^ of_keys[bit]);
    }
    return below | equal;
  }
};
// Of keys 32 group .. 32 group + 31.
SKT_HD inline HighBits high_bits(const RestStream& stream, std::uint32_t group) {
  HighBits bits = {};
  for (std::uint32_t half = 0; half < 2; ++half) {
    const r123::Philox4x32::ctr_type words = stream.words(1, 2 * group + half);
    for (int i = 0; i < 4; ++i) bits.of_keys[4 * half + i] = words.v[i];
  }
  return bits;
}
SKT_HD inline std::uint32_t low_bits(const RestStream& stream, std::uint32_t key) {
  const r123::Philox4x32::ctr_type words = stream.words(0, key / 4);
  const std::uint32_t word = key & 2 ? (key & 1 ? words.v[3] : words.v[2]) : (key & 1 ? words.v[1] : words.v[0]);
  return word & ((1u << kLowBits) - 1);
}

// ---- Weights ----

// A weight rounds its logit and its normaliser to half a step of 2^-7 octaves each, and sums of bf16 numbers are rounded
// by 2^-8 three times at most.
inline constexpr double kRestRounding = 1.02;

// Beyond it weights are rounded by more: their offset is no whole number of steps.
inline constexpr float kMostNormaliser = 0x1p22f;

// Weights from here on are those of logits that do not fit: the key is read for certain. So is one that scores NaN.
inline constexpr float kHeavyRest = 0x1p119f;

// Of a list of one head: `steps` to a score of 1, `offset` of the normaliser by weight_offset().
SKT_HD inline float rest_weight(float score, float steps, float offset) {
  return weight_of_bits(weight_bits(steps, score, offset));
}

// What is not finite counts as infinite.
SKT_HD inline float known(float number) {
  return number <= FLT_MAX ? number : INFINITY;
}

// The lowest score of a bin; of the first one, that of the next.
SKT_HD inline float lowest_score_of(int bin, std::uint32_t lowest) {
  return reached_by(score_bin_begin(bin > 0 ? bin : 1, lowest));
}

// How the scores of a row become weights.
struct RestScale {
  float edge;               // no key of the rest scores so much; NaN where any may be
  float floor;              // a lower score weighs as this one
  float steps, normaliser;  // of lists of one head: to a score of 1, and of the reference
  bool of_score;            // of kv heads' lists
  float units;              // to a weight of 1

  SKT_HD bool may_be_rest(float score) const { return !(score >= edge); }
  SKT_HD float weight(float score) const {
    if (score < floor) score = floor;
    return of_score ? score : rest_weight(score, steps, weight_offset(normaliser));
  }
  // Of the sum W. A weight that counts for nothing still counts 1, so that W is not 0.
  SKT_HD std::uint32_t units_of(float weight) const {
    constexpr float kMost = 0x1p23f;
    const float scaled = weight * units;
    if (!(weight < kHeavyRest)) return 0;
    return 1 + static_cast<std::uint32_t>(scaled < kMost ? scaled : kMost);
  }
};

// `bin`: that of the least listed candidate.
SKT_HD inline RestScale rest_scale(int bin, std::uint32_t lowest, float weight_scale, bool of_score) {
  const float reference = lowest_score_of(bin, lowest);
  const float steps = weight_scale * kOctaveSteps;
  RestScale scale = {NAN, lowest_score_of(0, lowest), steps, finite_normaliser(reference * steps), of_score, 0};
  if (bin + 1 < kScoreBins) scale.edge = reached_by(score_bin_begin(bin + 1, lowest));
  scale.units = 0x1p22f / scale.weight(reference);
  return scale;
}

// ---- Probabilities ----

inline constexpr std::uint32_t kCertain = ~0u;

// n / W, of a W of so many `units`; all keys are certain where there are no more than n.
SKT_HD inline float rest_rate(const RestScale& scale, std::uint64_t units, std::uint32_t keys, int samples) {
  if (keys <= static_cast<std::uint32_t>(samples)) return INFINITY;
  return static_cast<float>(samples) * scale.units / static_cast<float>(units);
}
// The last word that draws a key of this weight.
SKT_HD inline std::uint32_t last_word(float weight, float rate) {
  const float probability = weight * rate;
  if (!(weight < kHeavyRest) || !(probability < 1)) return kCertain;
  return static_cast<std::uint32_t>(probability * 0x1p32f);
}
template <class Real>
SKT_HD Real rest_probability(std::uint32_t last) {
  return last == kCertain ? Real(1) : (Real(last) + 1) * Real(0x1p-32);
}

}  // namespace skt::gpu
