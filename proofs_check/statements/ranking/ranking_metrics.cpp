// Do the ranking metrics of the paper's Figure 2 mean what they are used for (paper, appendix A.2)?
//
// Method: all orders of short lists, and random subsets of 12 items against their definitions.
// Power: exact; each mutant changes a value on a named small instance. No randomness enters a verdict.
#include "estimators/metrics/ranking_metrics.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <iterator>
#include <limits>
#include <numeric>

#include "proofs_check/evidence.hpp"
#include "proofs_check/statement.hpp"
#include "sim/number.hpp"

namespace skt {
namespace {

constexpr double kEps = std::numeric_limits<double>::epsilon();
constexpr std::uint64_t kPairs = 4000;  // of random subsets, at the standard profile

// S002-NDCG: `metric` on every ordered list of 1 to 5 of five items.
using ListMetric = std::function<double(const std::vector<Index>& ranked, const Vector& relevance)>;

std::vector<Evidence> gain_range(const ListMetric& metric, const Vector& relevance) {
  double least = 1, largest = 0, of_sorted = 0, of_poor = 0;
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
      if (sorted && is_top) of_sorted = larger(of_sorted, std::abs(value - 1));
      if (!is_top) of_poor = larger(of_poor, value);
    }
  } while (std::next_permutation(order.begin(), order.end()));
  return {exact({"all lists of five items", "lists without a finite value"}, undefined, equals(0)),
          exact({"all lists of five items", "least NDCG"}, least, at_least(0, 16 * kEps)),
          exact({"all lists of five items", "largest NDCG"}, largest, at_most(1, 16 * kEps)),
          exact({"sorted top-k lists", "largest |NDCG - 1|"}, of_sorted, equals(0, 16 * kEps)),
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

// DCG over ideal DCG of the same length, with any discount and any sign of the relevance.
double discounted(const std::vector<Index>& ranked, const Vector& relevance, double offset) {
  std::vector<double> all(relevance.begin(), relevance.end());
  std::sort(all.begin(), all.end(), std::greater<>());
  double dcg = 0, ideal = 0;
  for (std::size_t i = 0; i < ranked.size(); ++i) {
    const double discount = std::log2(real(i) + offset);
    dcg += (std::exp2(relevance(ranked[i])) - 1) / discount;
    ideal += (std::exp2(all[i]) - 1) / discount;
  }
  return dcg / ideal;
}

// Random subsets of 12 items, the second of a size of its own or of the size of the first.
enum class Sizes { equal, free };
struct SetPair {
  std::vector<Index> a, b;
};

SetPair random_sets(const Context& context, std::uint64_t trial, Sizes sizes) {
  constexpr Index kItems = 12;
  std::vector<double> u(2 + 2 * kItems);
  fill_uniform(context.seed, {Role::test_draw, static_cast<std::uint32_t>(trial), 1, 0, 0}, u);
  const auto subset = [&](double size_draw, const double* keys) {
    std::vector<Index> all(kItems);
    std::iota(all.begin(), all.end(), Index{0});
    std::sort(all.begin(), all.end(), [&](Index i, Index j) { return keys[i] < keys[j]; });
    all.resize(1 + static_cast<std::size_t>(size_draw * real(kItems - 1)));
    return all;
  };
  return {subset(u[0], &u[2]), subset(sizes == Sizes::equal ? u[0] : u[1], &u[2 + kItems])};
}

double overlap(const SetPair& sets) {
  return real(std::count_if(sets.a.begin(), sets.a.end(),
                            [&](Index j) { return std::count(sets.b.begin(), sets.b.end(), j) > 0; }));
}

using SetFormula = std::function<double(const SetPair&)>;

// The largest |metric - formula| over random pairs of sets.
Evidence agrees(const Context& context, Sizes sizes, const std::string& quantity, const SetFormula& metric,
                const SetFormula& formula) {
  double worst = 0;
  for (std::uint64_t trial = 0; trial < context.trials(kPairs); ++trial) {
    const SetPair sets = random_sets(context, trial, sizes);
    worst = larger(worst, std::abs(metric(sets) - formula(sets)));
  }
  return exact({"random subsets of 12 items", quantity}, worst, equals(0, 8 * kEps));
}

double precision_of(const SetPair& sets) {
  return *precision(sets.a, sets.b);
}
double jaccard_of(const SetPair& sets) {
  return *jaccard(sets.a, sets.b);
}

std::vector<Evidence> precision_is(const Context& context, const SetFormula& formula) {
  return {
      agrees(context, Sizes::free, "largest |precision - |S n R|/k|", precision_of, formula),
      exact({"two of four relevant items retrieved, k = 2", "precision"}, formula({{0, 1}, {0, 1, 2, 3}}), equals(1))};
}

// S002-JACC: the definition and, for equal sizes, the function of the precision.
std::vector<Evidence> jaccard_is(const Context& context, const std::function<double(double)>& of_precision) {
  return {agrees(context, Sizes::free, "largest |Jaccard - |A n B|/|A u B||", jaccard_of,
                 [](const SetPair& s) { return overlap(s) / (real(s.a.size() + s.b.size()) - overlap(s)); }),
          agrees(context, Sizes::equal, "largest |Jaccard - f(precision)|, |A| = |B|", jaccard_of,
                 [=](const SetPair& s) { return of_precision(precision_of(s)); })};
}

// S002-F2d: the share beyond the cutoff at place `cut` (counted from 1), reached or exceeded.
enum class Cutoff { reached, exceeded };

std::vector<Evidence> beyond_cutoff(const Context& context, Cutoff cutoff, Index offset) {
  double worst = 0;
  for (std::uint64_t trial = 0; trial < context.trials(kPairs); ++trial) {
    const SetPair sets = random_sets(context, trial, Sizes::equal);
    Vector truth(12);  // the members of b are the k best, without ties
    for (Index j = 0; j < 12; ++j) truth(j) = -real(j);
    for (std::size_t i = 0; i < sets.b.size(); ++i) truth(sets.b[i]) = 12 - real(i);
    std::vector<double> sorted(truth.begin(), truth.end());
    std::sort(sorted.begin(), sorted.end(), std::greater<>());
    const double cut = sorted[std::min<Index>(11, std::ssize(sets.a) - 1 + offset)];
    const double share =
        real(std::count_if(sets.a.begin(), sets.a.end(),
                           [&](Index j) { return cutoff == Cutoff::reached ? truth(j) >= cut : truth(j) > cut; })) /
        real(sets.a.size());
    worst = larger(worst, std::abs(share - precision_of(sets)));
    worst = larger(worst, std::abs(*fraction_beyond_cutoff(sets.a, truth) - precision_of(sets)));
  }
  return {exact({"random selections from 12 items", "largest |share beyond the cutoff - precision|"}, worst,
                equals(0, 8 * kEps))};
}

Statement ndcg_statement() {
  const Vector graded = five(0.2, 1, 0, 0.7, 0.6);
  return {.id = "S002-NDCG",
          .title = "0 <= NDCG <= 1, and 1 for the sorted top-k only",
          .source = "paper, appendix A.2",
          .kind = Kind::inequality,
          .scope = "relevance in [0, 1], ideal over all items",
          .measure = [=](const Context&) { return gain_range(over_all, graded); },
          .mutants = {{"ideal over the retrieved list only",
                       [=](const Context&) {
                         return gain_range(
                             [](const std::vector<Index>& ranked, const Vector& relevance) {
                               return ndcg(ranked, relevance, Ideal::retrieved_list).value_or(0);
                             },
                             graded);
                       }},
                      {"discount log2(i)",
                       [=](const Context&) {
                         return gain_range([](const auto& ranked, const Vector& r) { return discounted(ranked, r, 1); },
                                           graded);
                       }},
                      {"negative relevance",
                       [](const Context&) {
                         return gain_range([](const auto& ranked, const Vector& r) { return discounted(ranked, r, 2); },
                                           five(0.2, 1, -3, 0.7, -0.6));
                       }}},
          .remark =
              "The paper fixes neither the relevance scale nor which items the ideal sorts. Under its literal "
              "reading (sort the list) a list that misses relevant items scores 1."};
}

Statement precision_statement() {
  return {.id = "S002-PREC",
          .title = "Precision is the relevant share of the k retrieved items",
          .source = "paper, appendix A.2",
          .kind = Kind::identity,
          .scope = "k >= 1",
          .measure =
              [](const Context& c) {
                return precision_is(c, [](const SetPair& s) { return overlap(s) / real(s.a.size()); });
              },
          .mutants = {{"divided by the number of relevant items (recall)",
                       [](const Context& c) {
                         return precision_is(c, [](const SetPair& s) { return overlap(s) / real(s.b.size()); });
                       }},
                      {"divided by the number of all items", [](const Context& c) {
                         return precision_is(c, [](const SetPair& s) { return overlap(s) / 12; });
                       }}}};
}

Statement jaccard_statement() {
  return {.id = "S002-JACC",
          .title = "Jaccard = precision/(2 - precision) for sets of one size",
          .source = "paper, appendix A.2 (the identity is not printed)",
          .kind = Kind::identity,
          .scope = "|A| = |B|",
          .measure = [](const Context& c) { return jaccard_is(c, [](double p) { return p / (2 - p); }); },
          .mutants = {{"precision/(1 + precision)",
                       [](const Context& c) { return jaccard_is(c, [](double p) { return p / (1 + p); }); }},
                      {"precision itself", [](const Context& c) { return jaccard_is(c, [](double p) { return p; }); }}},
          .remark = "Panels (a) and (b) of Figure 2 carry the same information."};
}

Statement cutoff_statement() {
  return {.id = "S002-F2d",
          .title = "The selected mass beyond the k-th true score is the precision",
          .source = "paper, Figure 2(d)",
          .kind = Kind::identity,
          .scope = "no ties in the true scores",
          .measure = [](const Context& c) { return beyond_cutoff(c, Cutoff::reached, 0); },
          .mutants = {
              {"strictly beyond", [](const Context& c) { return beyond_cutoff(c, Cutoff::exceeded, 0); }},
              {"beyond the (k+1)-th score", [](const Context& c) { return beyond_cutoff(c, Cutoff::reached, 1); }}}};
}

}  // namespace

std::vector<Statement> ranking_metrics_statements() {
  return {ndcg_statement(), precision_statement(), jaccard_statement(), cutoff_statement()};
}

}  // namespace skt
