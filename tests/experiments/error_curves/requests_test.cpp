#include "experiments/error_curves/requests.hpp"

#include "tests/catch.hpp"
#include "tests/experiments/families/heads_file.hpp"
#include "tests/experiments/refusal.hpp"
#include "tests/experiments/temporary_folder.hpp"

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
  return refusal([&] { plans_of(request, Seed{1}); });
}

}  // namespace

TEST_CASE("A sweep is asked for each family and each value of the second axis, and they share the error", "[unit]") {
  SweepRequest request = small();
  request.families = {"gaussian", "needles"};
  request.axis2 = "planes";
  request.values2 = {2, 5, 6};
  request.plan.family_error = 0.06;

  const std::vector<SweepPlan> plans = plans_of(request, Seed{1});

  REQUIRE(plans.size() == 6);
  CHECK(plans[0].family.family == InstanceFamily::gaussian);
  CHECK(plans[3].family.needles == 8);
  CHECK(plans[4].setting.planes == 5);
  CHECK(plans[4].second.value().value == 5);
  for (const SweepPlan& plan : plans) CHECK(plan.family_error == 0.01);
}

TEST_CASE("Asked for alone, a sweep has no second axis, and the norm of the query is as drawn unless given", "[unit]") {
  SweepRequest request = small();
  const std::vector<SweepPlan> drawn = plans_of(request, Seed{1});
  request.query_norm = 3;

  REQUIRE(drawn.size() == 1);
  CHECK_FALSE(drawn.front().second);
  CHECK_FALSE(drawn.front().family.query_norm);
  CHECK(drawn.front().setting.samples == 0);  // a tenth of the keys
  CHECK(plans_of(request, Seed{1}).front().family.query_norm.value() == 3);
}

TEST_CASE("A sweep of the learned family is of one instance, which the seed draws and its parameters name", "[unit]") {
  const TemporaryFolder folder;
  SweepRequest request = small();
  request.families = {"learned", "learned-2-1", "gaussian"};
  request.of_families.learned_file = write_two_key_heads(folder.path);

  const std::vector<SweepPlan> plans = plans_of(request, Seed{4});

  const auto [head, query] = learned_place(plans[0].family, Seed{4}, 0);
  CHECK(name_of(plans[0].family) == fmt::format("learned-{}-{}", head, query));
  CHECK(plans[0].family.keys == 4 + query);
  CHECK(name_of(plans[1].family) == "learned-2-1");
  CHECK(instance_of(plans[1], Seed{4}).values == Matrix{{100}, {101}, {102}, {103}, {104}});
  CHECK(plans[1].family.keys == 5);
  CHECK(plans[2].family.keys == 40);
}

TEST_CASE("Keys and dim are asked for in words of the request, and not of the learned family", "[unit]") {
  const TemporaryFolder folder;
  SweepRequest request = small();
  request.of_families = {.keys = 12, .dim = 6, .learned_file = write_two_key_heads(folder.path)};

  CHECK(plans_of(request, Seed{1}).front().family.keys == 12);
  CHECK(plans_of(request, Seed{1}).front().family.dim == 6);
  request.families = {"learned"};
  CHECK(refused(request) == "--keys: the family learned has the size that its file sets; allowed is to leave it out");
  request.of_families.keys.reset();
  request.of_families.dim.reset();
  request.axis = "dim";
  request.plan.values = {2};
  CHECK(refused(request).starts_with("the axis dim with --families learned-"));
  request.axis = "keys";
  CHECK(refused(request).ends_with(": its file sets keys and dim; allowed are other axes or families"));
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
