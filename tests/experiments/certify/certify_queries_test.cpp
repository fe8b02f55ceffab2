#include "experiments/certify/certify_queries.hpp"

#include <atomic>

#include "estimators/occupancy.hpp"
#include "tests/catch.hpp"
#include "tests/experiments/certify/two_heads.hpp"

using namespace skt;

TEST_CASE("Every query is certified with the keys, targets and draws of its own", "[unit]") {
  const TwoHeads heads;
  AttendProblem problem(heads.files());
  const CertifyPlan plan = toy_plan();
  LoadedGroups groups(problem, plan);
  const RedrawsOfGroups redraws = assemble_redraws(groups, run_in_order(redraw_parts(groups, Seed{5})));
  const Hyperplanes hyperplanes = draw_hyperplanes(Seed{5}, 0, plan.setting.tables, plan.setting.planes, 3);
  std::atomic<std::uint64_t> told = 0;

  const auto results =
      certify_queries(groups, hyperplanes, Seed{5}, redraws, [&told](std::uint64_t work) { told += work; });

  REQUIRE(results.size() == 4);
  for (Index i = 0; i < 4; ++i) {
    CHECK(results[i].query == i);
    CHECK(results[i].head == i / 2);
    CHECK(results[i].key_head == i / 2);
    CHECK(results[i].keys == (i < 2 ? 5 : 4));
    const LoadedGroup& group = groups.at(i / 2);
    Instance instance = group.keys_and_values;
    instance.query = problem.query(i);
    const Certificate alone = certify(
        instance, plan, targets_of(instance, plan.setting), hyperplanes, hash_keys(hyperplanes, instance.keys),
        half_space_occupancy_at_least(instance.keys, Seed{1}), redraws[i / 2][i % 2], derive_seed(Seed{5}, 3 + 2 * i));
    REQUIRE(results[i].certificate.numbers.size() == alone.numbers.size());
    for (std::size_t n = 0; n < alone.numbers.size(); ++n)
      CHECK(results[i].certificate.numbers[n].value == alone.numbers[n].value);
  }
  // The redraws that came beforehand are not told again.
  CHECK(told <= certify_work(groups));
  CHECK(told > 0);
}
