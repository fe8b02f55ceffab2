#include "sim/randomness.hpp"

#include <boost/math/distributions/normal.hpp>

#include "tests/hypothesis_tests.hpp"
#include "tests/numbers.hpp"
#include "tests/sim/statistics/repetitions.hpp"

using namespace skt;

namespace {

using Words = std::array<std::uint32_t, 4>;

// An address from a counter: what philox_counter inverts.
DrawAddress address_of(const Words& counter) {
  return {static_cast<Role>(counter[3] >> 24), counter[2], counter[3] & 0xffffff, counter[1], counter[0]};
}

// Bits of an address in the order role (8), trial (32), table (24), row (32), block (32).
constexpr int kAddressBits = 8 + 32 + 24 + 32 + 32;

DrawAddress with_bit_flipped(DrawAddress address, int bit) {
  if (bit < 8) {
    address.role = static_cast<Role>(static_cast<std::uint32_t>(address.role) ^ 1u << bit);
  } else if (bit < 40) {
    address.trial ^= 1u << (bit - 8);
  } else if (bit < 64) {
    address.table ^= 1u << (bit - 40);
  } else if (bit < 96) {
    address.row ^= 1u << (bit - 64);
  } else {
    address.block ^= 1u << (bit - 96);
  }
  return address;
}

// The numbers of the counter's bits (0 .. 127) in which two counters differ.
std::vector<int> differing_bits(const Words& a, const Words& b) {
  std::vector<int> bits;
  for (int bit = 0; bit < 128; ++bit) {
    const auto word = static_cast<std::size_t>(bit / 32);
    if ((a[word] ^ b[word]) >> (bit % 32) & 1) bits.push_back(bit);
  }
  return bits;
}

double normal_cdf(double x) {
  return cdf(boost::math::normal(), x);
}

// The p-value that pairs of numbers in (0, 1) are uniform on the square, by 8 x 8 cells.
double uniform_pairs_p_value(const std::vector<double>& first, const std::vector<double>& second) {
  std::vector<std::uint64_t> counts(64, 0);
  for (std::size_t i = 0; i < first.size(); ++i) {
    ++counts[static_cast<std::size_t>(8 * first[i]) * 8 + static_cast<std::size_t>(8 * second[i])];
  }
  return goodness_of_fit_p_value(counts, std::vector<double>(64, 1.0 / 64));
}

// The same for normal numbers, mapped to uniform ones.
double normal_pairs_p_value(std::vector<double> first, std::vector<double> second) {
  std::ranges::transform(first, first.begin(), normal_cdf);
  std::ranges::transform(second, second.begin(), normal_cdf);
  return uniform_pairs_p_value(first, second);
}

std::vector<double> normals_at(DrawAddress at, std::size_t count) {
  std::vector<double> drawn(count);
  fill_normal(Seed{5}, at, drawn);
  return drawn;
}

constexpr std::size_t kDraws = 50000;

}  // namespace

TEST_CASE("Philox reproduces Random123's known answers", "[unit]") {
  // Random123 1.14, tests/kat_vectors, the three lines "philox4x32 10": counter, key, result.
  struct Known {
    Words counter;
    std::uint64_t key;
    Words result;
  };
  const std::vector<Known> answers = {
      {{0, 0, 0, 0}, 0, {0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}},
      {{0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff},
       0xffffffffffffffff,
       {0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}},
      {{0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344},
       0x299f31d0a4093822,
       {0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}},
  };
  for (const Known& known : answers) {
    const DrawAddress address = address_of(known.counter);
    CHECK(philox_counter(address) == known.counter);
    CHECK(random_words(Seed{known.key}, address) == known.result);
  }
}

TEST_CASE("Every bit of an address is one bit of the counter, each a different one", "[unit]") {
  const std::vector<DrawAddress> bases = {
      {Role::query, 0, 0, 0, 0},
      {static_cast<Role>(0xff), 0xffffffff, 0xffffff, 0xffffffff, 0xffffffff},
      {Role::hyperplane, 0x13198a2e, 0x707344, 0x85a308d3, 0x243f6a88},
  };
  for (const DrawAddress& base : bases) {
    std::set<int> used;
    for (int bit = 0; bit < kAddressBits; ++bit) {
      const std::vector<int> flipped =
          differing_bits(philox_counter(base), philox_counter(with_bit_flipped(base, bit)));
      REQUIRE(flipped.size() == 1);
      used.insert(flipped.front());
    }
    CHECK(used.size() == kAddressBits);
  }
}

TEST_CASE("A table that does not fit its 24 bits is refused, not folded onto another", "[unit]") {
  CHECK_NOTHROW(philox_counter({.table = (1u << 24) - 1}));
  CHECK_THROWS_AS(philox_counter({.table = 1u << 24}), std::out_of_range);
  CHECK_THROWS_AS(philox_counter({.table = 0xffffffff}), std::out_of_range);
}

TEST_CASE("Uniforms stay inside (0, 1), are symmetric and start with the high word", "[unit]") {
  CHECK(open_uniform(0, 0) == 0x1p-53);
  CHECK(open_uniform(0xffffffff, 0xffffffff) == 1 - 0x1p-53);
  CHECK(open_uniform(0x80000000, 0) == 0.5 + 0x1p-53);
  CHECK(open_uniform(0, 1u << 12) == 3 * 0x1p-53);
  for (std::uint32_t run = 0; run < 100; ++run) {
    const Words w = random_words(Seed{3}, {.trial = run});
    CHECK(open_uniform(w[0], w[1]) == 1 - open_uniform(~w[0], ~w[1]));
  }
}

TEST_CASE("Numbers that are drawn together are those of their own addresses", "[unit]") {
  const Seed seed{0x299f31d0a4093822};
  const DrawAddress first{Role::value, 0x13198a2e, 0x707344, 0x85a308d3, 0xfffffffa};  // the last but five blocks
  std::vector<double> drawn(41);

  fill_uniform(seed, first, drawn);

  for (std::uint32_t c = 0; c < drawn.size(); ++c) {
    DrawAddress own = first;
    own.block += c / 2;
    CHECK(drawn[c] == random_uniforms(seed, own)[c % 2]);
  }
}

TEST_CASE("A number does not depend on what is drawn with it or before it", "[unit]") {
  const DrawAddress row{Role::key, 3, 0, 17, 0};
  const std::vector<double> whole = normals_at(row, 33);
  for (const std::size_t count : {0u, 1u, 2u, 31u, 32u}) {
    const std::vector<double> part = normals_at(row, count);
    CHECK(std::equal(part.begin(), part.end(), whole.begin()));
  }

  DrawAddress later = row;
  later.block = 5;
  const std::vector<double> tail = normals_at(later, 23);
  CHECK(std::equal(tail.begin(), tail.end(), whole.begin() + 10));

  std::vector<double> uniforms(33), first(7);
  fill_uniform(Seed{5}, row, uniforms);
  fill_uniform(Seed{5}, row, first);
  CHECK(std::equal(first.begin(), first.end(), uniforms.begin()));
}

TEST_CASE("Sub-seeds differ with the stream and with the seed", "[unit]") {
  std::set<std::uint64_t> seeds;
  for (std::uint64_t stream = 0; stream < 1000; ++stream) {
    seeds.insert(derive_seed(Seed{1}, stream).value);
    seeds.insert(derive_seed(Seed{2}, stream).value);
    seeds.insert(derive_seed(Seed{1}, stream << 32 | 0x80000000).value);
  }

  CHECK(seeds.size() == 3000);
  CHECK(derive_seed(Seed{1}, 7).value == derive_seed(Seed{1}, 7).value);
}

TEST_CASE("Uniform numbers are uniform, and a power of them is not", "[unit]") {
  std::vector<double> first = test_uniforms(0, 0, kDraws), second = test_uniforms(0, 1, kDraws);
  CHECK(uniform_pairs_p_value(first, second) > kFailure);

  for (double& u : first) u = std::pow(u, 1.05);
  CHECK(uniform_pairs_p_value(first, second) <= kFailure);
}

TEST_CASE("Normal numbers are normal, and wider or shifted ones are not", "[unit]") {
  const std::vector<double> second = test_normals(0, 1, kDraws);
  for (const auto& [scale, shift, is_normal] : {std::tuple{1.0, 0.0, true}, {1.05, 0.0, false}, {1.0, 0.05, false}}) {
    std::vector<double> first = test_normals(0, 0, kDraws);
    for (double& x : first) x = scale * x + shift;

    CHECK((normal_pairs_p_value(first, second) > kFailure) == is_normal);
  }
}

TEST_CASE("The far tail of the normal numbers has its weight", "[unit]") {
  const std::vector<double> drawn = test_normals(0, 2, 200000);
  for (const double edge : {2.0, 3.0, 4.0}) {
    const auto beyond = std::ranges::count_if(drawn, [edge](double x) { return x > edge; });
    CHECK(binomial_p_value(static_cast<std::uint64_t>(beyond), drawn.size(), normal_cdf(-edge)) > kFailure);
  }
}

TEST_CASE("Neighbouring numbers in every direction are independent", "[unit]") {
  const DrawAddress origin{Role::hyperplane, 0, 0, 0, 0};
  const std::vector<double> here = normals_at(origin, kDraws);

  // The two numbers of one Box-Muller block, and neighbours across blocks.
  for (const std::size_t parity : {0u, 1u}) {
    std::vector<double> left, right;
    for (std::size_t c = parity; c + 1 < kDraws; c += 2) {
      left.push_back(here[c]);
      right.push_back(here[c + 1]);
    }
    CHECK(normal_pairs_p_value(left, right) > kFailure);
  }
  // The same coordinate of the next trial, table, row and role.
  for (const int bit : {8, 40, 64, 2}) {
    CHECK(normal_pairs_p_value(here, normals_at(with_bit_flipped(origin, bit), kDraws)) > kFailure);
  }
  // What such a check would catch: equal numbers.
  CHECK(normal_pairs_p_value(here, here) <= kFailure);
}
