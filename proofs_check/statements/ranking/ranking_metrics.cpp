#include "estimators/metrics/ranking_metrics.hpp"

#include "proofs_check/statements/measuring.hpp"

namespace skt::ranking_metrics_group {

extern const StatementGroup kGroup = {
    .question =
        "Do precision, Jaccard similarity and the cutoff of the paper's Figure 2 mean what they are used for "
        "(appendix A.2)?",
    .method = "Random subsets of 12 items against the definitions.",
    .power = "Rounding; a formula that is 2% off is seen, and one that moves a key."};

namespace {

constexpr std::uint64_t kPairs = 4000;  // of random subsets, at the standard profile

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

// The largest and the least metric/formula over random pairs of sets; 1 where both are 0.
void agree(const Context& context, Sizes sizes, const std::string& names, const SetFormula& metric,
           const SetFormula& formula, std::vector<Evidence>& evidence) {
  double most = 0, least = HUGE_VAL;
  for (std::uint64_t trial = 0; trial < context.trials(kPairs); ++trial) {
    const SetPair sets = random_sets(context, trial, sizes);
    const double value = metric(sets), claimed = formula(sets);
    const double ratio = value == 0 && claimed == 0 ? 1 : value / claimed;
    most = larger(most, ratio), least = smaller(least, ratio);
  }
  evidence.push_back(exact({"random subsets of 12 items", "largest " + names}, most, at_most(1, 8 * kUnit)));
  evidence.push_back(exact({"random subsets of 12 items", "least " + names}, least, at_least(1, 8 * kUnit)));
}

double precision_of(const SetPair& sets) {
  return *precision(sets.a, sets.b);
}
double jaccard_of(const SetPair& sets) {
  return *jaccard(sets.a, sets.b);
}

std::vector<Evidence> precision_is(const Context& context, const SetFormula& formula) {
  std::vector<Evidence> evidence;
  agree(context, Sizes::free, "precision/(|S n R|/k)", precision_of, formula, evidence);
  evidence.push_back(
      exact({"two of four relevant items retrieved, k = 2", "precision"}, formula({{0, 1}, {0, 1, 2, 3}}), equals(1)));
  return evidence;
}

// S002-JACC: the definition and, for equal sizes, the function of the precision.
std::vector<Evidence> jaccard_is(const Context& context, const std::function<double(double)>& of_precision) {
  std::vector<Evidence> evidence;
  agree(
      context, Sizes::free, "Jaccard/(|A n B|/|A u B|)", jaccard_of,
      [](const SetPair& s) { return overlap(s) / (real(s.a.size() + s.b.size()) - overlap(s)); }, evidence);
  agree(
      context, Sizes::equal, "Jaccard/f(precision), |A| = |B|", jaccard_of,
      [&](const SetPair& s) { return of_precision(precision_of(s)); }, evidence);
  return evidence;
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
                equals(0, 8 * kUnit))};
}

Statement precision_statement() {
  const auto divided_by = [](double (*size)(const SetPair&)) {
    return [=](const Context& c) { return precision_is(c, [=](const SetPair& s) { return overlap(s) / size(s); }); };
  };
  return {.id = "S002-PREC",
          .title = "Precision is the relevant share of the k retrieved items",
          .source = "paper, appendix A.2",
          .quote = "Precision measures the fraction of retrieved items that are relevant.",
          .scope = "k >= 1",
          .measure = divided_by([](const SetPair& s) { return real(s.a.size()); }),
          .mutants = {{"divided by the number of relevant items (recall)",
                       divided_by([](const SetPair& s) { return real(s.b.size()); })},
                      {"divided by 1.02 k", divided_by([](const SetPair& s) { return 1.02 * real(s.a.size()); })},
                      {"divided by the number of all items", divided_by([](const SetPair&) { return 12.0; })}}};
}

Statement jaccard_statement() {
  const auto is = [](double (*of_precision)(double)) {
    return [=](const Context& c) { return jaccard_is(c, of_precision); };
  };
  return {.id = "S002-JACC",
          .title = "Jaccard = precision/(2 - precision) for sets of one size",
          .source = "derived from paper, appendix A.2",
          .scope = "|A| = |B|",
          .measure = is([](double p) { return p / (2 - p); }),
          .mutants = {{"precision/(1 + precision)", is([](double p) { return p / (1 + p); })},
                      {"precision/(2.02 - precision)", is([](double p) { return p / (2.02 - p); })},
                      {"precision itself", is([](double p) { return p; })}},
          .remark = "Panels (a) and (b) of Figure 2 carry the same information."};
}

Statement cutoff_statement() {
  const auto beyond = [](Cutoff cutoff, Index offset) {
    return [=](const Context& c) { return beyond_cutoff(c, cutoff, offset); };
  };
  return {.id = "S002-F2d",
          .title = "The selected mass beyond the k-th true score is the precision",
          .source = "paper, Figure 2(d) and section 1",
          .quote = "Scores exceeding this threshold correspond to true top-k keys.",
          .scope = "no ties in the true scores",
          .measure = beyond(Cutoff::reached, 0),
          .mutants = {{"strictly beyond", beyond(Cutoff::exceeded, 0)},
                      {"beyond the (k+1)-th score", beyond(Cutoff::reached, 1)}},
          .no_near_mutant = "Shares of at most 12 keys: a cutoff one place off counts a whole key more or less."};
}

}  // namespace

std::vector<Statement> statements() {
  return {precision_statement(), jaccard_statement(), cutoff_statement()};
}

}  // namespace skt::ranking_metrics_group
