#include "estimators/metrics/selection_prediction.hpp"

#include "estimators/collision_scores.hpp"
#include "estimators/metrics/kept_by_selection.hpp"
#include "estimators/peers/reference_rankings.hpp"
#include "estimators/population/weights.hpp"
#include "sim/families.hpp"
#include "sim/statistics/moments.hpp"
#include "tests/numbers.hpp"

using namespace skt;

namespace {

constexpr PredictedScore kScores[] = {PredictedScore::soft, PredictedScore::soft_times_norm, PredictedScore::hard};

// Two keys at a right angle to the query, where all scores are alike: each is selected with probability 1/2.
Instance two_alike() {
  Instance two{"two", Vector{{1.0, 0.0}}, Matrix::Zero(2, 2), Matrix(2, 2)};
  two.keys << 0, 1, 0, -2;
  two.values << 3, 4, 0, 5;
  return two;
}

PopulationParameters parameters_of(const Instance& instance) {
  return population_parameters(instance, 4, 0.5, Scaling::inverse_sqrt_dim);
}

Instance gaussian(Index keys, Index dim, std::uint32_t trial) {
  return make_instance({.keys = keys, .dim = dim}, Seed{1}, trial);
}

}  // namespace

TEST_CASE("Of two keys that are alike either is kept: half of the mass is missed, the error is the mean distance",
          "[unit]") {
  // y = (3/2, 9/2); both values are at distance sqrt(1.5^2 + .5^2) from it, which is the error of either choice; and
  // ybar = y, so that the formula gives sum 1/4 * 1/4 |v - y|^2 / (1/2)^2 = (2.5 + 2.5)/4 = 1.25.
  const Instance two = two_alike();
  for (const PredictedScore score : kScores) {
    const PredictedSelection predicted = predict_selection(two, parameters_of(two), 9, 1, score);
    CHECK(predicted.inclusion[0] == Approx(0.5).epsilon(1e-12));
    CHECK(predicted.missed_mass == Approx(0.5).epsilon(1e-12));
    CHECK(predicted.recall == Approx(0.5).epsilon(1e-12));
    CHECK(predicted.output_error == Approx(std::sqrt(1.25)).epsilon(1e-12));
  }
}

TEST_CASE("With every key selected nothing is missed", "[unit]") {
  const Instance instance = gaussian(40, 8, 0);
  for (const PredictedScore score : kScores) {
    const PredictedSelection all = predict_selection(instance, parameters_of(instance), 10, 40, score);
    CHECK(all.recall == 1);
    CHECK(all.missed_mass == 0);
    CHECK(all.output_error <= 1e-14);  // two averages of 40 values in different order
  }
}

TEST_CASE("No more than the whole mass is missed, whichever way its sum is rounded", "[unit]") {
  // Keys along the query have the whole softmax and values of length 0, so that two others are selected: what is missed
  // is n times 1/n, for these n rounded to above 1 whether it is added in order or in 2, 4 or 8 lanes.
  for (const Index n : {169, 250, 307}) {
    Instance instance{"all missed", Vector{{200.0, 0.0}}, Matrix::Zero(n + 2, 2), Matrix::Zero(n + 2, 1)};
    instance.keys.col(0).head(n).setOnes();
    instance.keys.col(1).tail(2).setOnes();
    instance.values.bottomRows(2).setOnes();

    const PredictedSelection predicted =
        predict_selection(instance, parameters_of(instance), 1000, 1, PredictedScore::soft_times_norm);

    REQUIRE((predicted.inclusion.head(n).array() == 0).all());
    CHECK(predicted.missed_mass <= 1);
    CHECK(predicted.missed_mass >= 1 - 1e-12);
  }
}

TEST_CASE("A key whose value is zero is not selected by score times norm, and the unit of the values is free",
          "[unit]") {
  Instance instance = gaussian(30, 8, 1);
  instance.values.row(7).setZero();
  const PopulationParameters p = parameters_of(instance);
  const PredictedSelection once = predict_selection(instance, p, 10, 5, PredictedScore::soft_times_norm);
  instance.values *= 1000;
  const PredictedSelection larger = predict_selection(instance, p, 10, 5, PredictedScore::soft_times_norm);

  CHECK(once.inclusion[7] == 0);
  CHECK((larger.inclusion - once.inclusion).cwiseAbs().maxCoeff() <= 1e-12);
  CHECK(larger.output_error == Approx(1000 * once.output_error).epsilon(1e-12));
}

TEST_CASE("Several budgets are predicted as each alone, and more keys recall no smaller share of the mass", "[unit]") {
  const Instance instance = gaussian(200, 16, 2);
  for (const PredictedScore score : kScores) {
    const auto several = predict_selections(instance, parameters_of(instance), 20, {5, 20, 100}, score);
    REQUIRE(several.size() == 3);
    CHECK(several[1].inclusion == predict_selection(instance, parameters_of(instance), 20, 20, score).inclusion);
    CHECK(several[0].missed_mass > several[1].missed_mass);
    CHECK(several[1].missed_mass > several[2].missed_mass);
  }
}

TEST_CASE("Simulated tables recall and miss what is predicted", "[oracle]") {
  // The recall and the mass within the .02 and .01 that are claimed of larger instances, and five deviations of the
  // mean over instances and tables.
  constexpr Index kTables = 60, kBudget = 128;
  Moments soft_recall, hard_recall, soft_mass;
  for (std::uint32_t trial = 0; trial < 48; ++trial) {
    Instance instance = gaussian(1024, 32, trial);
    const PopulationParameters p = population_parameters(instance, 6, 0.5, Scaling::inverse_sqrt_dim);
    const PredictedSelection soft = predict_selection(instance, p, kTables, kBudget, PredictedScore::soft);
    const PredictedSelection hard = predict_selection(instance, p, kTables, kBudget, PredictedScore::hard);
    const Hyperplanes planes = draw_hyperplanes(Seed{3}, trial, kTables, 6, 32);
    const KeyCodes codes = hash_keys(planes, instance.keys);
    const Vector soft_score = soft_scores(planes, codes, instance.query, {});
    const Vector hard_score = hard_scores(planes, codes, instance.query);
    const DenseTruth truth(std::move(instance), random_scores(1024, Seed{4}, trial));
    const auto kept = [&](const Vector& scores) {
      return truth.kept_of_first(order_by_score(scores, truth.tickets()), kBudget, kBudget);
    };
    soft_recall.add(kept(soft_score).recall - soft.recall);
    hard_recall.add(kept(hard_score).recall - hard.recall);
    soft_mass.add(1 - kept(soft_score).mass - soft.missed_mass);
  }

  CHECK(std::abs(soft_recall.mean()) <= 0.02 + 5 * soft_recall.deviation_of_mean());
  CHECK(std::abs(hard_recall.mean()) <= 0.02 + 5 * hard_recall.deviation_of_mean());
  CHECK(std::abs(soft_mass.mean()) <= 0.01 + 5 * soft_mass.deviation_of_mean());
  CHECK(soft_recall.deviation_of_mean() <= 0.01);
}

TEST_CASE("A zero key counts as orthogonal, a zero query too", "[unit]") {
  Instance instance = gaussian(10, 4, 3);
  instance.keys.row(2).setZero();
  CHECK(key_cosines(instance)[2] == 0);
  instance.query.setZero();
  CHECK(key_cosines(instance).isZero(0));
}

TEST_CASE("A prediction out of range is refused", "[unit]") {
  const Instance instance = gaussian(10, 4, 0);
  const PopulationParameters p = parameters_of(instance);
  PopulationParameters other = p;
  other.dim = 5;
  for (const PredictedScore score : kScores) {
    CHECK_THROWS_AS(predict_selection(instance, p, 10, 0, score), InputError);
    CHECK_THROWS_AS(predict_selection(instance, p, 10, 11, score), InputError);
    CHECK_THROWS_AS(predict_selection(instance, p, 0, 5, score), InputError);
    CHECK_THROWS_AS(predict_selection(instance, other, 10, 5, score), InputError);
  }
  CHECK_THROWS_AS(predict_selection(gaussian(0, 4, 0), p, 10, 1, PredictedScore::soft), InputError);
}
