#include "experiments/error_curves/sweep_request.hpp"

#include "experiments/error_curves/sweep_rows.hpp"
#include "tests/catch.hpp"
#include "tests/experiments/refusal.hpp"

using namespace skt;

namespace {

SweepRequest small() {
  SweepRequest request;
  request.axis = "tables";
  request.plan.values = {2, 4};
  request.plan.family.keys = 40;
  request.plan.family.dim = 8;
  request.plan.setting.planes = 3;
  request.plan.effort = {2, 1};
  return request;
}

std::string refused(const SweepRequest& request) {
  return refusal([&] { plans_of(request); });
}

}  // namespace

TEST_CASE("A sweep is asked for each family and each value of the second axis, and they share the error", "[unit]") {
  SweepRequest request = small();
  request.families = {"gaussian", "needles"};
  request.axis2 = "planes";
  request.values2 = {2, 5, 6};
  request.plan.family_error = 0.06;

  const std::vector<SweepPlan> plans = plans_of(request);

  REQUIRE(plans.size() == 6);
  CHECK(plans[0].family.family == InstanceFamily::gaussian);
  CHECK(plans[3].family.needles == 8);
  CHECK(plans[4].setting.planes == 5);
  CHECK(plans[4].second.value().value == 5);
  for (const SweepPlan& plan : plans) CHECK(plan.family_error == 0.01);
}

TEST_CASE("Asked for alone, a sweep has no second axis, and the norm of the query is as drawn unless given", "[unit]") {
  SweepRequest request = small();
  const std::vector<SweepPlan> drawn = plans_of(request);
  request.query_norm = 3;

  REQUIRE(drawn.size() == 1);
  CHECK_FALSE(drawn.front().second);
  CHECK_FALSE(drawn.front().family.query_norm);
  CHECK(plans_of(request).front().family.query_norm.value() == 3);
}

TEST_CASE("Words and numbers that no sweep has are refused", "[unit]") {
  SweepRequest request = small();
  request.axis2 = "planes";
  CHECK(refused(request) == "--axis2 and --values2: allowed are both or neither");
  request.axis2 = "tables";
  request.values2 = {2};
  CHECK(refused(request) == "--axis2 tables: allowed is another one than --axis");
  request = small();
  request.plan.values = {};
  CHECK(refused(request) == "--values: at least one is needed");
}

TEST_CASE("Verdicts that are refuted are counted over all sweeps", "[unit]") {
  SweepResult result;
  result.points.resize(2);
  result.points[0].terms.total.verdict = Verdict::refuted;
  result.points[1].terms.total.verdict = Verdict::not_refuted;

  CHECK(refuted_intervals({result, result}) == 2);
}
