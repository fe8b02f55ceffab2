// Which keys of the rest, those that a list leaves out, does a sample read?
//
// n independent draws with replacement, each uniform over the r keys of the rest. With r <= n the rest is read whole,
// each key once, and nothing is random. A draw needs its own 64 random bits and the list: no state, no other draw.
//
// floor(word r / 2^64) is uniform up to rounding: each rank has floor(2^64/r) or one more of the 2^64 words, so its
// probability is within 2^-64 of 1/r. The law of n draws differs from the uniform one by at most n r 2^-64 in total
// variation: below 2^-33 for 1,024 draws of 2^21 keys.
//
// Whole numbers only. They would be wrong if a draw could name a key of the list, leave one of the rest out, or take one
// twice as often as another; tests/estimators/residual/rest_positions_test.cpp.
#pragma once

#include <cstdint>

namespace skt {

// How many keys are read of a rest of `rest` keys.
constexpr std::int64_t rest_draws(std::int64_t samples, std::int64_t rest) {
  return rest < samples ? rest : samples;
}

// floor(word rest / 2^64), 0 <= rest < 2^31. No product passes 64 bits.
constexpr std::int64_t rest_rank_of_word(std::uint64_t word, std::int64_t rest) {
  const auto keys = static_cast<std::uint64_t>(rest);
  const std::uint64_t low = (word & 0xffffffffu) * keys;
  return static_cast<std::int64_t>(((word >> 32) * keys + (low >> 32)) >> 32);
}

// The key of this rank, from 0, among those that are not in `list` [count], whose indices rise. Before list[i] stand
// list[i] - i keys of the rest, and that number never falls with i: a search by halves.
template <class Entry>
constexpr std::int64_t rest_key(const Entry* list, std::int64_t count, std::int64_t rank) {
  std::int64_t before = 0, end = count;  // entries before the key: list[i] - i <= rank for all i < before
  while (before < end) {
    const std::int64_t middle = before + (end - before) / 2;
    if (static_cast<std::int64_t>(list[middle]) - middle <= rank)
      before = middle + 1;
    else
      end = middle;
  }
  return rank + before;
}

}  // namespace skt
