#include "experiments/ranking/own_rankings.hpp"

#include <cmath>

#include "experiments/ranking/density_table.hpp"
#include "sim/families.hpp"
#include "sim/learned_heads.hpp"
#include "tests/catch.hpp"
#include "tests/experiments/refusal.hpp"

using namespace skt;

namespace {

FamilyParameters small_gaussian() {
  FamilyParameters family;
  family.keys = 60;
  family.dim = 16;
  return family;
}

// What density_table draws for its trial, and the queries that its rankers may learn from.
OwnRankingInput trial_of_family(Seed seed, std::uint32_t trial) {
  const Instance instance = make_instance(small_gaussian(), seed, trial);
  FamilyParameters few = small_gaussian();
  few.keys = few.needles;
  Matrix calibration(16, few.dim);
  for (std::uint32_t i = 0; i < 16; ++i)
    calibration.row(i) = make_instance(few, derive_seed(seed, 2), trial * 16 + i).query;
  return {instance.keys, instance.values, instance.query.transpose(), calibration, seed, trial};
}

// Two query heads on one key head, five queries each, of Gaussian numbers.
std::shared_ptr<const LearnedHeads> gaussian_heads() {
  const Instance drawn = make_instance(small_gaussian(), Seed{2}, 0);
  Matrix queries(10, 16);
  for (std::uint32_t i = 0; i < 10; ++i) queries.row(i) = make_instance(small_gaussian(), Seed{3}, i).query;
  return std::make_shared<const LearnedHeads>(
      LearnedHeads{"drawn", {queries.topRows(5), queries.bottomRows(5)}, {drawn.keys}, {drawn.values}});
}

OwnRankingInput three_keys() {
  return {Matrix{{3}, {1}, {2}}, Matrix{{1}, {2}, {3}}, Matrix{{1}, {-1}}, Matrix{{1}}, Seed{1}, 0};
}

// The two trials of the family against the rankings of their arrays.
void check_rows(const NamedFamily& family, Seed seed, const OwnRankingInput& one, const OwnRankingInput& other) {
  DensityPlan table;
  table.families = {family};
  table.hash.tables = 10;
  table.densities = {0.1, 0.5};
  table.sizes = {};
  table.trials = 2;
  OwnRankingPlan plan;
  plan.hash = table.hash;
  plan.densities = table.densities;

  const std::vector<DensityRow> rows = density_table(table, seed).rows;
  const auto first = rank_keys(one, plan), second = rank_keys(other, plan);

  REQUIRE(first.size() == ranker_names().size());
  for (std::size_t r = 0; r < first.size(); ++r) {
    for (std::size_t d = 0; d < 2; ++d) {
      const DensityRow& row = rows.at(2 * r + d);
      REQUIRE(row.ranker == first[r].ranker);
      CHECK(row.bits_per_token == first[r].bits_per_token);
      CHECK(row.recall.mean() == Approx((first[r].kept[d].recall + second[r].kept[d].recall) / 2));
      CHECK(row.mass.mean() == Approx((first[r].kept[d].mass + second[r].kept[d].mass) / 2));
      CHECK(row.error.mean() == Approx((first[r].kept[d].error + second[r].kept[d].error) / 2));
    }
  }
}

OwnRankingPlan truth_alone() {
  OwnRankingPlan plan;
  plan.rankers = {"oracle-top-k"};
  plan.densities = {1.0 / 3, 1};
  return plan;
}

}  // namespace

TEST_CASE("The caller's arrays give the rows of the density table that drew the same ones", "[unit]") {
  const Seed seed{9};

  check_rows({"gaussian", small_gaussian()}, seed, trial_of_family(seed, 0), trial_of_family(seed, 1));
}

TEST_CASE("Learned keys give the rows of the same arrays, indices learning from the head's other queries", "[unit]") {
  const auto heads = gaussian_heads();
  const Matrix& queries = heads->queries[1];
  const auto trial = [&](std::uint32_t number) {
    // Query 3 of 5 sees 59 of 60 keys.
    return OwnRankingInput{heads->keys[0].topRows(59),
                           heads->values[0].topRows(59),
                           queries.row(3),
                           queries({4, 0, 1, 2}, Eigen::all),
                           Seed{9},
                           number};
  };

  check_rows({"learned-1-3", with_heads({}, heads, 1, 3)}, Seed{9}, trial(0), trial(1));
}

TEST_CASE("The truth keeps the best key of each query, and of all keys everything", "[unit][oracle]") {
  const std::vector<OwnRanking> rankings = rank_keys(three_keys(), truth_alone());

  REQUIRE(rankings.size() == 1);
  REQUIRE(rankings.front().kept.size() == 4);  // two queries at two densities
  for (const KeptBySelection& kept : rankings.front().kept) CHECK(kept.recall == 1);
  const double e = std::exp(1.0);
  CHECK(rankings.front().kept[0].mass == Approx(e * e / (e * e + e + 1)));  // logits 3, 1, 2
  CHECK(rankings.front().kept[1].mass == Approx(1));
  CHECK(rankings.front().kept[3].error == Approx(0).margin(1e-14));
}

TEST_CASE("A ranking that cannot be made is refused", "[unit]") {
  OwnRankingInput input = three_keys();
  input.values = Matrix{{1}};
  CHECK(refusal([&] { rank_keys(input, truth_alone()); }) == "values: 1 rows; allowed are the 3 of the keys");
  input = three_keys();
  input.values(2, 0) = 1e39;
  CHECK(refusal([&] { rank_keys(input, truth_alone()); }) ==
        "values: element [2, 0] is 1e+39: allowed are finite numbers up to 3.403e+38 in size");
  input = three_keys();
  input.queries(1, 0) = std::nan("");
  CHECK(refusal([&] { rank_keys(input, truth_alone()); }).starts_with("queries: element [1, 0] is nan: allowed"));
}
