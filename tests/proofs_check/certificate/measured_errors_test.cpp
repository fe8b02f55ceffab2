#include "proofs_check/certificate/measured_errors.hpp"

#include "estimators/tables/table_sums.hpp"
#include "sim/families.hpp"
#include "tests/numbers.hpp"
#include "tests/threads.hpp"

using namespace skt;

namespace {

bool same(const DrawErrors& a, const DrawErrors& b) {
  bool all = true;
  for (const auto& [term, value] : kFunctionals) all = all && a.*value == b.*value;
  return all;
}

}  // namespace

TEST_CASE("On I-RAD every error is worked out by hand", "[unit]") {
  // Two equal keys along the query with values +1 and -1: both weights are 1/2 in every table, all three outputs are 0,
  // one sample of T is +1 or -1, and the selection of one key, the first, gives +1 with half of the mass.
  const Instance instance = make_instance({.family = InstanceFamily::rademacher, .dim = 4}, Seed{1}, 0);
  const Setting setting{.planes = 2, .tables = 3, .samples = 1, .budget = 1};
  const Hyperplanes hyperplanes = draw_hyperplanes(Seed{2}, 0, 3, 2, 4);

  const Targets targets = targets_of(instance, setting);
  const DrawnScores drawn = measure_draw(instance.query, instance.values, setting, targets, hyperplanes,
                                         hash_keys(hyperplanes, instance.keys), Seed{3}, 0);

  CHECK(drawn.errors.finite_tables == 0);
  CHECK(drawn.errors.tables_to_angular == 0);
  CHECK(drawn.errors.sampling == 1);
  CHECK(drawn.errors.total == 1);
  CHECK(drawn.selected == std::vector<Index>{0});
  CHECK(drawn.errors.selection == 1);
  CHECK(drawn.errors.missed_mass == 0.5);
  CHECK(drawn.errors.missed_top == 0);
}

TEST_CASE("The errors are distances of the outputs that sums of tables and plain loops give", "[unit]") {
  const Instance instance = make_instance({.keys = 60, .dim = 8, .value_dim = 3}, Seed{4}, 0);
  const Setting setting{.planes = 3, .tables = 7, .samples = 5, .temperature = 0.3, .budget = 6};
  const Hyperplanes hyperplanes = draw_hyperplanes(Seed{5}, 0, 7, 3, 8);
  const KeyCodes codes = hash_keys(hyperplanes, instance.keys);
  const SocketParameters parameters{setting.temperature, setting.scaling};

  const Targets targets = targets_of(instance, setting);
  const DrawnScores drawn =
      measure_draw(instance.query, instance.values, setting, targets, hyperplanes, codes, Seed{3}, 0);

  const double rounding = 1e3 * std::numeric_limits<double>::epsilon() * targets.longest_value;
  const Vector output = table_sums(hyperplanes, codes, instance.query, instance.values, parameters).output();
  CHECK(std::abs(drawn.errors.finite_tables - (output - targets.population_output).norm()) <= rounding);
  CHECK(std::abs(drawn.errors.tables_to_angular - (output - targets.angular_output).norm()) <= rounding);

  Vector dense = Vector::Zero(3), kept = Vector::Zero(3);
  double mass = 0, kept_mass = 0;
  std::vector<double> exponentials;
  for (Index j = 0; j < 60; ++j) {
    exponentials.push_back(std::exp(instance.query.dot(instance.keys.row(j)) / std::sqrt(8.0)));
    mass += exponentials.back();
    dense += exponentials.back() * instance.values.row(j).transpose();
  }
  for (const Index j : drawn.selected) {
    kept_mass += exponentials[j];
    kept += exponentials[j] * instance.values.row(j).transpose();
  }
  REQUIRE(drawn.selected.size() == 6);
  CHECK(std::abs(drawn.errors.selection - (kept / kept_mass - dense / mass).norm()) <= rounding);
  CHECK(std::abs(drawn.errors.missed_mass - (1 - kept_mass / mass)) <= rounding);
  Index missed = 0;
  for (const Index j : targets.top) {
    bool found = false;
    for (const Index selected : drawn.selected) found = found || selected == j;
    missed += !found;
  }
  CHECK(drawn.errors.missed_top == Approx(real(missed) / 6));
}

TEST_CASE("A redraw is a draw with hyperplanes of its own, the same for any number of threads", "[unit]") {
  Instance instance = make_instance({.keys = 40, .dim = 8, .value_dim = 2}, Seed{4}, 0);
  CertifyPlan plan;
  plan.setting = {.planes = 2, .tables = 4, .samples = 3, .budget = 5};
  plan.redraws = 7;
  const Vector other = instance.keys.row(3);
  const std::vector<Vector> queries{instance.query, other};
  std::vector<Targets> targets;
  for (const Vector& query : queries) {
    instance.query = query;
    targets.push_back(targets_of(instance, plan.setting));
  }
  const auto on_threads = [&](int count) {
    const Threads threads(count);
    return redraw_errors(instance.keys, instance.values, queries, targets, plan, Seed{9});
  };

  const auto one = on_threads(1), three = on_threads(3);

  REQUIRE(one.size() == 2);
  REQUIRE(one[1].size() == 7);
  for (std::size_t i = 0; i < 2; ++i)
    for (std::size_t k = 0; k < 7; ++k) CHECK(same(one[i][k], three[i][k]));
  const Hyperplanes fifth = draw_hyperplanes(Seed{9}, 5, 4, 2, 8);
  const DrawnScores drawn = measure_draw(queries[1], instance.values, plan.setting, targets[1], fifth,
                                         hash_keys(fifth, instance.keys), derive_seed(Seed{9}, 2), 5);
  CHECK(same(one[1][5], drawn.errors));
  CHECK_FALSE(same(one[1][5], one[1][4]));
  const auto some = redraw_errors(instance.keys, instance.values, queries, targets, plan, {3, 3}, Seed{9});
  REQUIRE(some[1].size() == 3);
  for (std::size_t k = 0; k < 3; ++k) CHECK(same(some[1][k], one[1][3 + k]));
}

TEST_CASE("A zero key has no angle and is refused", "[unit]") {
  Instance instance = make_instance({.keys = 4, .dim = 3}, Seed{4}, 0);
  instance.keys.row(2).setZero();

  CHECK_THROWS_AS(targets_of(instance, {.budget = 1}), InputError);
}
