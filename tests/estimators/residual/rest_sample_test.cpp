#include "estimators/residual/rest_sample.hpp"

#include <map>

#include "estimators/attention.hpp"
#include "estimators/residual/rest_positions.hpp"
#include "tests/numbers.hpp"

using namespace skt;

namespace {

// Weights 4 2 1 1 and a key that is not allowed. The list is key 0: f = 1/2, 1/4, 1/4 of the others, D_S = D_R = 1.
const Vector kLogits{{std::log(4.0), std::log(2.0), 0.0, 0.0, -std::numeric_limits<double>::infinity()}};
const Matrix kValues{{1.0, 0.0}, {3.0, 0.0}, {1.0, 4.0}, {1.0, 0.0}, {9.0, 9.0}};
const std::vector<Index> kList = {0}, kRest = {1, 2, 3};
// e^ceiling: 4, 4, 4/3 of the rest; over e^m they are 1, 1, 1/3.
const Vector kCeilings{{9.0, std::log(4.0), std::log(4.0), std::log(4.0 / 3), 9.0}};

}  // namespace

TEST_CASE("The list's sums and the rest by hand", "[unit]") {
  const ListedSums listed = listed_sums(kLogits, kValues, std::vector<Index>{2, 1});

  CHECK(listed.largest == Approx(std::log(2.0)));
  CHECK(listed.weight == Approx(1.5));
  CHECK(listed.output[0] == Approx((2 * 3 + 1) / 3.0));
  CHECK(listed.output[1] == Approx(4 / 3.0));
  CHECK(rest_of(kLogits, std::vector<Index>{2, 1}) == std::vector<Index>{0, 3});
  CHECK(rest_of(kLogits, kList) == kRest);
  CHECK_THROWS_AS(listed_sums(kLogits, kValues, std::vector<Index>{}), InputError);
}

TEST_CASE("A rest that is read whole gives dense attention", "[unit]") {
  const ListedSums listed = listed_sums(kLogits, kValues, kList);
  const RestDraws draws = draw_rest(kLogits, kRest, kCeilings, listed.largest, 3, RestSampling::weighted, {Seed{1}});

  const RestEstimate estimate = rest_estimate(draws, kValues, listed.output);

  CHECK(draws.is_whole());
  CHECK(draws.keys == kRest);
  CHECK(estimate.weight == Approx(1.0));
  CHECK(estimate.moved[0] == Approx(1.0));  // 1/2 (3 - 1)
  CHECK(estimate.moved[1] == Approx(1.0));  // 1/4 4
  const Vector dense = *dense_attention(Vector{{1.0}}, kLogits.head(4), kValues.topRows(4), {});
  CHECK((corrected_output(listed, estimate) - dense).norm() < 1e-15);
}

TEST_CASE("The moments of a draw by hand", "[unit]") {
  const ListedSums listed = listed_sums(kLogits, kValues, kList);

  const RestMoments uniform = rest_moments(kLogits, kValues, kRest, kCeilings, listed, RestSampling::uniform);
  const RestMoments weighted = rest_moments(kLogits, kValues, kRest, kCeilings, listed, RestSampling::weighted);

  CHECK(uniform.weight == Approx(1.0));
  CHECK(uniform.weight_variance == Approx(3 * (1.0 / 4 + 1.0 / 16 + 1.0 / 16) - 1));
  CHECK(uniform.moved_variance == Approx(3 * (4.0 / 4 + 16.0 / 16) - 2));
  // P = 3/7, 3/7, 1/7.
  CHECK(weighted.weight_variance == Approx(7.0 / 3 / 4 + 7.0 / 3 / 16 + 7.0 / 16 - 1));
  CHECK(weighted.moved_variance == Approx(7.0 / 3 * (4.0 / 4 + 16.0 / 16) - 2));
}

TEST_CASE("Draws have their probabilities, shares and weights", "[unit]") {
  const double largest = std::log(4.0);
  for (const RestSampling sampling : {RestSampling::uniform, RestSampling::weighted}) {
    const bool weighted = sampling == RestSampling::weighted;
    std::map<Index, int> times;
    for (std::uint32_t step = 0; step < 5000; ++step) {
      const RestDraws draws = draw_rest(kLogits, kRest, kCeilings, largest, 2, sampling, {Seed{4}, 7, step});
      CHECK_FALSE(draws.is_whole());
      CHECK(std::exp(draws.log_total) == Approx(weighted ? 7.0 / 3 : 3.0));
      for (Index i = 0; i < 2; ++i) {
        const Index key = draws.keys[i];
        ++times[key];
        const double share = key == 1 ? 0.5 : key == 2 ? 0.25 : weighted ? 0.75 : 0.25;
        CHECK(draws.shares[i] == Approx(share));
        CHECK(draws.weights[i] == Approx(share * (weighted ? 7.0 / 3 : 3.0)));
      }
    }
    // 10,000 draws: deviations below 50.
    CHECK(times[1] + times[2] + times[3] == 10000);
    CHECK(std::abs(times[1] - (weighted ? 4286 : 3333)) < 250);
    CHECK(std::abs(times[2] - (weighted ? 4286 : 3333)) < 250);
  }
}

TEST_CASE("Uniform draws read the keys of their words", "[unit]") {
  const Vector logits = Vector::Zero(50);
  const std::vector<Index> list = {0, 1, 20, 48, 49};
  const std::vector<Index> rest = rest_of(logits, list);

  const RestDraws draws = draw_rest(logits, rest, logits, 0, 11, RestSampling::uniform, {Seed{9}, 3, 8});

  for (std::uint32_t i = 0; i < 11; ++i) {
    const auto words = random_words(Seed{9}, {.role = Role::rest_sample, .trial = 8, .row = 3, .block = i / 2});
    const std::uint64_t word = std::uint64_t{words[2 * (i % 2)]} << 32 | words[2 * (i % 2) + 1];
    CHECK(draws.keys[i] == rest_key(list.data(), 5, rest_rank_of_word(word, 45)));
  }
}

TEST_CASE("Ceilings far above any logit do not overflow the draws", "[unit]") {
  const Vector ceilings = Vector::Constant(5, 5000.0);

  const RestDraws draws = draw_rest(kLogits, kRest, ceilings, 0, 2, RestSampling::weighted, {Seed{1}});

  CHECK(draws.log_total == Approx(5000 + std::log(3.0)));
  for (const double weight : draws.weights) CHECK(std::isfinite(weight));
}
