#include "estimators/metrics/ranking_metrics.hpp"
#include "proofs_check/statements/measuring.hpp"

namespace skt::discounted_gain_group {

extern const StatementGroup kGroup = {.question = "In which range is NDCG, and when is it 1 (paper, appendix A.2)?",
                                      .method = "All orders of short lists.",
                                      .power = "Rounding; an ideal that is 4% off is seen."};

namespace {

// `metric` on every ordered list of 1 to 5 of five items.
using ListMetric = std::function<double(const std::vector<Index>& ranked, const Vector& relevance)>;

std::vector<Evidence> gain_range(const ListMetric& metric, const Vector& relevance) {
  double least = 1, largest = 0, of_sorted = 1, of_poor = 0;
  double undefined = 0;
  std::vector<Index> order(relevance.size());
  std::iota(order.begin(), order.end(), Index{0});
  do {
    for (Index k = 1; k <= std::ssize(order); ++k) {
      const std::vector<Index> ranked(order.begin(), order.begin() + k);
      const double value = metric(ranked, relevance);
      if (!std::isfinite(value)) {
        ++undefined;
        continue;
      }
      least = smaller(least, value);
      largest = larger(largest, value);
      const auto falls = [&](Index a, Index b) { return relevance(a) > relevance(b); };
      const bool sorted = std::is_sorted(ranked.begin(), ranked.end(), falls);
      const auto worst_kept =
          std::min_element(ranked.begin(), ranked.end(), [&](Index a, Index b) { return relevance(a) < relevance(b); });
      const bool is_top =
          std::count_if(order.begin(), order.end(), [&](Index j) { return relevance(j) > relevance(*worst_kept); }) < k;
      if (sorted && is_top) of_sorted = smaller(of_sorted, value);
      if (!is_top) of_poor = larger(of_poor, value);
    }
  } while (std::next_permutation(order.begin(), order.end()));
  return {exact({"all lists of five items", "lists without a finite value"}, undefined, equals(0)),
          exact({"all lists of five items", "least NDCG"}, least, at_least(0, 16 * kUnit)),
          exact({"all lists of five items", "largest NDCG"}, largest, at_most(1, 16 * kUnit)),
          exact({"sorted top-k lists", "least NDCG"}, of_sorted, at_least(1, 16 * kUnit)),
          // The k-th place is less relevant by 0.1 or more, which costs at least (2^0.1 - 1)/log2(6) of an ideal
          // below 2: more than 1/100.
          exact({"lists that miss a top-k item", "largest NDCG"}, of_poor, at_most(0.99))};
}

Vector five(double a, double b, double c, double d, double e) {
  return (Vector(5) << a, b, c, d, e).finished();
}

double over_all(const std::vector<Index>& ranked, const Vector& relevance) {
  return ndcg(ranked, relevance, Ideal::all_items).value_or(std::nan(""));
}

// DCG over ideal DCG of the same length, with any discounts log2(i + offset), i = 0, 1, .., and any sign of the
// relevance.
double discounted(const std::vector<Index>& ranked, const Vector& relevance, double offset, double ideal_offset) {
  std::vector<double> all(relevance.begin(), relevance.end());
  std::sort(all.begin(), all.end(), std::greater<>());
  double dcg = 0, ideal = 0;
  for (std::size_t i = 0; i < ranked.size(); ++i) {
    dcg += (std::exp2(relevance(ranked[i])) - 1) / std::log2(real(i) + offset);
    ideal += (std::exp2(all[i]) - 1) / std::log2(real(i) + ideal_offset);
  }
  return dcg / ideal;
}

Measure gains_of(ListMetric metric, Vector relevance) {
  return [=](const Context&) { return gain_range(metric, relevance); };
}

ListMetric with_discounts(double offset, double ideal_offset) {
  return [=](const auto& ranked, const Vector& r) { return discounted(ranked, r, offset, ideal_offset); };
}

Statement ndcg_statement() {
  const Vector graded = five(0.2, 1, 0, 0.7, 0.6);
  const ListMetric of_list = [](const std::vector<Index>& ranked, const Vector& relevance) {
    return ndcg(ranked, relevance, Ideal::retrieved_list).value_or(0);
  };
  return {.id = "S002-NDCG",
          .title = "0 <= NDCG <= 1, and 1 for the sorted top-k only",
          .source = "paper, appendix A.2",
          .wording = Wording::reading,
          .kind = Kind::inequality,
          .scope = "relevance in [0, 1], ideal over all items",
          .measure = gains_of(over_all, graded),
          .mutants = {{"ideal over the retrieved list only", gains_of(of_list, graded)},
                      {"ideal with the discount log2(i + 1.05)", gains_of(with_discounts(2, 2.05), graded)},
                      {"discount log2(i)", gains_of(with_discounts(1, 1), graded)},
                      {"negative relevance", gains_of(with_discounts(2, 2), five(0.2, 1, -3, 0.7, -0.6))}},
          .remark =
              "The paper says \"sorting items in decreasing order of relevance\" and fixes neither the relevance "
              "scale nor which items are sorted. Over all items this range holds; sorting the retrieved list "
              "alone would give 1 to a list that misses relevant items."};
}

}  // namespace

std::vector<Statement> statements() {
  return {ndcg_statement()};
}

}  // namespace skt::discounted_gain_group
