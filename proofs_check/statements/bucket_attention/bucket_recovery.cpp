#include "estimators/collision_scores.hpp"
#include "estimators/metrics/ranking_metrics.hpp"
#include "estimators/metrics/tied_ranking.hpp"
#include "estimators/peers/bucket_attention.hpp"
#include "proofs_check/statements/measuring.hpp"

namespace skt::bucket_recovery_group {

extern const StatementGroup kGroup = {
    .question = "Do collision counts recover the keys of largest q.k (document 001, overview)?",
    .notes = R"(  S001-9            at the document's configuration, K=4, L=31, top_t=4 and a fifth of the keys selected
  S001-9-corrected  two keys on both sides of the query

One plane leaves the query and both keys on one side with probability 1 - (theta_1 + theta_2 + theta_12)/(2 pi). So
in how many tables the nearer collides alone, the farther alone, or both or neither, follows a trinomial law.)",
    .method =
        "The mean recall, which lies in [0, 1] (empirical Bernstein); exact binomial intervals against the trinomial "
        "law.",
    .power = "A recall off by 0.15 and a probability off by 0.04 are seen with probability above 0.99.",
    .chance = Chance::random};

namespace {

constexpr Index kPlanes = 4;

// S001-9: some keys, and two scores by which to rank them.
struct Problem {
  Vector collisions;
  Vector truth;  // q.k
};

constexpr Index kKeys = 128, kSelected = kKeys / 5;

Problem problem(const Context& context, std::uint32_t trial) {
  constexpr Index kDim = 16;
  const Instance gaussian = make_instance({.keys = kKeys, .dim = kDim}, context.seed, trial);
  const Hyperplanes planes = context.estimators.draw(context.seed, trial, 31, kPlanes, kDim);
  return {bucket_collisions(query_signal(planes, gaussian.query, Scaling::none),
                            context.estimators.hash(planes, gaussian.keys), 4),
          gaussian.keys * gaussian.query};
}

std::vector<Evidence> all_recovered(const Context& context, Vector Problem::* ranking) {
  const Moments recall = run_trials(context.trials(2'000), Moments{}, [&](std::uint32_t trial, Moments& total) {
    const Problem p = problem(context, trial);
    total.add(precision_over_ties(tie_groups(p.*ranking), binary_relevance(p.truth, kSelected), kSelected).average);
  });
  return {mean_of_bounded({"128 Gaussian keys, d=16, K=4, L=31, top_t=4, a fifth selected", "mean recall of the top-k"},
                          recall, 1, at_least(1), {context.error_share, 0.2})};
}

// S001-9-corrected: keys at .25 pi and .35 pi on both sides of the query, so .6 pi apart. With one opened bucket, the
// own one, a key collides where its hash does.
constexpr double kNear = 0.25, kFar = 0.35;  // angles over pi
constexpr Index kTableCounts[] = {16, 31};
enum class Ties { spared, lost };

// P(fewer collisions of the nearer key), with one opened bucket; with the ties if they count as lost.
double probability_of_inversion(Index tables, Ties ties) {
  const auto power = [](double p) { return std::pow(p, real(kPlanes)); };
  const double both = power(1 - (kNear + kFar + (kNear + kFar)) / 2);
  const double near_alone = power(1 - kNear) - both, far_alone = power(1 - kFar) - both;
  // law[lead + tables] = P(lead): the lead of the nearer key after the tables so far.
  std::vector<double> law(2 * tables + 1, 0.0);
  law[tables] = 1;
  for (Index l = 0; l < tables; ++l) {
    std::vector<double> next(law.size(), 0.0);
    for (Index at = tables - l; at <= tables + l; ++at) {
      next[at + 1] += law[at] * near_alone;
      next[at - 1] += law[at] * far_alone;
      next[at] += law[at] * (1 - near_alone - far_alone);
    }
    law = std::move(next);
  }
  double sum = ties == Ties::lost ? law[tables] : 0;
  for (Index at = 0; at < tables; ++at) sum += law[at];
  return sum;
}

std::vector<Evidence> inverted(const Context& context, const std::function<double(Index tables)>& probability) {
  Matrix keys(2, 2);
  keys.row(0) << std::cos(kNear * std::numbers::pi), std::sin(kNear * std::numbers::pi);
  keys.row(1) << std::cos(kFar * std::numbers::pi), -std::sin(kFar * std::numbers::pi);
  const std::uint64_t trials = context.trials(15'000);
  std::vector<Evidence> evidence;
  for (const Index tables : kTableCounts) {
    const Counts inversions = run_trials(trials, Counts(1), [&](std::uint32_t trial, Counts& counts) {
      const Hyperplanes planes = context.estimators.draw(context.seed, trial, tables, kPlanes, 2);
      const Vector collisions = hard_scores(planes, context.estimators.hash(planes, keys), Vector::Unit(2, 0));
      counts.of[0] += collisions(0) < collisions(1);
    });
    // Sums of 2 L + 1 probabilities, each of L products.
    evidence.push_back(frequency({fmt::format("keys at .25 pi and .35 pi, K=4, L={}, top_t=1", tables),
                                  "P(the nearer key has fewer collisions)"},
                                 inversions.of[0], trials, equals(probability(tables), 1e-12),
                                 {context.share(kTableCounts), 0.1}));
  }
  return evidence;
}

}  // namespace

std::vector<Statement> statements() {
  return {{.id = "S001-9",
           .title = "Collision ranking recovers the whole true top-k",
           .source = "document 001, overview",
           .wording = Wording::reading,
           .kind = Kind::ordering,
           .scope = "Gaussian query and keys, equal value norms, the document's configuration",
           .measure = [](const Context& c) { return all_recovered(c, &Problem::collisions); },
           .controls = {{"ranked by q.k itself", [](const Context& c) { return all_recovered(c, &Problem::truth); }}},
           .expected = Verdict::refuted,
           .remark = "The overview names this as the aim of the last step (\"to recover the true Top-K candidates\"). "
                     "Finitely many tables miss keys, and counts rank by cosine while the truth ranks by dot product."},
          {.id = "S001-9-corrected",
           .title = "The nearer of two keys can be outranked, with a probability that falls with L and is never 0",
           .source = "derived from document 001, overview",
           .kind = Kind::expectation,
           .scope = "independent Gaussian planes, one opened bucket, keys on both sides of the query",
           .measure =
               [](const Context& c) {
                 return inverted(c, [](Index tables) { return probability_of_inversion(tables, Ties::spared); });
               },
           .mutants = {{"with the ties",
                        [](const Context& c) {
                          return inverted(c, [](Index tables) { return probability_of_inversion(tables, Ties::lost); });
                        }},
                       {"as often as with one table",
                        [](const Context& c) {
                          return inverted(c, [](Index) { return probability_of_inversion(1, Ties::spared); });
                        }}},
           .remark = "Exactly .1491 at L = 16, .0942 at 31 and .0078 at 124."}};
}

}  // namespace skt::bucket_recovery_group
