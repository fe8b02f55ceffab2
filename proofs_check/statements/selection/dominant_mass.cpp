#include <bit>

#include "estimators/selection.hpp"
#include "proofs_check/laws/problem_in_use.hpp"
#include "proofs_check/statements/measuring.hpp"

namespace skt::dominant_mass_group {

extern const StatementGroup kGroup = {
    .question = "How much of the mass of a~_j|v_j| do the top k keys hold? (section 5.1)",
    .notes = R"(S002-DOM            of p ~ a~|v|, with "dominant" read as half
S002-DOM-corrected  the top k hold at least k/N and at most k/N times the largest over the mean a~|v|)",
    .method =
        "All sets of three of ten keys, with log-normal scores and value norms; the problem in use "
        "(problem_in_use.hpp).",
    .power = "Rounding; a bound on the mass that is a thirtieth too low.",
    .kind = Kind::ordering};

namespace {

// The mass sum_{S_k} a~_j|v_j|/S1 at the size at which SOCKET is used.
struct MassInUse {
  double mass = 0;
  double even = 0;  // k/N
  double most = 0;  // k/N times the largest over the mean a~_j|v_j|
};

MassInUse mass_in_use(const Context& context) {
  const ProblemInUse problem = problem_in_use(context);
  const Vector mass = problem.scores.cwiseProduct(problem.norms);
  const double share = real(problem.selected.size()) / real(mass.size());
  return {mass(problem.selected).sum() / mass.sum(), share, share * mass.maxCoeff() / mass.mean()};
}

// Claimed to be a share, or with 0 the share k/N of the keys.
auto selected_mass(double share) {
  return [share](const Context& context) -> std::vector<Evidence> {
    const MassInUse in_use = mass_in_use(context);
    return {
        exact({kProblemInUse, "mass of the selected keys"}, in_use.mass, at_least(share > 0 ? share : in_use.even))};
  };
}

// The largest sum of `selected` entries, over all sets of that size.
double largest_of_sets(const Vector& mass, int selected) {
  double best = 0;
  for (std::uint32_t subset = 0; subset < (1u << mass.size()); ++subset) {
    if (std::popcount(subset) != selected) continue;
    double sum = 0;
    for (Index j = 0; j < mass.size(); ++j) sum += subset >> j & 1u ? mass(j) : 0;
    best = std::max(best, sum);
  }
  return best;
}

// A log-normal number for each key.
Vector log_normal(Seed seed, std::uint32_t trial, std::uint32_t row, Index keys) {
  Vector drawn(keys);
  fill_normal(seed, {.trial = trial, .row = row}, std::span(drawn.data(), keys));
  return drawn.array().exp();
}

using Rank = Vector (*)(const Vector& scores, const Vector& norms);

// `most_over_even`: the mass is claimed to be at most so many times k/N; 0 for the bound by the largest a~|v|.
auto largest_mass(Rank rank, double most_over_even) {
  return [=](const Context& context) -> std::vector<Evidence> {
    constexpr Index kKeys = 10, kSelected = 3;
    double worst = 0;
    const auto trials = static_cast<std::uint32_t>(context.trials(200));
    for (std::uint32_t trial = 0; trial < trials; ++trial) {
      const Vector scores = log_normal(context.seed, trial, 0, kKeys),
                   norms = log_normal(context.seed, trial, 1, kKeys);
      const Vector mass = scores.cwiseProduct(norms);
      const std::vector<Index> chosen = select_keys(rank(scores, norms), {}, {.budget = kSelected});
      worst = larger(worst, largest_of_sets(mass, kSelected) / mass(chosen).sum());
    }
    const MassInUse in_use = mass_in_use(context);
    const double most = most_over_even > 0 ? most_over_even * in_use.even : in_use.most;
    return {
        supremum({"10 keys, all sets of 3", "largest mass of a set over that of the top 3"}, worst, 8 * kUnit, trials,
                 trials),
        exact({kProblemInUse, "mass of the selected keys (claim: at least k/N)"}, in_use.mass, at_least(in_use.even)),
        exact({kProblemInUse, "mass of the selected keys (claim: at most)"}, in_use.mass, at_most(most))};
  };
}

Vector by_product(const Vector& scores, const Vector& norms) {
  return scores.cwiseProduct(norms);
}
Vector by_score(const Vector& scores, const Vector&) {
  return scores;
}

}  // namespace

std::vector<Statement> statements() {
  return {
      {.id = "S002-DOM",
       .title = "Top-k preserves the dominant mass of the score distribution",
       .source = "paper, section 5.1",
       .wording = Wording::reading,
       .scope = "\"dominant\" read as at least half",
       .measure = selected_mass(0.5),
       .controls = {{"at least k/N", selected_mass(0)}},
       .expected = Verdict::refuted,
       .remark =
           "Section 5.1 announces that top-k \"preserves the dominant mass of the induced score distribution\" but "
           "gives no number and no proof; to read it as half of the mass is ours. At P = 8, L = 60, tau = .5 the "
           "scores are nearly flat: over 400 draws a tenth of the keys holds .1224 of the mass in the median, .1210 "
           "to .1244 in all."},
      {.id = "S002-DOM-corrected",
       .title = "No k keys hold more mass than the top k, which hold at least k/N",
       .source = "paper, section 5.1, made exact",
       .scope = "S1 > 0",
       .measure = largest_mass(by_product, 0),
       .mutants = {{"top-k by w^", largest_mass(by_score, 0)},
                   {"at most k/N", largest_mass(by_product, 1)},
                   {"at most 1.18 k/N", largest_mass(by_product, 1.18)}}}};
}

}  // namespace skt::dominant_mass_group
