#include "estimators/residual/poisson_sample.hpp"

#include <map>

#include "estimators/residual/fixed_bet.hpp"
#include "tests/numbers.hpp"

using namespace skt;

namespace {

// Weights 4 2 1 1; the list is key 0: f = 1/2, 1/4, 1/4 of the others. e^{ceiling - m}: 1, 1/2, 1/2.
const Vector kLogitsApart{{std::log(4.0), std::log(2.0), 0.0, 0.0}};
const Vector kCeilingsApart{{9.0, std::log(4.0), std::log(2.0), std::log(2.0)}};
const std::vector<Index> kRestApart = {1, 2, 3};
const double kLargestApart = std::log(4.0);

}  // namespace

TEST_CASE("Each key is drawn as often as its probability says, alone", "[unit]") {
  std::map<Index, int> times;
  int both = 0;
  for (std::uint32_t step = 0; step < 8000; ++step) {
    const PoissonDraws draws =
        draw_rest_apart(kLogitsApart, kRestApart, kCeilingsApart, kLargestApart, 1, {Seed{4}, 7, step});
    CHECK(draws.largest == Approx(2.0));  // sum 2, n 1
    int of_last = 0;
    for (std::size_t i = 0; i < draws.keys.size(); ++i) {
      const Index key = draws.keys[i];
      ++times[key];
      of_last += key >= 2;
      CHECK(draws.probabilities[i] == Approx(key == 1 ? 0.5 : 0.25));
      CHECK(draws.weights[static_cast<Index>(i)] == Approx(1.0));
    }
    both += of_last == 2;
  }
  // Deviations of 45, 39 and 21; six of them for a fixed seed.
  CHECK(times[0] == 0);
  CHECK(std::abs(times[1] - 4000) < 270);
  CHECK(std::abs(times[2] - 2000) < 230);
  CHECK(std::abs(times[3] - 2000) < 230);
  CHECK(std::abs(both - 500) < 130);
}

TEST_CASE("A rest that fits the sample is read whole, and a key above its share for certain", "[unit]") {
  const PoissonDraws whole = draw_rest_apart(kLogitsApart, kRestApart, kCeilingsApart, kLargestApart, 3, {Seed{1}});
  CHECK(whole.keys == kRestApart);
  CHECK(whole.weights.sum() == Approx(1.0));
  CHECK(apart_weight_limit(whole, 0.05) == Approx(1.0));

  const PoissonDraws two = draw_rest_apart(kLogitsApart, kRestApart, kCeilingsApart, kLargestApart, 2, {Seed{1}});
  REQUIRE_FALSE(two.keys.empty());
  CHECK(two.keys.front() == 1);  // 1 of a sum of 2, twice
  CHECK(two.probabilities.front() == 1);
  CHECK(two.largest == Approx(1.0));  // 1/2 over 1/2
}

TEST_CASE("The variance by hand", "[unit]") {
  // 1/4 (1/2)/(1/2) + 2 (1/16) (3/4)/(1/4)
  CHECK(rest_variance(kLogitsApart, kRestApart, kCeilingsApart, kLargestApart, 1) == Approx(0.25 + 0.375));
  CHECK(rest_variance(kLogitsApart, kRestApart, kCeilingsApart, kLargestApart, 3) == 0);
}

TEST_CASE("A probability is a whole number of words, one for the lightest key too", "[unit]") {
  // Key 0 has nearly all of the weight and is certain; e^-100 is less than one word of 2^32.
  const Vector light{{0.0, -100.0}};
  CHECK(rest_variance(light, std::vector<Index>{0, 1}, light, 0, 1) == Approx(std::exp(-200.0) * (0x1p32 - 1)));

  // Half a word below the key's own word it is not drawn, half a word above it is.
  const RestAddress at{Seed{4}, 7, 3};
  const double word = random_words(at.seed, {Role::rest_sample, at.step, 0, at.row, 0})[0];
  for (const double words : {word - 0.5, word + 0.5}) {
    const Vector two{{std::log(words / 0x1p32), std::log1p(-words / 0x1p32)}};
    const PoissonDraws draws = draw_rest_apart(two, std::vector<Index>{0, 1}, two, 0, 1, at);
    CHECK((!draws.keys.empty() && draws.keys.front() == 0) == (words > word));
  }
}

TEST_CASE("The limit by hand", "[unit]") {
  const double level = std::log(2 / 0.1);
  PoissonDraws none;
  none.largest = 3;
  CHECK(apart_weight_limit(none, 0.1) == Approx(3 * level / 0.8));

  // Shares 1 and 1/2, and a key that is certain.
  const PoissonDraws three{{1, 2, 3}, {0.5, 0.5, 1.0}, Vector{{3.0, 1.5, 7.0}}, 3};
  const double large = (level - std::log(0.2) - std::log(0.6)) / 0.8,
               small = (level - std::log(0.8) - std::log(0.9)) / 0.2;
  CHECK(large < small);
  CHECK(apart_weight_limit(three, 0.1) == Approx(7 + 3 * large));

  // Of 40 shares of 1 the small bet is the better one.
  PoissonDraws many{std::vector<Index>(40, 1), std::vector<double>(40, 0.5), Vector::Constant(40, 3.0), 3};
  CHECK(apart_weight_limit(many, 0.1) == Approx(3 * (level - 40 * std::log(0.8)) / 0.2));
  many.weights[0] = 3.1;
  CHECK(apart_weight_limit(many, 0.1) == std::numeric_limits<double>::infinity());
}

TEST_CASE("The limit's arithmetic is the same in single precision", "[unit]") {
  const float lost[kFixedBets] = {bet_lost(0, 0.5f) + bet_lost(0, 1.0f), bet_lost(1, 0.5f) + bet_lost(1, 1.0f)};
  CHECK(fixed_bet_limit(lost, 3.0f, 0.1f) ==
        Approx(3 * (std::log(20.0) - std::log(0.6) - std::log(0.2)) / 0.8).epsilon(1e-5));
}
