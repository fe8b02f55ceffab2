#include "experiments/certify/certify_queries.hpp"

#include <algorithm>
#include <atomic>

#include "estimators/occupancy.hpp"
#include "tests/catch.hpp"
#include "tests/experiments/certify/two_heads.hpp"

using namespace skt;

namespace {

std::string query_rows(const CertifyPlan& plan, const QueryCertificate& query) {
  return certificate_table(plan, {query}).text();
}

}  // namespace

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

TEST_CASE("A time limit leaves queries out and changes none", "[unit]") {
  const TwoHeads heads;
  AttendProblem problem(heads.files());
  const CertifyPlan plan = toy_plan();
  LoadedGroups groups(problem, plan);
  const RedrawsOfGroups redraws = assemble_redraws(groups, run_in_order(redraw_parts(groups, Seed{5})));
  const Hyperplanes hyperplanes = draw_hyperplanes(Seed{5}, 0, plan.setting.tables, plan.setting.planes, 3);
  const auto all = certify_queries(groups, hyperplanes, Seed{5}, redraws, [](std::uint64_t) {});
  const auto within = [&](double limit) {
    double now = 100;  // each query takes 10 s: 5 for its one block of pairs, 5 for the rest
    return certify_queries(groups, hyperplanes, Seed{5}, redraws, [&now](std::uint64_t) { now += 5; },
                           {.limit = limit, .seconds = [&now] { return now; }});
  };

  const auto two = within(125);  // a third would end at 130
  REQUIRE(two.size() == 2);      // the first two of 0, 3, 2, 1
  CHECK(two[0].query == 0);
  CHECK(two[1].query == 3);
  for (const QueryCertificate& q : two) CHECK(query_rows(plan, q) == query_rows(plan, all[q.query]));
  CHECK(within(1).size() == 1);
  CHECK(within(130).size() == 3);
  CHECK(within(1000).size() == 4);
}

TEST_CASE("However few queries are taken, they are spread evenly", "[unit]") {
  CHECK(spread_order(1) == std::vector<Index>{0});
  CHECK(spread_order(8) == std::vector<Index>{0, 5, 2, 7, 4, 1, 6, 3});  // 8/1.618 = 4.94
  const std::vector<Index> order = spread_order(72);
  for (const Index few : {3, 9, 12, 40}) {
    std::vector<Index> first(order.begin(), order.begin() + few);
    std::sort(first.begin(), first.end());
    Index widest = first.front() + 72 - first.back();
    for (std::size_t i = 1; i < first.size(); ++i) widest = std::max(widest, first[i] - first[i - 1]);
    INFO(few);
    CHECK(widest <= 3 * 72 / few);  // three gaps, the widest 1 + 1/.618 = 2.6 of the narrowest at most
  }
}
