#include "experiments/choose/choose.hpp"

#include <limits>

#include "tests/catch.hpp"
#include "tests/experiments/choose/own_arrays.hpp"
#include "tests/experiments/refusal.hpp"

using namespace skt;
using Catch::Matchers::ContainsSubstring;
using Catch::Matchers::WithinAbs;

namespace {

constexpr double kClose = 1e-14;

MeasuredRule of_one_rule(const FourWeights& arrays, const ChoosePlan& plan, const std::vector<double>& own = {}) {
  AttendProblem problem = arrays.problem();
  ChooseInput input{problem, std::nullopt, {}};
  if (!own.empty()) input.own_scores = FourWeights::array("scores", {1, 4}, own);
  return measure_rules(input, plan).front();
}

ChoosePlan plan_of(const std::string& rule, std::vector<Index> budgets) {
  ChoosePlan plan;
  plan.rules = {rule};
  plan.budgets = std::move(budgets);
  return plan;
}

}  // namespace

TEST_CASE("Own scores select, and each budget keeps what four weights give by hand", "[unit]") {
  const MeasuredRule own = of_one_rule(FourWeights(), plan_of(kOwnScores, {1, 3}), {4, 3, 2, 1});
  REQUIRE(own.kept.size() == 2);
  CHECK(own.kept[0].keys == 1);
  CHECK_THAT(own.kept[0].mass, WithinAbs(1.0 / 15, kClose));
  CHECK(own.kept[0].recall == 0);
  CHECK_THAT(own.kept[0].error, WithinAbs(2.4 / 17.4, kClose));  // |15 - 17.4|
  CHECK_THAT(own.kept[1].mass, WithinAbs(7.0 / 15, kClose));
  CHECK_THAT(own.kept[1].recall, WithinAbs(2.0 / 3, kClose));           // keys 1 and 2 of the true 3, 2, 1
  CHECK_THAT(own.kept[1].error, WithinAbs((17.4 - 3) / 17.4, kClose));  // (15 + 2 + 4)/7
}

TEST_CASE("Sink and window come on top of the budget", "[unit]") {
  ChoosePlan plan = plan_of("oracle-top-k", {0, 1});
  plan.sink = plan.window = 1;
  const MeasuredRule best = of_one_rule(FourWeights(), plan);
  CHECK(best.kept[0].keys == 2);
  CHECK_THAT(best.kept[0].mass, WithinAbs(9.0 / 15, kClose));
  CHECK(best.kept[0].recall == 0.5);
  CHECK_THAT(best.kept[0].error, WithinAbs((255.0 / 9 - 17.4) / 17.4, kClose));
  CHECK(best.kept[1].keys == 3);
  CHECK_THAT(best.kept[1].mass, WithinAbs(13.0 / 15, kClose));
}

TEST_CASE("A mask leaves keys out of the selection and of what it is held against", "[unit]") {
  const double no = -std::numeric_limits<double>::infinity();
  const MeasuredRule best = of_one_rule(FourWeights({0, 0, 0, no}), plan_of("oracle-top-k", {1}));
  CHECK_THAT(best.kept[0].mass, WithinAbs(4.0 / 7, kClose));
  CHECK(best.kept[0].recall == 1);
  CHECK_THAT(best.kept[0].error, WithinAbs((3.0 - 1) / 3, kClose));  // dense: (15 + 2 + 4)/7
}

TEST_CASE("With the value norm a rule ranks by weight times length", "[unit]") {
  // Weight times value is 15, 2, 4 and 240; the weights alone rank key 2 second.
  const MeasuredRule plain = of_one_rule(FourWeights(), plan_of("oracle-top-k", {2}));
  const MeasuredRule valued = of_one_rule(FourWeights(), plan_of("oracle-top-k-value", {2}));
  CHECK_THAT(plain.kept[0].mass, WithinAbs(12.0 / 15, kClose));
  CHECK_THAT(valued.kept[0].mass, WithinAbs(9.0 / 15, kClose));
  CHECK(valued.bits_per_key[0] == plain.bits_per_key[0] + 16);
}

TEST_CASE("MagicPIG keeps sink and window for certain and nothing that the mask forbids", "[unit]") {
  const GaussianArrays arrays(true);
  AttendProblem problem = arrays.problem();
  ChooseInput input{problem, std::nullopt, {}};
  ChoosePlan plan = plan_of(kMagicPig, {0, 20, 100});
  plan.hash.planes = 4;
  plan.sink = 200;
  const MeasuredRule all = measure_rules(input, plan).front();
  CHECK(std::isnan(all.bits_per_key[0]));  // no density, no tables
  CHECK(all.kept[0].keys == 0);
  CHECK(all.kept[1].keys == 199);
  CHECK_THAT(all.kept[1].error, WithinAbs(0, 1e-13));
  CHECK(all.kept[2].keys == 0);  // half of the keys: more bits than the keys have
  plan.sink = 0;
  const MeasuredRule drawn = measure_rules(input, plan).front();
  CHECK(drawn.kept[1].keys > 2);
  CHECK(drawn.kept[1].keys < 100);
}

TEST_CASE("Rules, budgets and shapes that do not fit are refused", "[unit]") {
  const FourWeights arrays;
  AttendProblem problem = arrays.problem();
  ChooseInput input{problem, std::nullopt, {}};
  const auto words = [&](const ChoosePlan& plan) { return refusal([&] { measure_rules(input, plan); }); };
  CHECK_THAT(words(plan_of("sockets", {1})), ContainsSubstring("rankers: sockets: allowed are socket,"));
  CHECK_THAT(words(plan_of("random-value", {1})), ContainsSubstring("random-value"));
  CHECK_THAT(words(plan_of(kOwnScores, {1})), ContainsSubstring("needs an array of scores"));
  CHECK_THAT(words(plan_of("socket", {2, 1})), ContainsSubstring("rising"));
  CHECK_THAT(words(plan_of("socket", {})), ContainsSubstring("budget"));
  CHECK_THAT(words(plan_of("double-sparsity", {1})), ContainsSubstring("calibration: missing"));
  const std::vector<double> four{1, 2, 3, 4};
  input.own_scores = FourWeights::array("scores", {4}, four);
  CHECK_THAT(words(plan_of(kOwnScores, {1})), ContainsSubstring("scores: shape [4]; allowed is [1, 4]"));
}
