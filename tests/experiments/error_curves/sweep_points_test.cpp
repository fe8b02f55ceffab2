#include "experiments/error_curves/sweep_points.hpp"

#include <algorithm>

#include "tests/catch.hpp"

using namespace skt;

namespace {

SweepPlan sweep_of_20_keys(Axis axis, std::vector<double> values) {
  SweepPlan plan;
  plan.family.keys = 20;
  plan.family.dim = 4;
  plan.setting.planes = 2;
  plan.axis = axis;
  plan.values = std::move(values);
  return plan;
}

}  // namespace

TEST_CASE("A point is the same whatever was asked before it", "[unit]") {
  const std::vector<SweepPlan> plans{sweep_of_20_keys(Axis::tables, {4, 8}), sweep_of_20_keys(Axis::keys, {10, 20}),
                                     sweep_of_20_keys(Axis::temperature, {0.1, 1}),
                                     sweep_of_20_keys(Axis::planes, {1, 3})};
  std::vector<PointAddress> addresses;
  for (std::size_t p = 0; p < plans.size(); ++p)
    for (const double value : plans[p].values) addresses.push_back({p, value});

  for (const PointAddress& before : addresses) {
    for (const PointAddress& asked : addresses) {
      SweepPoints used(plans, Seed{3}), fresh(plans, Seed{3});
      used.at(before);
      const SweepPoints::Point point = used.at(asked), alone = fresh.at(asked);

      INFO("plan " << asked.plan << " at " << asked.value << " after plan " << before.plan << " at " << before.value);
      CHECK(point.instance.keys == alone.instance.keys);
      CHECK(point.centre.population_output == alone.centre.population_output);
      CHECK(point.centre.epsilon == alone.centre.epsilon);
      CHECK(point.setting.tables == alone.setting.tables);
      CHECK(point.setting.planes == alone.setting.planes);
      CHECK(point.seed.value == alone.seed.value);
    }
  }
}

TEST_CASE("Tables are drawn anew for every value and every second value, on one instance", "[unit]") {
  SweepPlan second = sweep_of_20_keys(Axis::tables, {4, 8}), other = second;
  second.second = SecondAxis{Axis::planes, 2};
  other.second = SecondAxis{Axis::planes, 3};
  SweepPoints points({sweep_of_20_keys(Axis::tables, {4, 8}), second, other}, Seed{3});

  std::vector<std::uint64_t> seeds;
  for (std::size_t plan = 0; plan < 3; ++plan)
    for (const double value : {4.0, 8.0}) seeds.push_back(points.at({plan, value}).seed.value);

  std::sort(seeds.begin(), seeds.end());
  CHECK(std::unique(seeds.begin(), seeds.end()) == seeds.end());
}
