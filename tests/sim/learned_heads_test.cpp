#include "sim/learned_heads.hpp"

#include <functional>

#include "sim/families.hpp"
#include "tests/experiments/refusal.hpp"
#include "tests/hypothesis_tests.hpp"
#include "tests/numbers.hpp"
#include "tests/sim/two_key_heads.hpp"

using namespace skt;

namespace {

FamilyParameters at(std::optional<Index> head = {}, std::optional<Index> query = {}) {
  return with_heads({}, two_key_heads(), head, query);
}

std::string refusal_of(const FamilyParameters& parameters) {
  return refusal<InputError>([&] { make_instance(parameters, Seed{1}, 0); });
}

}  // namespace

TEST_CASE("An instance is a query of a head, the keys up to its position and their values", "[unit]") {
  const Instance first = make_instance(at(2, 0), Seed{1}, 0), last = make_instance(at(2, 1), Seed{1}, 0);

  // Position 3 of 5 sees four keys, position 4 all of them; head 2 of 4 is the first of the second key head.
  CHECK(first.name == "learned-2-0");
  CHECK(first.query == Vector{{3, 1}});
  CHECK(first.keys == Matrix{{11, 1}, {12, 1}, {13, 1}, {14, 1}});
  CHECK(first.values == Matrix{{100}, {101}, {102}, {103}});
  CHECK(last.query == Vector{{3, 2}});
  CHECK(last.keys == Matrix{{11, 1}, {12, 1}, {13, 1}, {14, 1}, {15, 1}});
  CHECK(last.values(4) == 104);
}

TEST_CASE("Query heads share a key head in equal groups, one after the other", "[unit]") {
  // Not head 1 with key head 1, as h mod key heads would have it.
  for (const auto& [head, first_key] : std::vector<std::pair<Index, double>>{{0, 1}, {1, 1}, {2, 11}, {3, 11}})
    CHECK(make_instance(at(head, 0), Seed{1}, 0).keys(0, 0) == first_key);
}

TEST_CASE("Sizes are those of the heads: of one instance its own keys, of several the fewest", "[unit]") {
  CHECK(at().keys == 4);
  CHECK(at(3).keys == 4);
  CHECK(at(3, 1).keys == 5);
  CHECK(at().dim == 2);
  CHECK(at().value_dim == 1);
}

TEST_CASE("Trials take the heads in turn from one that the seed draws, and each draws its query", "[unit]") {
  constexpr std::uint32_t kTrials = 400;
  std::set<Index> starts;
  std::vector<std::uint64_t> second_of_head(4), of_head(4);
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    starts.insert(learned_place(at(), Seed{seed}, 0).head);
    for (std::uint32_t trial = 0; trial < kTrials; ++trial) {
      const auto [head, query] = learned_place(at(), Seed{seed}, trial);
      CHECK(head == (learned_place(at(), Seed{seed}, 0).head + trial) % 4);
      ++of_head[head];
      second_of_head[head] += query == 1 ? 1 : 0;
    }
  }
  // Of 20 seeds all miss one of four heads with probability below 4 (3/4)^20 = 0.013; these do not.
  CHECK(starts.size() == 4);
  for (int h = 0; h < 4; ++h) CHECK(binomial_p_value(second_of_head[h], of_head[h], 0.5) > 1e-6);
}

TEST_CASE("With a head given each trial draws its query, with both given all trials are one instance", "[unit]") {
  std::set<Index> queries;
  for (std::uint32_t trial = 0; trial < 40; ++trial) {
    CHECK(learned_place(at(1), Seed{3}, trial).head == 1);
    queries.insert(learned_place(at(1), Seed{3}, trial).query);
    CHECK(make_instance(at(1, 0), Seed{3}, trial).query == Vector{{2, 1}});
  }
  CHECK(queries == std::set<Index>{0, 1});
}

TEST_CASE("The instance of the first trial is named by its parameters, those of other families stay", "[unit]") {
  FamilyParameters long_query = at();
  long_query.query_norm = 10;
  for (std::uint64_t seed = 1; seed <= 8; ++seed) {
    const Instance drawn = make_instance(long_query, Seed{seed}, 0);

    const FamilyParameters settled = of_first_trial(long_query, Seed{seed});

    const Instance again = make_instance(settled, Seed{seed + 100}, 7);  // whatever seed and trial
    CHECK(again.name == drawn.name);
    CHECK(again.query == drawn.query);
    CHECK(again.keys == drawn.keys);
    CHECK(again.values == drawn.values);
    CHECK(settled.keys == drawn.num_keys());
  }
  CHECK(of_first_trial({.keys = 77}, Seed{1}).keys == 77);
}

TEST_CASE("A norm of the query changes its length and not its direction", "[unit]") {
  FamilyParameters p = at(2, 1);  // the query (3, 2)
  p.query_norm = 26;              // twice 13, its squared length

  const Vector query = make_instance(p, Seed{1}, 0).query;

  CHECK(std::abs(query.norm() - 26) <= 26 * 4e-16);
  CHECK(std::abs(2 * query(0) - 3 * query(1)) <= 52 * 4e-16);
}

TEST_CASE("An index learns from other queries of the same head, evenly spread, none of them twice", "[unit]") {
  LearnedHeads heads = *two_key_heads();
  for (Matrix& queries : heads.queries) queries = Matrix{{1, 0}, {1, 1}, {1, 2}, {1, 3}, {1, 4}};
  heads.queries[1].col(0).setConstant(2);
  const FamilyParameters p = with_heads({}, std::make_shared<const LearnedHeads>(heads), 1, 3);

  // After query 3 come 4, 0, 1 and 2; every second of them is 4 and 1.
  CHECK(other_queries(p, Seed{1}, 0, 2) == Matrix{{2, 4}, {2, 1}});
  CHECK(other_queries(p, Seed{1}, 0, 16) == Matrix{{2, 4}, {2, 0}, {2, 1}, {2, 2}});
}

TEST_CASE("What the heads do not have is refused by its name", "[unit]") {
  const std::vector<std::pair<std::string, std::function<void(FamilyParameters&)>>> lies = {
      {"the family learned: it has no heads; allowed are those of a file", [](auto& p) { p.learned.reset(); }},
      {"the family learned: head is 4: allowed are 0 to 3", [](auto& p) { p.head = 4; }},
      {"the family learned: head is -1: allowed are 0 to 3", [](auto& p) { p.head = -1; }},
      {"the family learned: query is 2: allowed are 0 to 1", [](auto& p) { p.query = 2; }},
      {"the family learned: keys is 5: allowed are the 4 of its file", [](auto& p) { p.keys = 5; }},
      {"the family learned: dim is 3: allowed are the 2 of its file", [](auto& p) { p.dim = 3; }},
      {"the family learned: value_dim is 2: allowed are the 1 of its file", [](auto& p) { p.value_dim = 2; }},
  };
  CHECK(refusal_of(at()).empty());
  for (const auto& [line, lie] : lies) {
    FamilyParameters p = at();
    lie(p);
    CHECK(refusal_of(p) == line);
  }
  CHECK_THROWS_AS(at(0, 2), InputError);
}

TEST_CASE("A head of one query has none to learn from", "[unit]") {
  LearnedHeads heads = *two_key_heads();
  for (Matrix& queries : heads.queries) queries.conservativeResize(1, 2);

  CHECK_THROWS_AS(other_queries(with_heads({}, std::make_shared<const LearnedHeads>(heads)), Seed{1}, 0, 16),
                  InputError);
}
