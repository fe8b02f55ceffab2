// Which key does draw i of a row's sample of the rest read?
//
// Philox-4x32-10 (Random123) at the counter {i / 2, row, step, role}, with the seed as its key, gives two draws of 64
// bits; estimators/residual/rest_positions.hpp makes a key of the rest of each. `row` counts lists: of a sequence and head, or of
// a sequence and KV head where query heads share one list and one sample. `step` is the caller's number of the step: the
// same seed, row and step read the same keys. It would be wrong if it differed from sim/randomness.hpp at
// Role::rest_sample, which the estimators use; tests/gpu/functors/rest_sample_test.cpp.
#pragma once

#include <Random123/philox.h>

#include <cstdint>

#include "estimators/residual/rest_positions.hpp"
#include "gpu/functors/host_device.hpp"

namespace skt::gpu {

inline constexpr std::uint32_t kRestSampleRole = 8;  // Role::rest_sample

// Two draws' words: of draw 2 pair and draw 2 pair + 1.
struct RestWords {
  std::uint64_t even, odd;
};

SKT_HD inline RestWords rest_words(std::uint64_t seed, std::uint32_t row, std::uint32_t step, std::uint32_t pair) {
  const r123::Philox4x32::ctr_type counter = {{pair, row, step, kRestSampleRole << 24}};
  const r123::Philox4x32::key_type key = {
      {static_cast<std::uint32_t>(seed & 0xffffffffu), static_cast<std::uint32_t>(seed >> 32)}};
  const r123::Philox4x32::ctr_type words = r123::Philox4x32{}(counter, key);
  return {std::uint64_t{words.v[0]} << 32 | words.v[1], std::uint64_t{words.v[2]} << 32 | words.v[3]};
}

// The key of draw i, 0 <= i < rest_draws(samples, rest), of the `rest` = length - count keys below `length` that are not
// in `list` [count], whose indices rise and lie below `length`.
SKT_HD inline int sampled_rest_key(std::uint64_t seed, std::uint32_t row, std::uint32_t step, int i, int samples,
                                   const std::int32_t* list, int count, int length) {
  const int rest = length - count;
  if (rest <= samples) return static_cast<int>(rest_key(list, count, i));
  const RestWords words = rest_words(seed, row, step, static_cast<std::uint32_t>(i) / 2);
  return static_cast<int>(rest_key(list, count, rest_rank_of_word(i % 2 == 0 ? words.even : words.odd, rest)));
}

}  // namespace skt::gpu
