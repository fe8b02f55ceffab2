#include "gpu/functors/rest_sample.hpp"

#include <cstdlib>
#include <vector>

#include "sim/randomness.hpp"
#include "tests/catch.hpp"

using namespace skt;
using namespace skt::gpu;

TEST_CASE("the words of a draw are those of the host's address", "[unit][gpu]") {
  for (const std::uint64_t seed : {std::uint64_t{0}, std::uint64_t{0x299f31d0a4093822}})
    for (const std::uint32_t row : {0u, 31u, 0xffffffffu})
      for (const std::uint32_t step : {0u, 7u, 0xffffffffu})
        for (const std::uint32_t pair : {0u, 127u}) {
          const RestWords words = rest_words(seed, row, step, pair);
          const auto host =
              random_words(Seed{seed}, {.role = Role::rest_sample, .trial = step, .row = row, .block = pair});

          CHECK(words.even == (std::uint64_t{host[0]} << 32 | host[1]));
          CHECK(words.odd == (std::uint64_t{host[2]} << 32 | host[3]));
        }
}

TEST_CASE("a draw reads keys outside its list alone, and all of them", "[unit][gpu]") {
  const std::vector<std::int32_t> list = {0, 1, 5, 9};
  std::vector<int> times(10);

  for (std::uint32_t step = 0; step < 1000; ++step)
    for (int i = 0; i < 5; ++i) ++times[sampled_rest_key(3, 2, step, i, 5, list.data(), 4, 10)];

  for (const int key : list) CHECK(times[key] == 0);
  // 5,000 draws of 6 keys: 833 each, standard deviation 26.4. Seven of them for a fixed seed.
  for (const int key : {2, 3, 4, 6, 7, 8}) CHECK(std::abs(times[key] - 5000 / 6) < 190);
}

TEST_CASE("the rest that fits the sample is read once each", "[unit][gpu]") {
  const std::vector<std::int32_t> list = {0, 1, 5, 9};
  std::vector<int> keys;
  for (int i = 0; i < 6; ++i) keys.push_back(sampled_rest_key(3, 2, 1, i, 6, list.data(), 4, 10));

  CHECK(keys == std::vector<int>{2, 3, 4, 6, 7, 8});
}
