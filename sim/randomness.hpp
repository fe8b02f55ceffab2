// Which random number belongs to which logical coordinate?
//
// Every random number is a pure function of (seed, role, trial, table, row, block): Philox-4x32-10 with the seed as its
// key and the address as its 128-bit counter (Salmon et al., SC 2011; Random123). Nothing depends on threads or on the
// order of the calls. This file owns the map from address to counter; it would be wrong if two addresses shared a
// counter, which tests/sim/randomness_test.cpp checks bit by bit.
#pragma once

#include <array>
#include <cstdint>
#include <span>

namespace skt {

struct Seed {
  std::uint64_t value = 0;
};

// What a number is drawn for. The values are part of the stream: append, never renumber.
enum class Role : std::uint8_t {
  query = 0,
  key = 1,
  value = 2,
  hyperplane = 3,
  value_sample = 4,    // the M draws of the sampling estimator T(q)
  instance_shape = 5,  // cluster centres, rotations and other choices of an instance family
  test_draw = 6,       // draws that a statement or a test makes for itself
  index_choice = 7,    // what a peer ranker draws: projections, first centroids, random scores
  rest_sample = 8,     // the keys outside a list that its residual weight is estimated from
};

// The logical coordinates of one Philox block (four 32-bit words).
struct DrawAddress {
  Role role = Role::test_draw;
  std::uint32_t trial = 0;
  std::uint32_t table = 0;  // 0 .. 2^24 - 1
  std::uint32_t row = 0;    // plane, key index or sample index
  std::uint32_t block = 0;  // position along the row, in blocks
};

// The 128-bit counter of an address; injective. Throws std::out_of_range if table >= 2^24.
std::array<std::uint32_t, 4> philox_counter(const DrawAddress& address);

// Four uniform 32-bit words.
std::array<std::uint32_t, 4> random_words(Seed seed, const DrawAddress& address);

// The middle of the cell that the first 52 of 64 bits name among 2^52 equal cells of (0, 1): never 0 or 1, exact in
// double (with 53 bits the middle of the last cell would round to 1), and 1 - open_uniform(~high, ~low).
double open_uniform(std::uint32_t high, std::uint32_t low);

// Two uniforms in the open interval (0, 1), 52 bits each.
std::array<double, 2> random_uniforms(Seed seed, const DrawAddress& address);

// Fills `out` with independent N(0,1) numbers: out[c] is coordinate 2 first.block + c of the row, a pure function of
// that address and the seed. Box-Muller, two numbers to a block.
void fill_normal(Seed seed, const DrawAddress& first, std::span<double> out);

// Fills `out` with independent uniforms in (0,1), addressed like fill_normal.
void fill_uniform(Seed seed, const DrawAddress& first, std::span<double> out);

// A seed for an independent sub-experiment named by `stream` (same seed and stream, same sub-seed).
Seed derive_seed(Seed seed, std::uint64_t stream);

}  // namespace skt
