#include "gpu/check/cases/pair_covering.hpp"

#include "tests/numbers.hpp"

#include <random>
#include <tuple>

using namespace skt::gpu;

namespace {

using Pair = std::tuple<std::size_t, std::size_t, std::size_t, std::size_t>;

std::set<Pair> pairs_in(const std::vector<Combination>& combinations) {
  std::set<Pair> pairs;
  for (const Combination& c : combinations) {
    for (std::size_t a = 0; a < c.size(); ++a) {
      for (std::size_t b = a + 1; b < c.size(); ++b) pairs.insert({a, c[a], b, c[b]});
    }
  }
  return pairs;
}

}  // namespace

TEST_CASE("every pair of values occurs, in far fewer combinations than the product", "[unit][gpu]") {
  const std::vector<std::size_t> sizes = {9, 4, 4, 5, 3, 15};

  const std::vector<Combination> combinations = pair_covering(sizes, [](const Combination&) { return true; });

  std::size_t expected = 0;
  for (std::size_t a = 0; a < sizes.size(); ++a) {
    for (std::size_t b = a + 1; b < sizes.size(); ++b) expected += sizes[a] * sizes[b];
  }
  CHECK(pairs_in(combinations).size() == expected);
  CHECK(combinations.size() >= 9 * 15);  // the two longest axes need as many
  CHECK(combinations.size() <= 2 * 9 * 15);
}

TEST_CASE("what is not allowed occurs nowhere, and every pair that is allowed somewhere", "[unit][gpu]") {
  // Axes 0 and 1 must not both be large; the pair (2, 2) of them is nowhere allowed.
  const auto sum_of = [](const Combination& c) {
    std::size_t sum = 0;
    for (const std::size_t i : c) sum += i == kUnset ? 0 : i;
    return sum;
  };
  const auto allowed = [&](const Combination& c) { return sum_of(c) <= 3; };

  const std::vector<Combination> combinations = pair_covering({3, 3, 2}, allowed);

  for (const Combination& c : combinations) CHECK(allowed(c));
  const std::set<Pair> pairs = pairs_in(combinations);
  for (std::size_t i = 0; i < 3; ++i) {
    for (std::size_t j = 0; j < 3; ++j) CHECK(pairs.count({0, i, 1, j}) == (i + j <= 3 ? 1u : 0u));
  }
}

TEST_CASE("of two axes exactly the pairs that are allowed occur", "[unit][gpu]") {
  const auto allowed = [](const Combination& c) { return c[0] == kUnset || c[1] == kUnset || c[0] <= c[1]; };

  const std::vector<Combination> combinations = pair_covering({3, 3}, allowed);

  CHECK(std::set<Combination>(combinations.begin(), combinations.end()) ==
        std::set<Combination>{{0, 0}, {0, 1}, {0, 2}, {1, 1}, {1, 2}, {2, 2}});
}

TEST_CASE("a pair occurs exactly if some whole combination that is allowed holds it", "[unit][gpu]") {
  const std::vector<std::size_t> sizes = {3, 3, 2, 3};
  std::mt19937 random(1);
  std::size_t pairs_that_cannot = 0;
  for (int instance = 0; instance < 200; ++instance) {
    std::vector<Combination> forbidden;  // three values of axes that must not come together, each
    for (int i = 0; i < 15; ++i) {
      Combination triple;
      for (const std::size_t size : sizes) triple.push_back(random() % size);
      triple[random() % sizes.size()] = kUnset;
      forbidden.push_back(triple);
    }
    const auto allowed = [&](const Combination& c) {
      return std::none_of(forbidden.begin(), forbidden.end(), [&](const Combination& triple) {
        for (std::size_t a = 0; a < c.size(); ++a) {
          if (triple[a] != kUnset && triple[a] != c[a]) return false;
        }
        return true;
      });
    };
    std::vector<Combination> all;
    for (std::size_t n = 0; n < 3 * 3 * 2 * 3; ++n) {
      const Combination c = {n % 3, n / 3 % 3, n / 9 % 2, n / 18};
      if (allowed(c)) all.push_back(c);
    }

    const std::vector<Combination> combinations = pair_covering(sizes, allowed);

    for (const Combination& c : combinations) REQUIRE(allowed(c));
    REQUIRE(pairs_in(combinations) == pairs_in(all));
    pairs_that_cannot += 45 - pairs_in(all).size();
  }
  CHECK(pairs_that_cannot > 200);  // the instances are not all easy
}
