#include "experiments/certify/redraw_parts.hpp"

#include "tests/experiments/certify/two_heads.hpp"
#include "tests/experiments/refusal.hpp"
#include "tests/numbers.hpp"

using namespace skt;
TEST_CASE("Groups are the queries that share keys and mask, and hold the keys that it allows", "[unit]") {
  const TwoHeads heads;
  AttendProblem problem(heads.files());
  const CertifyPlan plan = toy_plan();
  LoadedGroups groups(problem, plan);

  REQUIRE(groups.list().size() == 2);
  CHECK(groups.list()[1].queries == std::vector<Index>{2, 3});
  CHECK(groups.size_of(0).keys == 5);
  CHECK(groups.size_of(1).keys == 4);
  CHECK(groups.at(1).keys_and_values.num_keys() == 4);
  CHECK(groups.at(0).keys_and_values.num_keys() == 5);
  CHECK(groups.at(1).queries[1] == problem.query(3));
  CHECK(groups.at(1).targets.size() == 2);
}

TEST_CASE("A budget above the keys that a query is allowed is refused", "[unit]") {
  const TwoHeads heads;
  AttendProblem problem(heads.files());
  CertifyPlan plan = toy_plan();
  plan.setting.budget = 5;

  CHECK(refusal([&] { LoadedGroups(problem, plan); }) ==
        "--budget selects 5 keys, but query 2 sees 4: allowed are 1 to 4");
}

TEST_CASE("A query that the mask leaves no key is refused by its number", "[unit]") {
  const TwoHeads heads;
  write_array(heads.files().mask, ElementType::boolean, {2, 1, 5},
              std::vector<std::uint8_t>{1, 0, 1, 1, 1, 0, 0, 0, 0, 0});
  AttendProblem problem(heads.files());

  CHECK(refusal([&] { LoadedGroups(problem, toy_plan()); }) ==
        "--mask leaves no key for query 2: allowed is at least one");
}

TEST_CASE("Another number in an array is another problem", "[unit]") {
  const TwoHeads heads;
  const auto hash = [&heads] {
    AttendProblem problem(heads.files());
    return hash_of_arrays(problem);
  };
  const std::string before = hash();

  CHECK(hash() == before);
  for (const auto& [name, shape] :
       {std::pair{"q.npy", std::vector<Index>{2, 2, 3}}, std::pair{"k.npy", std::vector<Index>{2, 5, 3}},
        std::pair{"v.npy", std::vector<Index>{2, 5, 2}}}) {
    heads.write(name, shape, 1.25);
    CHECK(hash() != before);
    heads.write(name, shape);
    CHECK(hash() == before);
  }
}

TEST_CASE("Redraws that were sent are those of each group in one go", "[unit]") {
  const TwoHeads heads;
  AttendProblem problem(heads.files());
  const CertifyPlan plan = toy_plan();
  LoadedGroups groups(problem, plan);
  std::uint64_t told = 0, weights = 0;
  const std::vector<Part> parts = redraw_parts(groups, Seed{5}, [&](std::uint64_t work) {
#pragma omp atomic
    told += work;
  });
  std::vector<Json> results(parts.size());
  std::set<std::string> names;
  for (std::size_t i = parts.size(); i-- > 0;) {
    results[i] = Json::parse(parts[i].run().dump());
    names.insert(parts[i].name);
    weights += whole_work(parts[i].weight);
  }

  const RedrawsOfGroups redraws = assemble_redraws(groups, results);

  CHECK(names.size() == parts.size());
  CHECK(told == weights);
  REQUIRE(redraws.size() == 2);
  for (std::size_t g = 0; g < 2; ++g) {
    const LoadedGroup& group = groups.at(g);
    const auto whole = redraw_errors(group.keys_and_values.keys, group.keys_and_values.values, group.queries,
                                     group.targets, plan, derive_seed(Seed{5}, 2 + 4 * g));  // of query 0 and of 2
    REQUIRE(redraws[g].size() == 2);
    for (std::size_t q = 0; q < 2; ++q) {
      REQUIRE(redraws[g][q].size() == 20);
      for (std::size_t k = 0; k < 20; ++k)
        for (const NamedFunctional& functional : kFunctionals)
          CHECK(redraws[g][q][k].*functional.value == whole[q][k].*functional.value);
    }
  }
  results.pop_back();
  CHECK_THROWS_AS(assemble_redraws(groups, results), InputError);
}
