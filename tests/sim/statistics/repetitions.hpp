// How tests of statistical code are judged: an experiment is repeated, the hits are counted, and the count is compared
// with what it must be by an exact binomial test that errs with probability kFailure at a random seed. Seeds are fixed,
// so a test that passes once passes always.
#pragma once

#include <cstdint>
#include <vector>

#include "sim/randomness.hpp"

namespace skt {

// The chance, over seeds, that one such check rejects correct code.
inline constexpr double kFailure = 1e-6;

// The error with which intervals and fits are asked for.
inline constexpr double kError = 0.05;

// In how many of `runs` repetitions the predicate of the repetition's number holds.
template <class Predicate>
std::uint64_t count_hits(std::uint32_t runs, Predicate&& holds) {
  std::uint64_t hits = 0;
  for (std::uint32_t run = 0; run < runs; ++run) hits += holds(run) ? 1 : 0;
  return hits;
}

// `topic` keeps the numbers of different tests apart.
inline std::vector<double> test_normals(std::uint32_t topic, std::uint32_t run, std::size_t count) {
  std::vector<double> drawn(count);
  fill_normal(Seed{20}, {.role = Role::test_draw, .trial = run, .row = topic}, drawn);
  return drawn;
}

inline std::vector<double> test_uniforms(std::uint32_t topic, std::uint32_t run, std::size_t count) {
  std::vector<double> drawn(count);
  fill_uniform(Seed{21}, {.role = Role::test_draw, .trial = run, .row = topic}, drawn);
  return drawn;
}

}  // namespace skt
