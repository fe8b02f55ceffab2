#include "experiments/ranking/rank_parts.hpp"

#include "experiments/ranking/rank_results.hpp"
#include "tests/experiments/parts/toy_parts.hpp"
#include "tests/numbers.hpp"

using namespace skt;
TEST_CASE("Parts of a ranking in any order, sent as text, give the same files to the byte", "[unit]") {
  const RankPlan plan = rank_of_64_keys();

  CHECK(assemble_rank(plan, run_backwards(rank_parts(plan, Seed{4}))).files == run_rank(plan, Seed{4}).files);
}

TEST_CASE("Families that stand together are measured as each by itself", "[unit]") {
  const RankPlan plan = rank_of_64_keys();
  RankPlan second = plan;
  second.table.families.erase(second.table.families.begin());

  const DensityTable both = density_table(plan.table, Seed{4}), alone = density_table(second.table, Seed{4});

  REQUIRE(both.rows.size() == 2 * alone.rows.size());
  for (std::size_t i = 0; i < alone.rows.size(); ++i) {
    const DensityRow& beside = both.rows[alone.rows.size() + i];
    CHECK(beside.ranker == alone.rows[i].ranker);
    CHECK(beside.recall.mean() == alone.rows[i].recall.mean());
    CHECK(beside.error.variance() == alone.rows[i].error.variance());
  }
}

TEST_CASE("No two kinds of part draw from one seed", "[unit]") {
  RankPlan plan = rank_of_64_keys();
  plan.curves.clear();
  plan.table.families.resize(1);
  plan.temperatures.families.resize(1);
  plan.prediction.settings.resize(1);
  const std::vector<Json> of_parts = run_in_order(rank_parts(plan, Seed{4}));
  const auto from = [&](Seed seed) {
    return std::vector<Json>{to_json(density_table(plan.table, seed).rows),
                             to_json(temperature_table(plan.temperatures, seed).rows),
                             to_json(compare_predictions(plan.prediction, seed).front().rows)};
  };

  // The curves have the seed itself; each kind has one of the others, and no two the same.
  const std::vector<Seed> seeds = {Seed{4}, derive_seed(Seed{4}, 1), derive_seed(Seed{4}, 2), derive_seed(Seed{4}, 3)};
  REQUIRE(of_parts.size() == 3);
  for (std::size_t s = 0; s < seeds.size(); ++s) {
    const std::vector<Json> drawn = from(seeds[s]);
    for (std::size_t kind = 0; kind < 3; ++kind) CHECK((drawn[kind] == of_parts[kind]) == (s == kind + 1));
  }
}

TEST_CASE("A part for each setting and family, with a name of its own and the work of its weight", "[unit]") {
  CHECK(check_names_and_work([](const WorkSeen& seen) { return rank_parts(rank_of_64_keys(), Seed{1}, seen); }) ==
        2 + 2 + 2 + 2);
  std::set<std::string> of_profile;
  const std::vector<Part> deep = rank_parts(rank_plan(Profile::deep), Seed{1});
  for (const Part& part : deep) of_profile.insert(part.name);
  CHECK(of_profile.size() == deep.size());
}

TEST_CASE("The result of a part of the rankers holds no seconds, and who asks gets them", "[unit]") {
  RankPlan plan = rank_of_64_keys();
  plan.curves.clear();
  plan.temperatures.families.clear();
  plan.prediction.settings.clear();
  BuildSeconds seconds;

  const std::vector<Json> first = run_in_order(rank_parts(plan, Seed{1}, {}, &seconds));

  CHECK(first == run_in_order(rank_parts(plan, Seed{1})));
  CHECK(seconds.at("socket").count() == 2 * 2);  // trials of two families
  CHECK(assemble_rank(plan, first, seconds).summary.find("build s") != std::string::npos);
}

TEST_CASE("More or fewer results than parts are refused, and planes that Bucket Attention has not", "[unit]") {
  RankPlan plan = rank_of_64_keys();
  plan.curves.clear();
  plan.table.families.clear();
  plan.prediction.settings.clear();
  std::vector<Json> results = run_in_order(rank_parts(plan, Seed{1}));
  results.push_back(results.back());
  CHECK_THROWS_AS(assemble_rank(plan, results), InputError);
  results.resize(1);
  CHECK_THROWS_AS(assemble_rank(plan, results), InputError);

  plan = rank_of_64_keys();
  plan.curves.front().hash.planes = 21;
  CHECK_THROWS_AS(rank_parts(plan, Seed{1}), InputError);
  plan = rank_of_64_keys();
  plan.table.hash.planes = 21;
  CHECK_THROWS_AS(rank_parts(plan, Seed{1}), InputError);
}
