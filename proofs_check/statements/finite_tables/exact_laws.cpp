#include "proofs_check/laws/table_scores.hpp"
#include "proofs_check/statements/measuring.hpp"

namespace skt::exact_laws_group {

extern const StatementGroup kGroup = {
    .question =
        "Do the estimators have the laws from which exact quantiles of their errors are computed? "
        "(laws/tight_instances.hpp)",
    .notes = R"(
As tau -> 0 with one plane every score is 0 or 1. At tau = 1e-12 a score differs from 0 or 1 by less than e^-20
unless a projection is below 2e-11, which happens in any of the trials with a probability of 1e-5.

S002-E16-law            on I-COPY
S002-L9-law             on I-TWO, where Z~ = B in every table; two independent halves would give y = (Bin - Bin')/L
S002-L9-law-dimensions  on I-TWO(1) along two axes: the sum of the coordinates of L y is a sum of 2L independent
                        signs over 2; with one sign for both axes only every other value would occur)",
    .method = "The frequency of every value of the count over trials, in exact binomial intervals.",
    .power = "Probabilities to 0.03.",
    .scope = "one plane, tau -> 0",
    .chance = Chance::random,
    .trials = Trials::kept};

namespace {

constexpr int kTables = 6;
const SoftSetting kHard{kTables, 1, {1e-12}};

double binomial_law(int n, int k, double p) {
  return std::exp(std::lgamma(n + 1) - std::lgamma(k + 1) - std::lgamma(n - k + 1)) * std::pow(p, k) *
         std::pow(1 - p, n - k);
}

using CountLaw = double (*)(int count);

// What of Z~ and y is a count, from 0 to `most`; out of that range where it is not one.
struct Counted {
  Instance instance;
  int most;
  double (*count)(const FiniteTables&);
};

// The trials beside the claimed law, for a plot.
KeptTrials kept_counts(const Counted& counted, const std::vector<std::uint64_t>& hits, std::uint64_t trials,
                       CountLaw claimed) {
  KeptTrials kept{counted.instance.name, fmt::format("count of {}", counted.most), Relation::equal, {}, {}};
  double claimed_below = 0;
  std::uint64_t whole = 0;
  for (int c = 0; c <= counted.most; ++c) {
    claimed_below += claimed(c);
    whole += hits[c];
    kept.law.push_back({real(c), claimed_below});
    if (hits[c] > 0) kept.values.push_back({real(c), hits[c]});
  }
  if (whole < trials) kept.values.push_back({std::numeric_limits<double>::infinity(), trials - whole});
  return kept;
}

// How often does each count occur? What is not a whole number counts for none.
auto count_frequencies(Counted (*counted_of)(const Context&), CountLaw claimed) {
  return [=](const Context& context) {
    const Counted counted = counted_of(context);
    const int values = counted.most + 1;
    const std::uint64_t trials = context.trials(120'000);
    const Counts hits = run_trials(trials, Counts(values), [&](std::uint32_t trial, Counts& counts) {
      const Vector weights = rescaled_weights(context, counted.instance, kHard, trial);
      const double count = counted.count(finite_tables(weights, counted.instance.values));
      const double nearest = std::round(count);
      if (std::abs(count - nearest) <= 1e-6 && nearest >= 0 && nearest <= counted.most) ++counts.of[std::lround(count)];
    });
    context.keep(kept_counts(counted, hits.of, trials, claimed));
    std::vector<Evidence> evidence;
    for (int c = 0; c < values; ++c)
      evidence.push_back(frequency({counted.instance.name, fmt::format("P(count = {} of {})", c, counted.most)},
                                   hits.of[c], trials, equals(claimed(c)), {context.share(values), 0.03}));
    return evidence;
  };
}

Counted copies(const Context& context) {
  return {make_instance({.family = InstanceFamily::copies, .dim = 2, .copies = 5, .angle = std::numbers::pi / 3},
                        context.seed, 0),
          kTables, [](const FiniteTables& t) { return t.normaliser / 5 * kTables; }};
}

// (1 + y)/2 is the share of tables in which +e_1 collides; a normaliser other than B is put out of range.
Counted two_sided(const Context& context) {
  return {
      make_instance({.family = InstanceFamily::two_sided, .dim = 2, .copies = 3}, context.seed, 0), kTables,
      [](const FiniteTables& t) { return std::abs(t.normaliser - 3) <= 1e-6 ? (1 + t.output(0)) / 2 * kTables : -1; }};
}

// y = (S, S')/(2L) for two sums of L signs, of which (S + S')/2 + L are positive.
Counted two_pairs(const Context&) {
  Matrix along(4, 2);
  along << 1, 0, -1, 0, 0, 1, 0, -1;
  Matrix keys = Matrix::Zero(4, 3);
  keys.leftCols(2) = along;
  return {{"I-TWO(1) along two axes", Vector::Unit(3, 2), keys, along}, 2 * kTables, [](const FiniteTables& t) {
            return std::abs(t.normaliser - 2) <= 1e-6 ? (1 + t.output.sum()) * kTables : -1;
          }};
}

double half_of_six(int c) {
  return binomial_law(kTables, c, 0.5);
}
double half_of_twelve(int c) {
  return binomial_law(2 * kTables, c, 0.5);
}

}  // namespace

std::vector<Statement> statements() {
  const auto of = [](auto counted, CountLaw law) { return count_frequencies(counted, law); };
  return {{.id = "S002-E16-law",
           .title = "On equal keys the normaliser is N Bin(L, 1 - theta/pi)/L",
           .source = "derived from paper, eq. (12)",
           .measure = of(copies, [](int c) { return binomial_law(kTables, c, 2.0 / 3); }),
           .mutants = {{"probability .705", of(copies, [](int c) { return binomial_law(kTables, c, 0.705); })},
                       {"probability 1/2", of(copies, half_of_six)},
                       {"Poisson",
                        of(copies, [](int c) { return std::exp(-4.0 + c * std::log(4.0) - std::lgamma(c + 1)); })}}},
          {.id = "S002-L9-law",
           .title = "On two opposite clusters the output is (2 Bin(L, 1/2)/L - 1) v and the normaliser is constant",
           .source = "derived from paper, eq. (6)",
           .measure = of(two_sided, half_of_six),
           .mutants = {{"probability .54", of(two_sided, [](int c) { return binomial_law(kTables, c, 0.54); })},
                       {"two independent halves", of(two_sided, [](int c) { return half_of_twelve(2 * c); })},
                       {"one table used L times",
                        of(two_sided, [](int c) { return c == 0 || c == kTables ? 0.5 : 0.0; })}}},
          {.id = "S002-L9-law-dimensions",
           .title = "On pairs of opposite keys along orthogonal axes, the signs of the output are independent",
           .source = "derived from paper, eq. (6)",
           .measure = of(two_pairs, half_of_twelve),
           .mutants = {{"probability .537", of(two_pairs, [](int c) { return binomial_law(2 * kTables, c, 0.537); })},
                       {"one sign for both axes",
                        of(two_pairs, [](int c) { return c % 2 == 0 ? half_of_six(c / 2) : 0.0; })}}}};
}

}  // namespace skt::exact_laws_group
