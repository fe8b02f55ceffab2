#include "gpu/check/references/rest.hpp"

#include <cmath>
#include <limits>
#include <vector>

#include "gpu/functors/rest_sample.hpp"
#include "sim/randomness.hpp"
#include "tests/catch.hpp"

using namespace skt;
using namespace skt::gpu;

namespace {

constexpr float kForbidden = -std::numeric_limits<float>::infinity();

bool holds(const ScoreInterval& of, double number) {
  return of.low <= number && number <= of.high;
}

// 10 keys: sink 0, window 9, listed candidates 2 (8) and 5 (4); 3 is forbidden, 1 and 7 tie with 5. The rest and 5 weigh
// 4 + 1 + 4 + 2 + 4 + 1.
const std::vector<float> kScores = {9, 4, 8, kForbidden, 1, 4, 2, 4, 1, 7};
// Of a group 2^-10 of it. In units of 2^-22 of 4, one more to a key: 2^24 + 6.
const std::vector<float> kWeights = [] {
  std::vector<float> weights = kScores;
  for (float& weight : weights) weight *= 0x1p-10f;
  return weights;
}();
const float kRate = 3 * 0x1p30f / 16777222;
const std::vector<std::int32_t> kList = {0, 2, 5, 9};

RestRow row_of_group() {
  return {kWeights, std::vector<float>{99, 1, 5, 1, 3, 2, 1, 1, 1, 99}, kList, 1, 1, true, 0};
}

}  // namespace

TEST_CASE("the twin draws the keys of the rest by their words", "[unit][gpu]") {
  int drawn = 0;
  for (std::uint32_t step = 0; step < 400; ++step) {
    const TwinRest rest = twin_rest(row_of_group(), {3, 11, 6, step});

    CHECK(rest.candidates == 6);  // 1, 4, 5, 6, 7, 8
    CHECK(rest.rate == kRate);
    CHECK(rest.norm == 5);                           // outside sink and window, listed or not
    CHECK(rest.score == 4 * 1.0078125f * 0x1p-10f);  // the next bin's lowest: bins are a 128th wide
    std::vector<std::int32_t> expected;
    std::uint32_t with_listed = 0;
    for (const std::int32_t key : {1, 4, 5, 6, 7, 8}) {
      const auto words = [&](std::uint32_t table, int block) {
        return random_words(Seed{11}, {Role::rest_sample, step, table, 6, static_cast<std::uint32_t>(block)});
      };
      std::uint32_t word = words(0, key / 4)[key % 4] % (1u << 24);
      for (int bit = 0; bit < 8; ++bit) word |= (words(1, bit / 4)[bit % 4] >> key & 1u) << (31 - bit);
      const double probability = kWeights[key] * double{kRate};  // 3/4 to a weight of 4 * 2^-10, but for 4e-7 of it
      if (word > probability * 0x1p32) continue;
      ++with_listed;
      if (key != 5) expected.push_back(key);
    }
    CHECK(rest.keys == expected);
    CHECK(rest.drawn == with_listed);
    drawn += static_cast<int>(rest.keys.size());
  }
  CHECK(std::abs(drawn - 400 * 12 * 3 / 16) < 6 * 15);  // 900, standard deviation 24
}

TEST_CASE("a rest that is no larger than the sample is the twin's whole sample", "[unit][gpu]") {
  const TwinRest rest = twin_rest(row_of_group(), {6, 11, 6, 0});
  CHECK(rest.keys == std::vector<std::int32_t>{1, 4, 6, 7, 8});
  CHECK(rest.last == std::vector<std::uint32_t>(5, kCertain));
}

TEST_CASE("scores of one head are weighed against the least listed candidate", "[unit][gpu]") {
  RestRow row = row_of_group();
  row.scores = kScores;
  row.of_group = false;
  row.weight_scale = 0.5f;  // a score of 1 is half an octave: 1, 2^-1.5, 2^-1, 1, 2^-1.5 and the tie's 1
  const TwinRest rest = twin_rest(row, {3, 11, 6, 0});
  CHECK(rest.normaliser == 4 * 0.5f * kOctaveSteps);
  const double sum = 3 + 0.5 + 2 * std::exp2(-1.5);
  CHECK(rest.rate <= 3 / sum);
  CHECK(rest.rate >= 3 / ((sum + 6 * 0x1p-22) * (1 + kPowerError)));
}

TEST_CASE("a key of sink or window that scores NaN is of the rest", "[unit][gpu]") {
  RestRow row = row_of_group();
  row.scores[9] = std::numeric_limits<float>::quiet_NaN();
  const std::vector<std::int32_t> list = {0, 2, 5};
  row.list = list;
  const TwinRest rest = twin_rest(row, {3, 11, 6, 0});
  CHECK(rest.candidates == 7);
  REQUIRE_FALSE(rest.keys.empty());
  CHECK(rest.keys.back() == 9);
  CHECK(rest.last.back() == kCertain);
}

TEST_CASE("results lie in their intervals, and lies near them do not", "[unit][gpu]") {
  CheckCase c;
  c.operation = Operation::decode_rest;
  c.keys = 60;
  c.tables = 8;
  c.dim = 32;
  c.fit_capacity();
  const Problem problem = make_problem(c);
  TwinRest rest;
  rest.keys = {3, 17, 40};
  rest.last = {0x3fffffffu, 0x7fffffffu, kCertain};  // probabilities 1/4, 1/2 and 1
  rest.candidates = 50;
  rest.rate = 0.5f;
  rest.norm = 8;
  rest.score = 30;
  rest.normaliser = 200;
  const RestHead head = {2.5f, 0, 1.5f};
  const RestPlan plan = {10, 0.1f, 0.2f};
  const std::vector<float> output(c.dim, 0.25f);
  const ExactRest exact = exact_rest(c, problem, 0, rest, head, plan, output);

  const Vector query = row_of(problem.queries, 0, c.dim);
  const auto f = [&](std::int64_t key) {
    return std::exp(query.dot(row_of(problem.keys, key, c.dim)) / std::sqrt(32.0) - 2.5);
  };
  const double x = 4 * f(3), y = 2 * f(17), z = f(40), all = x + y + z;
  // In octaves: 1/sqrt(dim) |q| times the radius, 2^-10 of the norm for 64 projections, 2^-22 of the score.
  const double bits = 64, weight = std::numbers::log2e * std::sqrt(std::numbers::pi / 2) / bits;
  const double cosine = 0.2 + (1 + 13 + 8 + 8 + 16) * 0x1p-24 * 2 * std::sqrt(32.0) * std::sqrt(std::numbers::pi / 2);
  const double norm = 8 * (1 + 0x1p-10) + 0x1p-24;
  const double of_length = std::numbers::log2e / std::sqrt(32.0) * cosine * query.norm();
  const double octaves = norm * (of_length + weight * bits * 1.5 * 0x1p-10) + 200 / 128.0 - 2.5 * std::numbers::log2e +
                         weight * 30 * 0x1p-22;
  const double b = std::exp2(octaves) / 0.5 * 1.02 * 1.0001;
  REQUIRE(x < b);
  REQUIRE(y < b);
  const auto limit = [&](double level, double large, double small, double first, double second) {
    const auto of_bet = [&](double bet) {
      return (level - std::log(1 - bet * first / b) - std::log(1 - bet * second / b)) / bet;
    };
    return z + b * std::min(of_bet(large), of_bet(small));
  };
  const auto share = [](double of) { return of / (1 + of); };
  const double level = std::log(2 / 0.1), true_limit = limit(level, 0.8, 0.2, x, y);

  CHECK_FALSE(exact.may_be_unknown);
  CHECK(holds(exact.weight, share(all)));
  CHECK_FALSE(holds(exact.weight, share(f(3) + f(17) + z)));  // probabilities not divided out
  CHECK(holds(exact.limit, share(true_limit)));
  CHECK_FALSE(holds(exact.limit, share(limit(std::log(1 / 0.1), 0.8, 0.2, x, y))));  // delta not divided
  CHECK_FALSE(holds(exact.limit, share(limit(level, 1.0, 0.2, x, y))));              // a bet of 1/b
  CHECK_FALSE(holds(exact.limit, share(limit(level, 0.8, 0.2, f(3), f(17)))));
  const double root = std::sqrt(x * x * 0.75 + y * y * 0.5);
  CHECK(holds(exact.nominal, share(all + 1.2815515655 * root)));
  CHECK_FALSE(holds(exact.nominal, share(all + 1.2815515655 * std::sqrt(x * x + y * y))));
  for (std::int64_t d = 0; d < c.dim; ++d) {
    const auto value = [&](std::int64_t key) { return double{problem.values[key * c.dim + d]}; };
    const double corrected = (0.25 + x * value(3) + y * value(17) + z * value(40)) / (1 + all);
    CHECK(std::abs(corrected - exact.output[d]) <= exact.tolerance[d]);
    CHECK(exact.tolerance[d] < 1e-4);
  }

  rest.norm = 70000;
  CHECK(exact_rest(c, problem, 0, rest, head, plan, output).must_be_unknown);
}
