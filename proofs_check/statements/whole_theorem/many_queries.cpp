#include <cstdint>

#include "estimators/collision_scores.hpp"
#include "proofs_check/laws/exact_tails.hpp"
#include "proofs_check/statements/measuring.hpp"

namespace skt::many_queries_group {

extern const StatementGroup kGroup = {
    .question = "For how many queries does one draw of the tables serve? (Theorem 3 is for one fixed query)",
    .notes = R"(
A decode hashes the keys once, and all its queries see the same tables. Let a bound hold for each query with
probability 1 - delta. Then at most delta of them lie outside in expectation, however they depend on each other; that
all n lie inside with probability 1 - delta follows from the bound at delta/n, by the union bound.

I-TWO as tau -> 0, seen from n orthogonal queries e_2, .., e_{n+1}: the key e_1 collides with query i in a table where
its hyperplane w has the sign of w_1 at w_{i+1}. Given w_1 these are n independent fair coins. So the error of query i
is |2 H_i/L - 1| with H_i ~ Bin(L, 1/2), independent for the n queries although they share all tables, and
P(some query outside) = 1 - (1 - p)^n, p the probability of one. The bound is the tightest that there is: the exact
(1 - delta)-quantile, at L = 10^6, where a step of the binomial law changes p by less than 1%.)",
    .method = "Exact binomial tails; for eight queries at L = 60, tables drawn, keys hashed and collisions counted.",
    .power =
        "Exact; for the counted shares, a probability off by 0.08 is seen with probability above 0.99 at smoke size."};

namespace {

constexpr Index kQueries = 8;
constexpr double kDelta = 0.1;
constexpr std::uint64_t kManyTables = 1'000'000;
constexpr Index kFewTables = 60;

// P(a query lies outside its exact (1 - level)-quantile): level, or a little less.
double outside(std::uint64_t tables, double level) {
  return two_stage_deviation(tables, 0, two_stage_quantile(tables, 0, level) + 0.5 / real(tables));
}

// P(at least one of n independent events of probability p).
double some_of(double p, Index n) {
  return -std::expm1(real(n) * std::log1p(-p));
}

// The bound for one query at the level delta, and for all of them at `level_of_all`.
std::vector<Evidence> exact_laws(double claimed_share, double level_of_all) {
  const std::string instance = fmt::format("I-TWO(1) from {} queries, L={}", kQueries, kManyTables);
  return {exact({instance, "expected share of the queries outside the bound at delta"}, outside(kManyTables, kDelta),
                at_most(claimed_share)),
          exact({instance, fmt::format("P(some query outside the bound at {:.5f})", level_of_all)},
                some_of(outside(kManyTables, level_of_all), kQueries), at_most(kDelta))};
}

// Over draws of tables: the share of queries outside, and how often it is above 0.
struct Outside {
  Moments share;
  std::uint64_t some = 0;
  void merge(const Outside& later) {
    share.merge(later.share);
    some += later.some;
  }
};

std::vector<Evidence> counted(const Context& context, double claimed_some) {
  const Instance two =
      make_instance({.family = InstanceFamily::two_sided, .dim = kQueries + 1, .copies = 1}, context.seed, 0);
  const double bound =
      two_stage_quantile(kFewTables, 0, kDelta) + 0.5 / real(kFewTables);  // between two lattice points
  const std::uint64_t trials = context.trials(8'000);
  const Outside counts = run_trials(trials, Outside{}, [&](std::uint32_t trial, Outside& total) {
    const Hyperplanes planes = context.estimators.draw(context.seed, trial, kFewTables, 1, two.dim());
    const KeyCodes codes = context.estimators.hash(planes, two.keys);
    double missed = 0;
    for (Index i = 1; i <= kQueries; ++i) {
      const Vector collisions = hard_scores(planes, codes, Vector::Unit(two.dim(), i));
      missed += weighted_output(collisions, two.values).norm() > bound ? 1 : 0;
    }
    total.share.add(missed / real(kQueries));
    total.some += missed > 0 ? 1 : 0;
  });
  const std::string instance = fmt::format("I-TWO(1) from {} queries, L={}", kQueries, kFewTables);
  const Precision precision{context.share(2), 0.15};
  return {mean_of_bounded({instance, "mean share of the queries outside the bound at delta"}, counts.share, 1,
                          equals(outside(kFewTables, kDelta), 1e-14), precision),
          frequency({instance, "P(some query outside the bound at delta)"}, counts.some, trials,
                    equals(claimed_some, 1e-14), precision)};
}

std::vector<Evidence> shared_tables(const Context& context) {
  std::vector<Evidence> evidence = exact_laws(kDelta, kDelta / real(kQueries));
  for (Evidence& piece : counted(context, some_of(outside(kFewTables, kDelta), kQueries)))
    evidence.push_back(std::move(piece));
  return evidence;
}

}  // namespace

std::vector<Statement> statements() {
  const auto exactly = [](double share, double level) {
    return [=](const Context&) { return exact_laws(share, level); };
  };
  return {
      {.id = "S002-T3-queries",
       .title = "Of n queries that share a draw of tables, an expected share delta exceed a bound; at delta/n, none "
                "does",
       .source = "derived from paper, Theorem 3, which is for one fixed query",
       .kind = Kind::high_probability,
       .scope = "queries that do not depend on the tables; a bound that each query exceeds with probability delta",
       .chance = Chance::random,
       .measure = shared_tables,
       .mutants = {{"all n with probability 1 - delta from the bound at delta/(n - 1)",
                    exactly(kDelta, kDelta / real(kQueries - 1))},
                   {"all n with probability 1 - delta from the bound at delta", exactly(kDelta, kDelta)},
                   {".95 delta of the queries", exactly(0.95 * kDelta, kDelta / real(kQueries))},
                   {"if one query lies outside, so do all",
                    [](const Context& c) { return counted(c, outside(kFewTables, kDelta)); }}},
       .remark = "During decoding the keys are hashed once for all queries. Two queries may also fail together: the "
                 "expected share is then the same, and P(some outside) is smaller."}};
}

}  // namespace skt::many_queries_group
