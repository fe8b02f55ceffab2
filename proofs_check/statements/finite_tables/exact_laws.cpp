// Do the estimators have the binomial laws from which the exact violation probabilities are computed?
//
// As tau -> 0 with one plane every score is 0 or 1. At tau = 1e-12 a score differs from 0 or 1 by less than e^-20
// unless a projection is below 2e-11, which happens in any of the trials with a probability of 1e-5.
//
// S002-E16-law  on I-COPY
// S002-L9-law   on I-TWO, where Z~ = B in every table; two independent halves would give y = (Bin - Bin')/L
//
// Method: every value of the count, counted over trials in exact binomial intervals.
// Power: probabilities to 0.03.
#include <fmt/format.h>

#include <cmath>
#include <numbers>

#include "proofs_check/evidence.hpp"
#include "proofs_check/laws/table_scores.hpp"
#include "proofs_check/statement.hpp"
#include "proofs_check/trial_accumulators.hpp"
#include "sim/families.hpp"
#include "sim/trial_loop.hpp"

namespace skt {
namespace {

constexpr int kTables = 6;
constexpr const char* kScope = "one plane, tau -> 0";
const SoftSetting kHard{kTables, 1, {1e-12}};

double binomial_law(int n, int k, double p) {
  return std::exp(std::lgamma(n + 1) - std::lgamma(k + 1) - std::lgamma(n - k + 1)) * std::pow(p, k) *
         std::pow(1 - p, n - k);
}

using CountLaw = double (*)(int count);

// How often is statistic(w~) * L equal to each count 0 .. L? A statistic that is not a count counts for none.
std::vector<Evidence> count_frequencies(const Context& context, const Instance& instance,
                                        double (*statistic)(const FiniteTables&), CountLaw claimed) {
  constexpr int kCounts = kTables + 1;
  const std::uint64_t trials = context.trials(150'000);
  const Counts hits = run_trials(trials, Counts(kCounts), [&](std::uint32_t trial, Counts& counts) {
    const Vector weights = rescaled_weights(context, instance, kHard, trial);
    const double count = statistic(finite_tables(weights, instance.values)) * kTables;
    const double nearest = std::round(count);
    if (std::abs(count - nearest) <= 1e-6 && nearest >= 0 && nearest <= kTables) ++counts.of[std::lround(count)];
  });
  std::vector<Evidence> evidence;
  for (int c = 0; c < kCounts; ++c)
    evidence.push_back(frequency({instance.name, fmt::format("P(count = {} of {})", c, kTables)}, hits.of[c], trials,
                                 equals(claimed(c)), {context.share(kCounts), 0.03}));
  return evidence;
}

auto copies_law(CountLaw claimed) {
  return [claimed](const Context& context) {
    const Instance copies = make_instance(
        {.family = InstanceFamily::copies, .dim = 2, .copies = 5, .angle = std::numbers::pi / 3}, context.seed, 0);
    return count_frequencies(context, copies, [](const FiniteTables& t) { return t.normaliser / 5; }, claimed);
  };
}

auto two_sided_law(CountLaw claimed) {
  return [claimed](const Context& context) {
    const Instance two = make_instance({.family = InstanceFamily::two_sided, .dim = 2, .copies = 3}, context.seed, 0);
    // (1 + y)/2 is the share of tables in which +e_1 collides; a normaliser other than B is put out of range.
    return count_frequencies(
        context, two,
        [](const FiniteTables& t) { return std::abs(t.normaliser - 3) <= 1e-6 ? (1 + t.output(0)) / 2 : -1; }, claimed);
  };
}

}  // namespace

std::vector<Statement> exact_laws_statements() {
  return {{.id = "S002-E16-law",
           .title = "On equal keys the normaliser is N Bin(L, 1 - theta/pi)/L",
           .source = "derived from paper, eq. (12)",
           .kind = Kind::identity,
           .scope = kScope,
           .measure = copies_law([](int c) { return binomial_law(kTables, c, 2.0 / 3); }),
           .mutants = {{"probability 1/2", copies_law([](int c) { return binomial_law(kTables, c, 0.5); })},
                       {"Poisson",
                        copies_law([](int c) { return std::exp(-4.0 + c * std::log(4.0) - std::lgamma(c + 1)); })}}},
          {.id = "S002-L9-law",
           .title = "On two opposite clusters the output is (2 Bin(L, 1/2)/L - 1) v and the normaliser constant",
           .source = "derived from paper, eq. (6)",
           .kind = Kind::identity,
           .scope = kScope,
           .measure = two_sided_law([](int c) { return binomial_law(kTables, c, 0.5); }),
           .mutants = {
               {"two independent halves", two_sided_law([](int c) { return binomial_law(2 * kTables, 2 * c, 0.5); })},
               {"one table used L times", two_sided_law([](int c) { return c == 0 || c == kTables ? 0.5 : 0.0; })}}}};
}

}  // namespace skt
