#include "experiments/choose/search.hpp"

#include <fmt/format.h>

#include <numeric>

#include "experiments/choose/search_rows.hpp"
#include "tests/catch.hpp"
#include "tests/experiments/choose/own_arrays.hpp"
#include "tests/experiments/refusal.hpp"

using namespace skt;
using Catch::Matchers::ContainsSubstring;
using Catch::Matchers::WithinAbs;

namespace {

// Of the four queries, at one draw of the hyperplanes.
std::vector<double> errors(AttendProblem& problem, const SearchedSetting& setting, Index budget, Seed seed,
                           std::uint32_t draw) {
  ChooseInput input{problem, std::nullopt, {}, draw_hyperplanes(seed, draw, setting.tables, setting.planes, 16)};
  ChoosePlan plan;
  plan.rules = {setting.rule};
  plan.budgets = {budget};
  plan.sink = 2;
  plan.hash.planes = setting.planes;
  plan.hash.tables = setting.tables;
  plan.hash.socket.temperature = setting.temperature;
  const MeasuredRule measured = measure_rules(input, plan).front();
  std::vector<double> found;
  for (const KeptOfQuery& kept : measured.kept) found.push_back(kept.error);
  return found;
}

double mean_error(AttendProblem& problem, const SearchedSetting& setting, Index budget, Seed seed = {5}) {
  const std::vector<double> found = errors(problem, setting, budget, seed, 0);
  return std::accumulate(found.begin(), found.end(), 0.0) / 4;
}

SearchPlan small_plan() {
  SearchPlan plan;
  plan.target = 0.3;
  plan.planes = {3, 5};
  plan.tables = {4, 12};
  plan.temperatures = {0.25, 1};
  plan.sink = 2;
  plan.draws = 1;
  plan.seed = Seed{5};
  return plan;
}

}  // namespace

TEST_CASE("A setting that the search finds reaches the target by itself, and not with a twelfth fewer keys", "[unit]") {
  const GaussianArrays arrays;
  AttendProblem problem = arrays.problem();
  const std::vector<SearchedSetting> found = search_settings(problem, small_plan());
  REQUIRE(found.size() == 16);  // 2 planes, 2 tables, 2 temperatures, 2 rules: all keys reach any target
  for (const SearchedSetting& setting : found) {
    INFO(setting.rule << ", P " << setting.planes << ", L " << setting.tables << ", tau " << setting.temperature);
    CHECK_THAT(mean_error(problem, setting, setting.budget), WithinAbs(setting.reached, 1e-12));
    CHECK(setting.reached <= 0.3);
    CHECK(mean_error(problem, setting, setting.budget * 11 / 12) > 0.3);
    CHECK(setting.bits_per_key == double(setting.planes * setting.tables + (setting.rule == "socket-value" ? 16 : 0)));
  }
  CHECK(std::is_sorted(found.begin(), found.end(), [](auto& a, auto& b) { return a.bits_read < b.bits_read; }));
}

TEST_CASE("Query i is measured at draw i modulo the number of draws", "[unit]") {
  const GaussianArrays arrays;
  AttendProblem problem = arrays.problem();
  SearchPlan plan = small_plan();
  plan.draws = 3;
  const std::vector<SearchedSetting> found = search_settings(problem, plan);
  REQUIRE(found.size() == 16);
  for (const SearchedSetting& setting : found) {
    double sum = 0;
    for (const std::uint32_t query : {0, 1, 2, 3})
      sum += errors(problem, setting, setting.budget, Seed{5}, query % 3)[query];
    CHECK_THAT(sum / 4, WithinAbs(setting.reached, 1e-12));
  }
}

TEST_CASE("A search measures queries spread evenly, one of each key head at least", "[unit]") {
  const GaussianArrays arrays;
  AttendProblem problem = arrays.problem();
  SearchPlan plan = small_plan();
  CHECK(searched_queries(problem, plan, 0) == std::vector<Index>{0, 1, 2, 3});
  plan.queries = 2;
  CHECK(searched_queries(problem, plan, 0) == std::vector<Index>{0, 2});
  plan.queries = 1;
  CHECK(searched_queries(problem, plan, 0) == std::vector<Index>{0});
}

TEST_CASE("The setting that is named reaches the target at every other draw, at one of them with no key to spare",
          "[unit]") {
  const GaussianArrays arrays;
  AttendProblem problem = arrays.problem();
  const SearchResult result = searched(problem, small_plan(), 3);
  REQUIRE(result.redrawn.size() == 8);
  const RedrawnSetting& best = result.redrawn.front();
  Index fewer_reach = 0;
  for (const std::uint64_t draw : {1, 2, 3}) {
    const Seed seed = derive_seed(Seed{5}, draw);
    CHECK(mean_error(problem, best.setting, best.most, seed) <= 0.3);
    fewer_reach += mean_error(problem, best.setting, best.most * 11 / 12, seed) <= 0.3;
  }
  CHECK(fewer_reach < 3);
  CHECK(best.least <= best.most);
  // By the bits a key that are read: 16 to each number of the mean share of keys.
  const double whole = 16 * real(problem.dim() + problem.value_dim());
  const auto bits = [&](const RedrawnSetting& s) { return s.setting.bits_per_key + s.mean / 200 * whole; };
  CHECK(std::ranges::is_sorted(result.redrawn, {}, bits));
  CHECK_THAT(readable(result), ContainsSubstring(" at 3 other draws of the tables: it takes "));
}

TEST_CASE("What is proved is the worst mean of nineteen draws that chose nothing", "[unit]") {
  const GaussianArrays arrays;
  AttendProblem problem = arrays.problem();
  const SearchResult result = searched(problem, small_plan(), 3);
  const RedrawnSetting& best = result.redrawn.front();
  double worst = 0;
  for (std::uint64_t draw = 4; draw <= 22; ++draw)
    worst = std::max(worst, mean_error(problem, best.setting, best.most, derive_seed(Seed{5}, draw)));
  CHECK_THAT(result.proved.value, WithinAbs(worst, 1e-12));
  CHECK_THAT(readable(result), ContainsSubstring(fmt::format("at most {:.3g} except with probability 0.05", worst)));
}

TEST_CASE("The setting that is named has a line of the table, on the frontier or not", "[unit]") {
  SearchedSetting few, many;
  few.rule = many.rule = "socket";
  few.planes = 4, few.tables = 5, few.temperature = 1, few.budget = 10, few.bits_per_key = 20;
  many.planes = 6, many.tables = 5, many.temperature = 1, many.budget = 11, many.bits_per_key = 30;
  SearchResult result;
  result.settings = {few, many};
  CHECK_THAT(readable(result), !ContainsSubstring("socket           6"));
  result.redraws = 8;
  result.redrawn = {{many, 9, 12, 10}};
  CHECK_THAT(readable(result), ContainsSubstring("socket           4") && ContainsSubstring("socket           6"));
  CHECK(search_table(result).text().find("socket,6,5,1,11") != std::string::npos);
}

TEST_CASE("The frontier holds what no setting beats in bits and in keys", "[unit]") {
  const auto at = [](double bits, Index budget) {
    SearchedSetting setting;
    setting.bits_per_key = bits;
    setting.budget = budget;
    return setting;
  };
  const std::vector<SearchedSetting> frontier =
      frontier_of({at(30, 90), at(10, 100), at(20, 100), at(10, 120), at(40, 50)});
  REQUIRE(frontier.size() == 3);
  CHECK(frontier[0].budget == 100);
  CHECK(frontier[0].bits_per_key == 10);
  CHECK(frontier[1].budget == 90);
  CHECK(frontier[2].budget == 50);
}

TEST_CASE("A search for a recall, a target out of range or along tables that fall is refused", "[unit]") {
  const FourWeights arrays;
  AttendProblem problem = arrays.problem();
  SearchPlan plan = small_plan();
  plan.target = 1;
  CHECK_THAT(refusal([&] { search_settings(problem, plan); }), ContainsSubstring("target is 1"));
  plan = small_plan();
  plan.tables = {12, 4};
  CHECK_THAT(refusal([&] { search_settings(problem, plan); }), ContainsSubstring("rising"));
}
