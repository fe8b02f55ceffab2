#include "sim/randomness.hpp"

#include <Random123/philox.h>

#include <cmath>
#include <numbers>
#include <stdexcept>

#include "sim/number.hpp"

namespace skt {
namespace {

constexpr std::uint32_t kMaxTables = 1u << 24;

std::uint32_t low_word(std::uint64_t x) {
  return x & 0xffffffffu;
}

std::uint32_t high_word(std::uint64_t x) {
  return static_cast<std::uint32_t>(x >> 32);
}

constexpr std::size_t kLanes = 8;
using Lanes = std::array<std::uint64_t, kLanes>;  // of 32-bit words: a multiplication of vectors takes every other word

// random_words() of this block and the next ones, in loops that become vector instructions.
std::array<Lanes, 4> words_of_blocks(Seed seed, const DrawAddress& first) {
  const auto counter = philox_counter(first);
  std::array<Lanes, 4> x;
  for (std::uint32_t i = 0; i < kLanes; ++i)
    x[0][i] = counter[0] + i, x[1][i] = counter[1], x[2][i] = counter[2], x[3][i] = counter[3];
  std::uint32_t key[] = {low_word(seed.value), high_word(seed.value)};
  for (int round = 0; round < PHILOX4x32_DEFAULT_ROUNDS; ++round) {
    for (std::size_t i = 0; i < kLanes; ++i) {
      const std::uint64_t a = std::uint64_t{PHILOX_M4x32_0} * low_word(x[0][i]),
                          b = std::uint64_t{PHILOX_M4x32_1} * low_word(x[2][i]);
      x[0][i] = high_word(b) ^ x[1][i] ^ key[0], x[1][i] = low_word(b);
      x[2][i] = high_word(a) ^ x[3][i] ^ key[1], x[3][i] = low_word(a);
    }
    key[0] += PHILOX_W32_0, key[1] += PHILOX_W32_1;
  }
  return x;
}

template <class PairOf>
void fill_pairs(Seed seed, DrawAddress at, std::span<double> out, PairOf&& pair_of) {
  std::size_t c = 0;
  for (; c + 2 * kLanes <= out.size(); c += 2 * kLanes, at.block += kLanes) {
    const auto w = words_of_blocks(seed, at);
    std::array<std::array<double, 2>, kLanes> u;
    for (std::size_t i = 0; i < kLanes; ++i)
      u[i] = {open_uniform(low_word(w[0][i]), low_word(w[1][i])), open_uniform(low_word(w[2][i]), low_word(w[3][i]))};
    for (std::size_t i = 0; i < kLanes; ++i) {
      const auto [first, second] = pair_of(u[i]);
      out[c + 2 * i] = first, out[c + 2 * i + 1] = second;
    }
  }
  for (; c < out.size(); c += 2, ++at.block) {
    const auto [first, second] = pair_of(random_uniforms(seed, at));
    out[c] = first;
    if (c + 1 < out.size()) out[c + 1] = second;
  }
}

}  // namespace

double open_uniform(std::uint32_t high, std::uint32_t low) {
  const std::uint64_t bits = (std::uint64_t{high} << 32 | low) >> 12;
  return (real(bits) + 0.5) * 0x1p-52;
}

std::array<std::uint32_t, 4> philox_counter(const DrawAddress& address) {
  if (address.table >= kMaxTables) throw std::out_of_range("philox_counter: table must be below 2^24");
  return {address.block, address.row, address.trial, static_cast<std::uint32_t>(address.role) << 24 | address.table};
}

std::array<std::uint32_t, 4> random_words(Seed seed, const DrawAddress& address) {
  const auto counter = philox_counter(address);
  const r123::Philox4x32::ctr_type ctr = {{counter[0], counter[1], counter[2], counter[3]}};
  const auto words = r123::Philox4x32{}(ctr, {{low_word(seed.value), high_word(seed.value)}});
  return {words[0], words[1], words[2], words[3]};
}

std::array<double, 2> random_uniforms(Seed seed, const DrawAddress& address) {
  const auto w = random_words(seed, address);
  return {open_uniform(w[0], w[1]), open_uniform(w[2], w[3])};
}

void fill_normal(Seed seed, const DrawAddress& first, std::span<double> out) {
  fill_pairs(seed, first, out, [](std::array<double, 2> u) -> std::array<double, 2> {
    const double radius = std::sqrt(-2 * std::log(u[0]));
    const double angle = 2 * std::numbers::pi * u[1];
    return {radius * std::cos(angle), radius * std::sin(angle)};
  });
}

void fill_uniform(Seed seed, const DrawAddress& first, std::span<double> out) {
  fill_pairs(seed, first, out, [](std::array<double, 2> u) { return u; });
}

Seed derive_seed(Seed seed, std::uint64_t stream) {
  const r123::Philox4x32::ctr_type ctr = {{low_word(stream), high_word(stream), 0u, 0xffffffffu}};
  const auto words = r123::Philox4x32{}(ctr, {{low_word(seed.value), high_word(seed.value)}});
  return {std::uint64_t{words[0]} << 32 | words[1]};
}

}  // namespace skt
