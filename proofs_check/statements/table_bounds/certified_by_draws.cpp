#include "proofs_check/bounds/fresh_tables.hpp"
#include "proofs_check/bounds/redraws.hpp"
#include "proofs_check/laws/instances/two_point_tables.hpp"
#include "proofs_check/statements/measuring.hpp"
#include "sim/statistics/binomial_tails.hpp"

namespace skt::certified_by_draws_group {

extern const StatementGroup kGroup = {
    .question =
        "Do the bounds that rest on further draws keep their probability, those draws included? (Corollary 4(ii), "
        "Theorem 5)",
    .method =
        "Fresh tables whose ||xi||^2 takes two values. The number of large ones is binomial, in the part that chooses "
        "the cut and in the part that certifies, so the probability of a miss is a finite sum over both and over the "
        "user's tables. For redraws: the rank of the error of the drawn tables, and errors that tie.",
    .power =
        "Exact. For the fresh tables, leaving out what they cannot have seen is noticed; smaller Hoeffding widths "
        "would not be.",
    .kind = Kind::high_probability};

namespace {

constexpr double kRounding = 1e-10;  // sums of some thousand binomial probabilities

struct FreshCase {
  double chance;  // of a jump
  Index tables;
  Index fresh;
  double delta;
};

// `fresh` tables of which the first is a jump or not, and `later` jumps among those that certify.
FreshTables fresh_tables(const FreshCase& at, Index first_part, Index in_first, Index later) {
  const double usual = at.chance * at.chance, jump = (1 - at.chance) * (1 - at.chance);
  FreshTables fresh{Vector::Constant(at.fresh, usual)};
  if (in_first > 0) fresh.squared_norms(0) = jump;
  fresh.squared_norms.segment(first_part, later).setConstant(jump);
  return fresh;
}

using RadiusOfFresh = double (*)(const CertifiedLaw&, const TargetMoments&, double tables, double delta);

// P(miss) over fresh tables and own tables alike.
double missed(const FreshCase& at, RadiusOfFresh radius) {
  const TwoPointTables law = jump_tables(at.chance);
  const Vector zero = Vector::Zero(1);
  const TargetMoments moments = law.moments(zero);
  const Index first_part = at.fresh / 20, others = at.fresh - first_part;
  const double none_in_first = std::pow(1 - at.chance, real(first_part));
  double sum = 0;
  for (Index later = 0; later <= others; ++later) {
    const double probability = binomial_probability(later, others, at.chance);
    if (probability < 1e-18) continue;  // all of them together stay below the rounding
    for (const Index in_first : {0, 1}) {
      const CertifiedLaw certified = certified_law(fresh_tables(at, first_part, in_first, later));
      const double r = radius(certified, moments, real(at.tables), at.delta);
      const double miss = miss_probability(law, at.tables, zero, [r](const TableSums&) { return r; });
      sum += probability * (in_first == 0 ? none_in_first : 1 - none_in_first) * miss;
    }
  }
  return sum;
}

auto keeps_delta(RadiusOfFresh radius) {
  return [radius](const Context&) -> std::vector<Evidence> {
    Largest few, many;
    for (const FreshCase& at : {FreshCase{0.00095, 60, 40, 0.05}, {0.014, 4, 40, 0.03}, {0.01, 4, 200, 0.05}})
      few.add(missed(at, radius) / at.delta);
    for (const double chance : {1e-4, 1e-3, 0.01, 0.045, 0.05, 0.2})
      for (const Index tables : {1, 4}) many.add(missed({chance, tables, 2000, 0.05}, radius) / 0.05);
    return {supremum({"40 and 200 fresh tables", "P(error > radius)/delta"}, few.value, kRounding, few.trials,
                     few.in_scope),
            supremum({"2000 fresh tables, jumps of probability 1e-4 to .2", "P(error > radius)/delta"}, many.value,
                     kRounding, many.trials, many.in_scope)};
  };
}

double nothing_beyond(const CertifiedLaw& certified, const TargetMoments& at, double tables, double delta) {
  CertifiedLaw law = certified;
  law.beyond = 0;
  return certified_a_priori_bound(law, at, tables, delta);
}
// The exceptions at work in the moments, but not paid for from delta.
double exceptions_unpaid(const CertifiedLaw& law, const TargetMoments& at, double tables, double delta) {
  return certified_a_priori_bound(law, at, tables, std::min(0.999, delta + tables * law.beyond));
}

// Theorem 5.
using Rank = Index (*)(Index redraws, double delta);

// E_0 > E_(rank) for errors without ties: E_0 is among the n + 1 - rank largest of n + 1.
double above_without_ties(Index redraws, Index rank) {
  return real(redraws + 1 - rank) / real(redraws + 1);
}

// The same for errors that are 1, .., values with equal probability: E_0 = e, and `rank` of n are below e.
double above_with_ties(Index redraws, Index rank, Index values) {
  double sum = 0;
  for (Index e = 1; e <= values; ++e)
    sum += binomial_at_least(rank, redraws, real(e - 1) / real(values)) / real(values);
  return sum;
}

struct Redraws {
  Index number;
  double delta;
};
auto keeps_rank(Rank rank, std::vector<Redraws> cases) {
  return [=](const Context&) -> std::vector<Evidence> {
    Largest without, with;
    for (const auto& [redraws, delta] : cases) {
      const Index at = rank(redraws, delta);
      without.add(above_without_ties(redraws, at) / delta);
      for (const Index values : {2, 20, 1000}) with.add(above_with_ties(redraws, at, values) / delta);
    }
    return {supremum({"errors without ties", "P(E_0 > E_(kk))/delta"}, without.value, kRounding, without.trials,
                     without.in_scope),
            supremum({"errors of 2, 20 and 1000 values", "P(E_0 > E_(kk))/delta"}, with.value, kRounding, with.trials,
                     with.in_scope)};
  };
}
const std::vector<Redraws> kRedraws{{19, 0.05}, {199, 0.05}, {200, 0.05}, {999, 0.01}, {1999, 0.05}, {3, 0.3}};

Index one_lower(Index redraws, double delta) {
  return redraw_rank(redraws, delta) - 1;
}
Index of_the_redraws_alone(Index redraws, double delta) {
  return std::lround(std::floor((1 - delta) * real(redraws)));
}

}  // namespace

std::vector<Statement> statements() {
  return {{.id = "OWN-4ii",
           .title = "|y_tauL - y_tau| <= r of Corollary 3 with what fresh tables certify, except with probability "
                    "delta",
           .source = "docs/bounds/planned_tables.md, Corollary 4(ii)",
           .scope = "independent tables, fresh ones included; any keys, values, tau and P",
           .measure = keeps_delta(certified_a_priori_bound),
           .mutants = {{"p0 = 0", keeps_delta(nothing_beyond)},
                       {"delta - beta for delta - beta - L p0", keeps_delta(exceptions_unpaid)}}},
          {.id = "OWN-5",
           .title = "The error of the drawn tables exceeds the kk-th smallest of n redraws with probability at most "
                    "delta",
           .source = "docs/bounds/redraws.md, Theorem 5",
           .scope = "independent redraws; any functional of the tables; kk = ceil((1 - delta)(n + 1)) <= n",
           .measure = keeps_rank(redraw_rank, kRedraws),
           .mutants = {{"kk - 1, n = 1999", keeps_rank(one_lower, {{1999, 0.05}})},
                       {"kk - 1", keeps_rank(one_lower, kRedraws)},
                       {"floor((1 - delta) n)", keeps_rank(of_the_redraws_alone, kRedraws)}}}};
}

}  // namespace skt::certified_by_draws_group
