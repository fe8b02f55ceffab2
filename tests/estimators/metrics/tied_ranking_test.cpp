#include "estimators/metrics/tied_ranking.hpp"

#include "estimators/metrics/ranking_metrics.hpp"
#include "tests/estimators/metrics/vector_of.hpp"
#include "tests/numbers.hpp"

using namespace skt;

namespace {

struct Enumerated {
  double worst = std::numeric_limits<double>::infinity(), sum = 0, best = 0;
  int orders = 0;

  void add(double x) {
    worst = std::min(worst, x);
    best = std::max(best, x);
    sum += x;
    ++orders;
  }
};

// Sums of at most 7! terms of size 1, each right to a few units in the last place.
constexpr double kRounding = 64 * std::numeric_limits<double>::epsilon();

void check_equal(const OverTies& got, const Enumerated& want) {
  CHECK(std::abs(got.worst - want.worst) <= kRounding);
  CHECK(std::abs(got.average - want.sum / want.orders) <= 5040 * kRounding);
  CHECK(std::abs(got.best - want.best) <= kRounding);
}

}  // namespace

TEST_CASE("Metrics over ties agree with the enumeration of all orders of the tied keys", "[unit]") {
  const Vector scores = vector_of({2, 1, 2, 0, 1, 1, 0});
  const Vector relevant = vector_of({1, 0, 0, 1, 1, 0, 0});
  const Vector graded = vector_of({0.3, 0.1, 1, 0.9, 0.4, 0, 0.2});
  const TieGroups groups = tie_groups(scores);
  std::vector<Index> relevant_set;
  for (Index j = 0; j < relevant.size(); ++j) {
    if (relevant(j) != 0) relevant_set.push_back(j);
  }

  for (Index k = 1; k <= scores.size(); ++k) {
    Enumerated precisions, jaccards, ndcgs;
    std::vector<Index> order{0, 1, 2, 3, 4, 5, 6};
    do {
      const auto rises = [&](std::size_t i) { return scores(order[i]) < scores(order[i + 1]); };
      bool sorted = true;
      for (std::size_t i = 0; i + 1 < order.size(); ++i) sorted = sorted && !rises(i);
      if (!sorted) continue;
      const std::vector<Index> top(order.begin(), order.begin() + k);
      precisions.add(*precision(top, relevant_set));
      jaccards.add(*jaccard(top, relevant_set));
      ndcgs.add(*ndcg(top, graded, Ideal::all_items));
    } while (std::next_permutation(order.begin(), order.end()));

    REQUIRE(precisions.orders == 2 * 6 * 2);
    check_equal(precision_over_ties(groups, relevant, k), precisions);
    check_equal(jaccard_over_ties(groups, relevant, k), jaccards);
    check_equal(*ndcg_over_ties(groups, graded, k), ndcgs);
  }
}

TEST_CASE("Without ties worst, average and best agree with the plain metric", "[unit]") {
  const Vector scores = vector_of({0.5, 3, -1, 2});
  const Vector truth = vector_of({4, 3, 2, 1});
  const TieGroups groups = tie_groups(scores);
  CHECK(groups.order == std::vector<Index>{1, 3, 0, 2});

  const OverTies p = precision_over_ties(groups, binary_relevance(truth, 2), 2);

  CHECK(p.worst == 0.5);
  CHECK(p.average == 0.5);
  CHECK(p.best == 0.5);
}

TEST_CASE("When every score ties, the average precision is the share of relevant keys", "[unit]") {
  Vector relevant = Vector::Zero(4096);
  relevant.head(1024).setOnes();
  const TieGroups groups = tie_groups(Vector::Zero(4096));

  const OverTies p = precision_over_ties(groups, relevant, 512);
  const OverTies j = jaccard_over_ties(groups, relevant, 512);

  CHECK(p.average == 0.25);
  CHECK(p.worst == 0);
  CHECK(p.best == 1);
  // Jensen: m/(s - m) is convex in the overlap m, of mean 128 and variance below 128. Its second derivative is at most
  // 2 s/(s - m)^3 < 3e-6 for m <= 512, s = 1536, so the excess is below 128 * 3e-6 / 2.
  CHECK(j.average >= 128.0 / 1408);
  CHECK(j.average <= 128.0 / 1408 + 2e-4);
}

TEST_CASE("A cut beyond the keys, another number of keys and NaN are refused", "[unit]") {
  const TieGroups groups = tie_groups(vector_of({1, 2}));

  CHECK_THROWS_AS(precision_over_ties(groups, vector_of({1, 0}), 3), InputError);
  CHECK_THROWS_AS(precision_over_ties(groups, vector_of({1, 0}), 0), InputError);
  CHECK_THROWS_AS(jaccard_over_ties(groups, vector_of({1, 0, 1}), 1), InputError);
  CHECK_THROWS_AS(tie_groups(vector_of({1, std::nan("")})), InputError);
  CHECK_FALSE(ndcg_over_ties(groups, vector_of({0, 0}), 1).has_value());
}

TEST_CASE("A key is included before the cut's tie group, in proportion within it and not behind it", "[unit]") {
  const TieGroups ranking = tie_groups(Vector{{2, 5, 2, 1, 2, 2}});

  CHECK(inclusion_probability(ranking, 0) == Vector::Zero(6));
  CHECK(inclusion_probability(ranking, 1) == Vector{{0, 1, 0, 0, 0, 0}});
  CHECK(inclusion_probability(ranking, 4) == Vector{{0.75, 1, 0.75, 0, 0.75, 0.75}});
  CHECK(inclusion_probability(ranking, 6) == Vector::Ones(6));
  CHECK_THROWS_AS(inclusion_probability(ranking, 7), InputError);
}
