#include "experiments/choose/search.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "experiments/choose/choose.hpp"
#include "experiments/choose/search_rows.hpp"
#include "sim/families.hpp"
#include "sim/number.hpp"
#include "tests/catch.hpp"

using namespace skt;
using Catch::Matchers::ContainsSubstring;
using Catch::Matchers::WithinAbs;

namespace {

constexpr Index kKeys = 200, kDim = 16, kQueries = 4;

TensorFile array(const char* name, const Matrix& rows) {
  return TensorFile(ArrayInMemory{name, ElementType::f64, {rows.rows(), rows.cols()}, rows.data()});
}

Instance gaussian(Seed seed, std::uint32_t trial) {
  FamilyParameters family;
  family.keys = kKeys;
  family.dim = kDim;
  return make_instance(family, seed, trial);
}

// A few values are longer than the others by a factor.
struct OwnArrays {
  explicit OwnArrays(double longer = 1) {
    for (Index j = 0; j < kKeys; j += 10) instance.values.row(j) *= longer;
    for (std::uint32_t i = 0; i < kQueries; ++i) queries.row(i) = gaussian(Seed{4}, i).query;
    problem.emplace(AttendTensors{
        .queries = array("q", queries), .keys = array("k", instance.keys), .values = array("v", instance.values)});
    problem->check_elements();
  }
  Instance instance = gaussian(Seed{3}, 0);
  Matrix queries{kQueries, kDim};
  std::optional<AttendProblem> problem;
};

SearchPlan small_plan(Index draws) {
  SearchPlan plan;
  plan.target_error = 0.3;
  plan.planes = {3, 5};
  plan.tables = {4, 12};
  plan.temperatures = {0.25, 1};
  plan.draws = draws;
  plan.sink = 2;
  plan.seed = Seed{5};
  return plan;
}

// By the route of choose, query i at draw i mod draws.
double mean_of(AttendProblem& problem, const SearchedSetting& setting, Index budget, Seed seed, std::uint32_t draws = 1,
               double KeptOfQuery::* of = &KeptOfQuery::error) {
  double sum = 0;
  for (std::uint32_t draw = 0; draw < draws; ++draw) {
    ChoosePlan plan;
    plan.rules = {setting.rule};
    plan.budgets = {budget};
    plan.sink = 2;
    plan.hyperplanes = draw_hyperplanes(seed, draw, setting.tables, setting.planes, kDim);
    plan.hash.socket.temperature = setting.temperature;
    const MeasuredRule measured = measure_rules(problem, plan).front();
    for (Index i = draw; i < kQueries; i += draws) sum += measured.kept[i].*of;
  }
  return sum / kQueries;
}

}  // namespace

TEST_CASE("A setting that the search finds reaches the target by itself, and not with a twelfth fewer keys", "[unit]") {
  OwnArrays arrays;
  const auto of = GENERATE(&KeptOfQuery::error, &KeptOfQuery::mass);
  SearchPlan plan = small_plan(3);
  if (of == &KeptOfQuery::mass) plan.target_mass = 0.7;
  const auto reaches = [&](double mean) { return plan.target_mass ? mean >= 0.7 : mean <= 0.3; };
  std::vector<SearchedSetting> found = search_settings(*arrays.problem, plan);
  REQUIRE(found.size() == 16);  // 2 planes, 2 tables, 2 temperatures, 2 rules: all keys reach any target
  for (const SearchedSetting& setting : found) {
    INFO(setting.rule << ", P " << setting.planes << ", L " << setting.tables << ", tau " << setting.temperature);
    const auto mean_at = [&](Index budget) { return mean_of(*arrays.problem, setting, budget, Seed{5}, 3, of); };
    CHECK_THAT(mean_at(setting.budget), WithinAbs(setting.reached, 1e-12));
    CHECK(reaches(setting.reached));
    CHECK(!reaches(mean_at(setting.budget * 11 / 12)));
    CHECK(setting.bits_per_key == double(setting.planes * setting.tables + (setting.rule == "socket-value" ? 16 : 0)));
    const double selected = real(setting.budget + 2) / kKeys;
    CHECK_THAT(setting.bits_read,
               WithinAbs(setting.bits_per_key + selected * 16 * real(kDim + arrays.problem->value_dim()), 1e-9));
  }
  CHECK(std::ranges::is_sorted(found, {}, &SearchedSetting::bits_read));

  mark_frontier(found);
  for (const SearchedSetting& s : found) {
    const auto is_no_worse = [&](const SearchedSetting& other) {
      return &other != &s && other.bits_per_key <= s.bits_per_key && other.budget <= s.budget;
    };
    const auto is_better = [&](const SearchedSetting& other) {
      return is_no_worse(other) && (other.bits_per_key < s.bits_per_key || other.budget < s.budget);
    };
    CHECK((s.on_frontier ? std::ranges::none_of(found, is_better) : std::ranges::any_of(found, is_no_worse)));
  }
}

TEST_CASE("A search measures queries spread evenly, one of each key head at least", "[unit]") {
  OwnArrays arrays;
  SearchPlan plan = small_plan(1);
  CHECK(searched_queries(*arrays.problem, plan, 0) == std::vector<Index>{0, 1, 2, 3});
  plan.queries = 2;
  CHECK(searched_queries(*arrays.problem, plan, 0) == std::vector<Index>{0, 2});
  plan.queries = 0;
  CHECK(searched_queries(*arrays.problem, plan, 0) == std::vector<Index>{0});
}

TEST_CASE("The named setting reaches the target at every redraw, and its proved error is the worst of 19 fresh draws",
          "[unit]") {
  const std::string rule = GENERATE("socket", "socket-value");
  OwnArrays arrays(rule == "socket" ? 1 : 10);
  SearchPlan plan = small_plan(1);
  plan.redraws = 19;
  SearchResult result = searched(*arrays.problem, plan);
  REQUIRE(result.redrawn.size() == 8);
  const RedrawnSetting& best = result.redrawn.front();
  REQUIRE(best.setting.rule == rule);
  const auto error_at = [&](std::uint64_t draw, Index budget) {
    return mean_of(*arrays.problem, best.setting, budget, derive_seed(Seed{5}, draw));
  };
  Index fewer_reach = 0;
  double worst = 0;
  for (std::uint64_t draw = 1; draw <= 19; ++draw) {
    worst = std::max(worst, error_at(19 + draw, best.most));
    CHECK(error_at(draw, best.most) <= 0.3);
    fewer_reach += error_at(draw, best.most * 11 / 12) <= 0.3;
  }
  CHECK(fewer_reach < 19);
  CHECK(best.least <= best.most);
  CHECK(std::ranges::is_sorted(result.redrawn, {}, [&](const RedrawnSetting& s) {
    return s.setting.bits_per_key + s.mean / kKeys * result.whole_key;
  }));
  CHECK_THAT(result.proved.value, WithinAbs(worst, 1e-12));
  CHECK_THAT(readable(result),
             ContainsSubstring(" at 19 other draws of the tables: it takes ") &&
                 ContainsSubstring(fmt::format("at most {:.3g} except with probability 0.05", worst)));

  // It has a line of the table, on the frontier or not.
  result.settings[best.at].on_frontier = false;
  CHECK_THAT(readable(result),
             ContainsSubstring(fmt::format("{:<14}{:>4}{:>6}{:>6g}", best.setting.rule, best.setting.planes,
                                           best.setting.tables, best.setting.temperature)));
}
