#include "estimators/metrics/ranking_metrics.hpp"

#include "tests/estimators/metrics/vector_of.hpp"
#include "tests/numbers.hpp"

using namespace skt;

TEST_CASE("Precision divides by the selection, not by the relevant set", "[unit]") {
  CHECK(precision({0, 1}, {1, 2, 3, 4}) == 0.5);
  CHECK(precision({4, 3, 2}, {2, 3, 4}) == 1.0);
  CHECK(precision({0}, {}) == 0.0);
  CHECK_FALSE(precision({}, {1}).has_value());
}

TEST_CASE("Jaccard is intersection over union, and Prec/(2 - Prec) for sets of one size", "[unit]") {
  CHECK(jaccard({0, 1}, {1, 2, 3}) == 0.25);
  CHECK(jaccard({5}, {}) == 0.0);
  CHECK_FALSE(jaccard({}, {}).has_value());

  for (Index shift = 0; shift <= 8; ++shift) {  // overlap 8 - shift of 8
    std::vector<Index> a(8), b(8);
    std::iota(a.begin(), a.end(), Index{0});
    std::iota(b.begin(), b.end(), shift);
    const double p = *precision(a, b);
    CHECK(std::abs(*jaccard(a, b) - p / (2 - p)) <= 2 * std::numeric_limits<double>::epsilon());
  }
}

TEST_CASE("The share beyond the cutoff is the precision of the top k where scores differ", "[unit]") {
  const Vector scores = vector_of({0.5, 3, -1, 2, 7, 1});

  CHECK(fraction_beyond_cutoff({4, 1, 0}, scores) == 2.0 / 3);  // top 3: 4, 1, 3
  CHECK(fraction_beyond_cutoff({3, 4, 1}, scores) == 1.0);      // the k-th itself counts
  CHECK_FALSE(fraction_beyond_cutoff({}, scores).has_value());
}

TEST_CASE("No order of the items beats the ideal, and sorted relevance reaches it", "[unit]") {
  const Vector relevance = vector_of({0.2, 1, 0, 0.7, 0.7});
  std::vector<Index> order{0, 1, 2, 3, 4};
  double best = 0;
  do {
    for (std::size_t k = 1; k <= order.size(); ++k) {
      const std::vector<Index> ranked(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(k));
      const double value = *ndcg(ranked, relevance, Ideal::all_items);
      REQUIRE(value <= 1 + 8 * std::numeric_limits<double>::epsilon());
      if (k == 3) best = std::max(best, value);
    }
  } while (std::next_permutation(order.begin(), order.end()));

  CHECK(best == 1.0);
  CHECK(*ndcg({1, 3, 4}, relevance, Ideal::all_items) == 1.0);
}

TEST_CASE("DCG discounts place i by log2(i + 1)", "[unit]") {
  CHECK(discounted_gain({1}) == 1);                              // (2^1 - 1)/log2(2)
  CHECK(discounted_gain({0, 0, 1}) == 0.5);                      // 1/log2(4)
  CHECK(discounted_gain({2, 0, 0, 0, 0, 0, 1}) == 3 + 1.0 / 3);  // 3/log2(2) + 1/log2(8)
}

TEST_CASE("The ideal of the retrieved list alone gives a perfect score to a poor but sorted list", "[unit]") {
  const Vector relevance = vector_of({1, 0.9, 0.1, 0.05});

  CHECK(*ndcg({2, 3}, relevance, Ideal::retrieved_list) == 1.0);
  CHECK(*ndcg({2, 3}, relevance, Ideal::all_items) < 0.1);
}

TEST_CASE("Undefined NDCG is no number and negative relevance is refused", "[unit]") {
  CHECK_FALSE(ndcg({0, 1}, vector_of({0, 0, 0}), Ideal::all_items).has_value());
  CHECK_THROWS_AS(ndcg({0, 1}, vector_of({-1, 2}), Ideal::all_items), InputError);
  CHECK_THROWS_AS(ndcg({0}, vector_of({std::nan(""), 2}), Ideal::all_items), InputError);
}

TEST_CASE("Binary relevance marks the k best, ties to the lower index; graded relevance spans 0 to 1", "[unit]") {
  CHECK(binary_relevance(vector_of({1, 2, 2, 2}), 2) == vector_of({0, 1, 1, 0}));
  CHECK(binary_relevance(vector_of({1, 2}), 5) == vector_of({1, 1}));
  CHECK(graded_relevance(vector_of({-3, 1, -1})) == vector_of({0, 1, 0.5}));
  CHECK(graded_relevance(vector_of({4, 4})) == vector_of({0, 0}));
}

namespace {

const Vector kTrueScores{{0.0, 1.0, 2.0, -1.0}};

}  // namespace

TEST_CASE("Keys retrieved in their true order have an NDCG of one as printed, whatever is missing", "[unit]") {
  CHECK(ndcg_as_printed({2, 1, 0}, kTrueScores) == 1);
  CHECK(ndcg_as_printed({1, 0}, kTrueScores) == 1);
}

TEST_CASE("A wrong order costs what the discounts say, as printed", "[unit]") {
  // Gains 2^1 - 1 = 1 and 2^2 - 1 = 3, discounts 1 and log2 3.
  const double second = 1 / std::log2(3.0);

  CHECK(std::abs(ndcg_as_printed({1, 2}, kTrueScores) - (1 + 3 * second) / (3 + second)) <= 1e-15);
}

TEST_CASE("A negative score counts with its negative gain, as printed", "[unit]") {
  // Gains -1/2 and 1.
  const double second = 1 / std::log2(3.0);

  CHECK(std::abs(ndcg_as_printed({3, 1}, kTrueScores) - (-0.5 + second) / (1 - 0.5 * second)) <= 1e-15);
}
