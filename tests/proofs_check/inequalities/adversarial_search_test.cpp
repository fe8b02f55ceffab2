#include "proofs_check/inequalities/adversarial_search.hpp"

#include <fstream>
#include <iterator>
#include <sstream>

#include "proofs_check/judge.hpp"
#include "tests/numbers.hpp"
#include "tests/threads.hpp"

using namespace skt;

namespace {

// `socketlab search --starts 40 --evaluations 3000 --seed 1` wrote it.
std::vector<WorstInstance> archive() {
  std::ifstream file(SKT_SOURCE_DIR "/tests/proofs_check/inequalities/worst_instances.json");
  REQUIRE(file.good());
  std::ostringstream text;
  text << file.rdbuf();
  return worst_instances_from_json(text.str());
}

}  // namespace

TEST_CASE("Every searched inequality has its worst instance in the archive, and no other is there", "[unit]") {
  std::vector<std::string> archived, searched;
  for (const WorstInstance& w : archive()) archived.push_back(w.inequality);
  for (const SearchedInequality& i : searched_inequalities()) searched.push_back(i.name);

  CHECK(archived == searched);
}

TEST_CASE("The worst instances give their ratios again, and none violates an inequality that holds", "[statement]") {
  for (const WorstInstance& w : archive()) {
    INFO(w.inequality);
    const auto inequality = searched_inequality(w.inequality);
    REQUIRE(inequality);
    REQUIRE(std::ssize(w.parameters) == inequality->parameters);

    const InequalitySides sides = inequality->sides(w.parameters);

    // Another order of sums moves both sides by less than the rounding that the inequality grants them.
    const double tolerance =
        2 * sides.rounding / sides.right * (1 + std::abs(w.ratio)) + 4 * std::numeric_limits<double>::epsilon();
    CHECK(std::abs(sides.ratio() - w.ratio) <= tolerance);
    CHECK(as_expected(*inequality, sides.ratio()));
  }
}

TEST_CASE("A constant shrunk below the recorded supremum is refuted on the replay", "[mutant]") {
  for (const WorstInstance& w : archive()) {
    INFO(w.inequality);
    const auto inequality = searched_inequality(w.inequality);
    REQUIRE(inequality);
    InequalitySides sides = inequality->sides(w.parameters);
    sides.right *= 0.999 * w.ratio;
    AttainedSupremum worst;

    worst.add(sides, [] { return std::string("worst instance"); });

    CHECK(judge(supremum("archive", worst)) == Verdict::refuted);
  }
}

TEST_CASE("The search finds a ratio above 1 where a constant is too small", "[mutant]") {
  if (!can_search()) return;  // built without NLopt
  SearchedInequality shrunk = *searched_inequality("S002-E19-sharper");
  shrunk.sides = [sides = shrunk.sides](std::span<const double> p) {
    InequalitySides s = sides(p);
    s.right *= 0.7;
    return s;
  };

  CHECK(search(shrunk, {.starts = 8, .evaluations = 2000}, {1}).ratio > 1);
}

TEST_CASE("Starts lie on both sides of 0 in the box, and the best of all is refined once more", "[unit]") {
  if (!can_search()) return;  // built without NLopt
  // With one evaluation to a start, what is evaluated is where it starts.
  std::vector<std::vector<double>> seen;
  const SearchedInequality recorded{"recorded", 2, SearchExpectation::holds, [&](std::span<const double> at) {
                                      seen.emplace_back(at.begin(), at.end());
                                      return InequalitySides{.left = -std::hypot(at[0] + 1, at[1] - 1), .right = 1};
                                    }};
  const Threads alone(1);

  const WorstInstance worst = search(recorded, {.starts = 40, .evaluations = 1}, {1});

  // A start is evaluated, and once more as it is archived; so is the refinement, which starts from the best.
  CHECK(worst.evaluations == 41);
  REQUIRE(seen.size() == 82);
  CHECK(seen.back() == worst.parameters);
  for (const std::size_t coordinate : {0u, 1u}) {
    Index below = 0;
    for (std::size_t start = 0; start < 80; start += 2) {
      const double x = seen[start][coordinate];
      CHECK(std::abs(x) <= kSearchBox / 2);
      if (x < 0) ++below;
    }
    CHECK(below >= 5);  // of 40 coins: fewer, or more than 35, happen with a probability below 2e-7
    CHECK(below <= 35);
  }
}

TEST_CASE("The refinement comes nearer than the starts", "[unit]") {
  if (!can_search()) return;  // built without NLopt
  // A peak at (-1, 1) that falls with the distance. Ten evaluations of step 1 end some tenths from it, ten more of step
  // 1/64 from there come nearer; a search that stopped before would have the ratio of its best start.
  double best_of_starts = -1e9;
  Index calls = 0;
  const SearchedInequality peak{"peak", 2, SearchExpectation::holds, [&](std::span<const double> at) {
                                  const double ratio = -std::hypot(at[0] + 1, at[1] - 1);
                                  if (++calls <= 3 * 11) best_of_starts = std::max(best_of_starts, ratio);
                                  return InequalitySides{.left = ratio, .right = 1};
                                }};
  const Threads alone(1);

  const WorstInstance worst = search(peak, {.starts = 3, .evaluations = 10}, {1});

  CHECK(calls == 4 * 11);
  CHECK(worst.ratio > best_of_starts);
}

TEST_CASE("The search gives the same instance for 1 and 2 threads", "[statement]") {
  if (!can_search()) return;  // built without NLopt
  const SearchedInequality inequality = *searched_inequality("S002-E22-corrected");
  const SearchEffort effort{.starts = 3, .evaluations = 200};
  const auto found_with = [&](int threads) {
    const Threads of_the_search(threads);
    return search(inequality, effort, {1});
  };

  const WorstInstance one = found_with(1);
  const WorstInstance two = found_with(2);

  CHECK(one.parameters == two.parameters);
  CHECK(one.ratio == two.ratio);
}
