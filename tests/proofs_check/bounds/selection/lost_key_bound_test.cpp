#include "proofs_check/bounds/selection/lost_key_bound.hpp"

#include "estimators/collision_scores.hpp"
#include "estimators/population/weights.hpp"
#include "estimators/selection.hpp"
#include "proofs_check/bounds/score_difference.hpp"
#include "sim/families.hpp"
#include "sim/trial_loop.hpp"
#include "tests/numbers.hpp"
#include "tests/threads.hpp"

using namespace skt;

namespace {

// Keys in the plane, at angles to the query.
Instance in_the_plane(const std::vector<double>& angles) {
  Instance instance{"plane", Vector{{1.0, 0.0}}, Matrix(std::ssize(angles), 2), Matrix::Ones(std::ssize(angles), 1)};
  for (Index j = 0; j < std::ssize(angles); ++j) {
    instance.keys(j, 0) = std::cos(angles[j]);
    instance.keys(j, 1) = std::sin(angles[j]);
  }
  return instance;
}

Instance needle_among(Index keys) {
  return make_instance({.family = InstanceFamily::needle, .keys = keys, .dim = 16, .needle_cosine = 0.8}, Seed{3}, 0);
}

// The theorem's sum, over every competitor by itself.
double plain_sum(const Instance& instance, const PopulationParameters& parameters, Index tables, Index key) {
  const Vector q = instance.query.normalized(), kept = instance.keys.row(key).normalized();
  const auto place = [&](const Vector& unit) {
    const double rho = q.dot(unit);
    return std::pair{rho / std::sqrt(1 - rho * rho), Vector((unit - rho * q).normalized())};
  };
  const auto [key_cotangent, key_turn] = place(kept);
  double sum = 0;
  for (Index i = 0; i < instance.num_keys(); ++i) {
    if (i == key) continue;
    const auto [cotangent, turn] = place(instance.keys.row(i).normalized());
    sum += std::pow(ScoreDifference(parameters, {cotangent, turn.dot(key_turn), key_cotangent}).least_moment(),
                    real(tables));
  }
  return sum;
}

}  // namespace

TEST_CASE("Theorem 11 by hand: one competitor on the other side of the query, hard planes", "[unit]") {
  // Angles .5 and -2: of one table +1 with probability .5/pi and -1 with 2/pi; five tables.
  const Instance two = in_the_plane({0.5, -2});
  PopulationParameters parameters{.query_norm = 1, .temperature = 1e-10, .dim = 2, .planes = 1};
  const double root = std::sqrt(2 / kPi) - std::sqrt(0.5 / kPi), expected = std::pow(1 - root * root, 5);

  CHECK(std::abs(lost_key_bound(two, parameters, 5, 1, 0) - expected) <= 1e-8);
  CHECK(lost_key_bound(two, parameters, 5, 1, 1) == 1);  // the farther key loses more often than not
}

TEST_CASE("The sum counts every competitor, and half of it falls on a budget of two", "[unit]") {
  // Three copies of one competitor: three times its probability over the budget.
  const PopulationParameters parameters{.query_norm = 1, .temperature = 1e-10, .dim = 2, .planes = 1};
  const double one = lost_key_bound(in_the_plane({0.5, -2}), parameters, 30, 1, 0);

  CHECK(std::abs(lost_key_bound(in_the_plane({-2, 0.5, -2, -2}), parameters, 30, 1, 1) / one - 3) <= 1e-12);
  CHECK(std::abs(lost_key_bound(in_the_plane({-2, 0.5, -2, -2}), parameters, 30, 2, 1) / one - 1.5) <= 1e-12);
}

TEST_CASE("Groups of competitors add a tenth to their plain sum at most, whatever the threads", "[unit]") {
  const Instance instance = needle_among(400);
  const PopulationParameters parameters = population_parameters(instance, 6, 0.4, Scaling::inverse_sqrt_dim);
  const Index needle = 200;
  for (const Index tables : {20, 60}) {
    const double plain = plain_sum(instance, parameters, tables, needle) / 40;
    const LostKey grouped = lost_key(instance, parameters, tables, 40, needle);

    CHECK(grouped.evaluated < 399);
    CHECK(grouped.probability >= plain * (1 - 1e-9));
    CHECK(grouped.probability <= plain * 1.2);  // a tenth of the sum and the rounding of the places
    const Threads one(1);
    CHECK(lost_key(instance, parameters, tables, 40, needle).probability == grouped.probability);
  }
}

TEST_CASE("A key is not lost more often than the bound says", "[unit]") {
  const Instance instance = needle_among(30);
  const Index needle = 15, tables = 12, budget = 6;
  const PopulationParameters parameters = population_parameters(instance, 3, 0.4, Scaling::inverse_sqrt_dim);
  struct Count {
    std::uint64_t lost = 0;
    void merge(const Count& later) { lost += later.lost; }
  };
  constexpr std::uint64_t kTrials = 4000;
  const Count count = run_trials(kTrials, Count{}, [&](std::uint32_t trial, Count& c) {
    const Hyperplanes planes = draw_hyperplanes(Seed{8}, trial, tables, 3, 16);
    const Vector scores = soft_scores(planes, hash_keys(planes, instance.keys), instance.query, {0.4});
    c.lost += (scores.array() > scores(needle)).count() >= budget;
  });
  const double bound = lost_key_bound(instance, parameters, tables, budget, needle);

  CHECK(bound < 1);
  CHECK(real(count.lost) / real(kTrials) <= bound);
}

TEST_CASE("A key among copies of itself has no bound, and one that cannot be lost is not", "[unit]") {
  const Instance copies = make_instance({.family = InstanceFamily::copies, .copies = 9, .angle = 1}, Seed{1}, 0);
  const PopulationParameters parameters = population_parameters(copies, 4, 0.5, Scaling::inverse_sqrt_dim);

  CHECK(lost_key_bound(copies, parameters, 60, 8, 8) == 1);
  CHECK(lost_key_bound(copies, parameters, 60, 9, 8) == 0);
}

TEST_CASE("Zero keys are orthogonal to the query and each other's copies", "[unit]") {
  Instance zeros = in_the_plane({0.2, 1, 1});
  zeros.keys.bottomRows(2).setZero();
  const PopulationParameters parameters{.query_norm = 1, .temperature = 1e-10, .dim = 2, .planes = 1};
  // Against the key at .2: it alone misses with probability .1/pi and the zero key alone with (1 - .2/pi)/2.
  const double alone = 0.1 / kPi, other = (1 - 0.2 / kPi) / 2;
  const double moment = 1 - std::pow(std::sqrt(other) - std::sqrt(alone), 2);

  CHECK(std::abs(lost_key_bound(zeros, parameters, 20, 1, 0) / (2 * std::pow(moment, 20)) - 1) <= 1e-7);
  CHECK(lost_key_bound(zeros, parameters, 20, 1, 1) == 1);
}

TEST_CASE("A loss that is not defined is refused", "[unit]") {
  const Instance two = in_the_plane({0.5, -2});
  const PopulationParameters parameters{.query_norm = 1, .temperature = 0.5, .dim = 2, .planes = 1};

  CHECK_THROWS_AS(lost_key_bound(two, parameters, 0, 1, 0), InputError);
  CHECK_THROWS_AS(lost_key_bound(two, parameters, 5, 0, 0), InputError);
  CHECK_THROWS_AS(lost_key_bound(two, parameters, 5, 3, 0), InputError);
  CHECK_THROWS_AS(lost_key_bound(two, parameters, 5, 1, 2), InputError);
  CHECK_THROWS_AS(lost_key_bound(two, parameters, 5, 1, -1), InputError);
}
