#include "experiments/verify/search_parts.hpp"

#include "tests/experiments/parts/toy_parts.hpp"
#include "tests/numbers.hpp"

using namespace skt;
TEST_CASE("Parts of a search give the worst instances of the inequalities by themselves", "[unit]") {
  if (!can_search()) return;
  constexpr SearchEffort kEffort{.starts = 2, .evaluations = 40};
  const std::vector<Part> parts = search_parts(kEffort, Seed{3});
  std::vector<Json> results = run_backwards(parts);

  const std::vector<WorstInstance> worst = assemble_search(results);

  const std::vector<SearchedInequality> list = searched_inequalities();
  REQUIRE(worst.size() == list.size());
  std::set<std::string> names;
  for (std::size_t i = 0; i < list.size(); ++i) {
    const WorstInstance alone = search(list[i], kEffort, Seed{3});
    CHECK(worst[i].inequality == list[i].name);
    CHECK(worst[i].ratio == alone.ratio);
    CHECK(worst[i].parameters == alone.parameters);
    CHECK(worst[i].evaluations == alone.evaluations);
    CHECK(parts[i].weight > 0);
    names.insert(parts[i].name);
  }
  CHECK(names.size() == parts.size());
  results.pop_back();
  CHECK_THROWS_AS(assemble_search(results), InputError);
}
