#include "proofs_check/laws/sparse_attention_problems.hpp"

#include "proofs_check/judge.hpp"
#include "tests/numbers.hpp"

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

TEST_CASE("Scores are mapped to a range that they exceed, and left alone within it", "[unit]") {
  const Context context{.seed = {3}};
  int mapped = 0;
  for (std::uint64_t trial = 0; trial < 50; ++trial) {
    const Vector drawn = random_sparse_problem(context.seed, trial, ActiveChoice::any).scores;
    const Vector within = scores_within(context, trial, 1);
    const double range = drawn.maxCoeff() - drawn.minCoeff();

    if (range <= 1) {
      CHECK(within == drawn);
    } else {
      ++mapped;
      CHECK(std::abs(within.maxCoeff() - within.minCoeff() - 1) <= 1e-14);
      CHECK((within * range - drawn).lpNorm<Eigen::Infinity>() <= 1e-13);
    }
  }
  CHECK(mapped > 0);
  CHECK(mapped < 50);
}

TEST_CASE("The rounding of an output is 8 (16 + 1 + 33) units", "[unit]") {
  CHECK(sparse_output_rounding() == 400 * std::numeric_limits<double>::epsilon());
}

TEST_CASE("The two sides are compared on a quarter of the problems at smoke size", "[unit]") {
  const Context smoke{.seed = {4}, .profile = Profile::smoke};
  int problems = 0;

  const Evidence e = same_on_sparse_problems(
      smoke, 40, ActiveChoice::any, "made up",
      [&](const SparseProblem&, BothSides& sides) { sides.add(++problems == 3 ? 1.5 : 2, 2, 0.125); });

  CHECK(problems == 10);
  CHECK(e.observed.lo == 0.75);
  CHECK(e.claimed == 1);
  CHECK(e.claimed_error == 0.0625);
  CHECK(e.trials == 10);
  CHECK(e.quantity == "made up");
  CHECK(e.instance == "random splits");
  CHECK(judge(e) == Verdict::refuted);
}

TEST_CASE("A staircase keeps one peak and the cut, and prunes the floor", "[unit]") {
  const ActiveSet set = staircase(3, 4, 2, 1, -1);

  CHECK(set.active == 3);
  CHECK(set.pruned == 4);
  CHECK(set.peak == 2);
  CHECK(staircase(1, 1, 2, 1, 0).peak == 2);
  CHECK(set.active_max == 2);
  CHECK(set.active_min == 1);
  CHECK(set.pruned_max == -1);
  CHECK(std::abs(set.snr - (std::exp(3) + 2 * std::exp(2)) / 4) <= 1e-14 * set.snr);
}

TEST_CASE("The largest ratio is that of the sets in scope, and tells how many there were", "[unit]") {
  const Context smoke{.seed = {4}, .profile = Profile::smoke};
  int sets = 0;
  const auto ratio = [&](const ActiveSet& a) { return 1 / static_cast<double>(a.pruned); };

  const Evidence e = largest_ratio_of_sets(smoke, 400, ActiveChoice::top_k, "made up", ratio, [&](const ActiveSet& a) {
    ++sets;
    return a.pruned >= 4;
  });

  CHECK(sets == 100);
  CHECK(e.instance == "random top-k sets");
  CHECK(e.observed.lo == 0.25);
  CHECK(e.claimed == 1);
  CHECK(e.claimed_error == sparse_output_rounding());
  CHECK(e.trials == 100);
  CHECK(e.trials_in_scope > 50);
  CHECK(e.trials_in_scope < 100);
}

TEST_CASE("A ratio that is not a number is not lost among the others", "[unit]") {
  const Context smoke{.seed = {4}, .profile = Profile::smoke};
  int sets = 0;

  const Evidence e = largest_ratio_of_sets(
      smoke, 40, ActiveChoice::any, "made up", [&](const ActiveSet&) { return ++sets == 3 ? std::nan("") : 0.0; },
      every_set);

  CHECK(judge(e) == Verdict::inconclusive);
}
