#include "proofs_check/laws/sparse_attention_problems.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

#include "proofs_check/judge.hpp"
#include "tests/catch.hpp"

using namespace skt;

TEST_CASE("A problem has 2 to 33 keys, dyadic scores, short values and an active set that leaves some out", "[unit]") {
  std::set<Index> sizes;
  for (std::uint64_t trial = 0; trial < 500; ++trial) {
    const SparseProblem problem = random_sparse_problem({1}, trial, ActiveChoice::any);
    const Index keys = problem.scores.size();
    sizes.insert(keys);

    CHECK(keys >= 2);
    CHECK(keys <= 33);
    CHECK(problem.values.rows() == keys);
    CHECK(problem.values.rowwise().norm().maxCoeff() <= 1 + 4 * std::numeric_limits<double>::epsilon());
    for (const double s : problem.scores) {
      CHECK(std::abs(s) <= 8);
      CHECK(s * 0x1p20 == std::round(s * 0x1p20));
    }
    const std::set<Index> active(problem.active.begin(), problem.active.end());
    CHECK(active.size() == problem.active.size());
    CHECK(!active.empty());
    CHECK(problem.active.size() < std::size_t(keys));
    CHECK(*active.begin() >= 0);
    CHECK(*active.rbegin() < keys);
  }
  CHECK(*sizes.begin() == 2);
  CHECK(*sizes.rbegin() == 33);
}

TEST_CASE("A top-k set holds the highest scores in falling order, any set need not", "[unit]") {
  bool always_highest = true;
  for (std::uint64_t trial = 0; trial < 100; ++trial) {
    const SparseProblem top = random_sparse_problem({2}, trial, ActiveChoice::top_k);
    const SparseProblem any = random_sparse_problem({2}, trial, ActiveChoice::any);
    const auto highest = [](const SparseProblem& problem) {
      std::vector<double> scores(problem.scores.begin(), problem.scores.end());
      std::sort(scores.begin(), scores.end(), std::greater<>());
      scores.resize(problem.active.size());
      std::vector<double> active;
      for (const Index j : problem.active) active.push_back(problem.scores(j));
      return active == scores;
    };

    CHECK(highest(top));
    CHECK(top.scores == any.scores);
    always_highest = always_highest && highest(any);
  }
  CHECK_FALSE(always_highest);
}

TEST_CASE("A problem is a function of the seed and the trial", "[unit]") {
  const SparseProblem one = random_sparse_problem({3}, 7, ActiveChoice::any);

  CHECK(one.scores == random_sparse_problem({3}, 7, ActiveChoice::any).scores);
  CHECK(one.active == random_sparse_problem({3}, 7, ActiveChoice::any).active);
  const SparseProblem other = random_sparse_problem({3}, 8, ActiveChoice::any);
  CHECK_FALSE((one.scores.size() == other.scores.size() && one.scores == other.scores));
}

TEST_CASE("The rounding of an output is 8 (16 + 1 + 33) units", "[unit]") {
  CHECK(sparse_output_rounding() == 400 * std::numeric_limits<double>::epsilon());
}

TEST_CASE("The largest error over a quarter of the problems at smoke size is the evidence", "[unit]") {
  const Context smoke{.seed = {4}, .profile = Profile::smoke};
  int problems = 0;

  const Evidence e = no_error_on_sparse_problems(smoke, 40, ActiveChoice::any, "made up",
                                                 [&](const SparseProblem&) { return ++problems == 3 ? 0.5 : 0.25; });

  CHECK(problems == 10);
  CHECK(e.observed.lo == 0.5);
  CHECK(e.claimed == 0);
  CHECK(e.claimed_error == sparse_output_rounding());
  CHECK(e.quantity == "made up");
  CHECK(e.instance == "random splits");
  CHECK(judge(e) == Verdict::refuted);
}

TEST_CASE("An error that is not a number is not lost among the others", "[unit]") {
  int problems = 0;

  const Evidence e =
      no_error_on_sparse_problems({.seed = {4}, .profile = Profile::smoke}, 40, ActiveChoice::top_k, "made up",
                                  [&](const SparseProblem&) { return ++problems == 3 ? std::nan("") : 0.0; });

  CHECK(e.instance == "random top-k sets");
  CHECK(judge(e) == Verdict::inconclusive);
}
