// Does the soft collision score rank better than counting collisions (paper, Figures 1 and 2)?
//
// S002-F2abc runs at d=32, N=256, P=8, L=60, tau=.5 with the paper's scaling: the paper names no parameters for its
// figure.
//
// Method: counting; means of paired differences with Student intervals; exact binomial intervals.
// Power: a mean difference of 0.1 in a metric, a probability off by 0.03: with probability above 0.99.
#include <fmt/format.h>

#include <cmath>
#include <iterator>
#include <numbers>
#include <set>

#include "estimators/metrics/ranking_metrics.hpp"
#include "estimators/metrics/tied_ranking.hpp"
#include "proofs_check/evidence.hpp"
#include "proofs_check/statement.hpp"
#include "proofs_check/trial_accumulators.hpp"
#include "sim/families.hpp"
#include "sim/number.hpp"
#include "sim/trial_loop.hpp"

namespace skt {
namespace {

double distinct(const Vector& scores) {
  return real(std::set<double>(scores.begin(), scores.end()).size());
}

// S002-F1: claims on the number of distinct hard counts and soft scores.
std::vector<Evidence> distinct_scores(const Context& context, double most_hard, double (*soft_count)(const KeyCodes&)) {
  constexpr Index kKeys = 300, kTables = 12;
  constexpr Index kCircle = 36'000;  // fine enough that two planes hardly ever turn between two keys
  Instance instance = make_instance({.keys = kKeys, .dim = 16}, context.seed, 0);
  instance.keys.bottomRows(kKeys / 2) = instance.keys.topRows(kKeys / 2);  // every key twice
  const Hyperplanes planes = context.estimators.draw(context.seed, 0, kTables, 6, 16);
  const KeyCodes codes = context.estimators.hash(planes, instance.keys);
  const Hyperplanes one_plane = context.estimators.draw(context.seed, 0, kTables, 1, 2);
  Matrix circle(kCircle, 2);  // on which a count with one plane takes every value
  for (Index s = 0; s < kCircle; ++s) {
    const double angle = real(s) * 2 * std::numbers::pi / kCircle;
    circle.row(s) << std::cos(angle), std::sin(angle);
  }
  return {exact({"36000 keys on a circle, P=1, L=12", "distinct hard counts"},
                distinct(hard_scores(one_plane, context.estimators.hash(one_plane, circle), Vector::Unit(2, 0))),
                at_most(most_hard)),
          exact({"150 Gaussian keys, each twice, P=6, L=12", "distinct soft scores"},
                distinct(context.estimators.soft(planes, codes, instance.query, {})), equals(soft_count(codes)))};
}

double distinct_signatures(const KeyCodes& codes) {
  std::set<std::vector<std::uint32_t>> signatures;
  for (Index j = 0; j < codes.keys; ++j) {
    std::vector<std::uint32_t> signature;
    for (Index l = 0; l < codes.tables; ++l) signature.push_back(codes.table(l)[j]);
    signatures.insert(signature);
  }
  return real(signatures.size());
}

// S002-F2abc: mean of metric(soft) - metric(other) over problems, each metric averaged over ties.
struct Setting {
  Index planes;
  double temperature;
  Vector (*other)(const Hyperplanes&, const KeyCodes&, const Vector& query);
};

constexpr Index kCutoffs[] = {16, 64};
constexpr const char* kMetrics[] = {"precision", "Jaccard", "NDCG"};
constexpr std::size_t kGains = std::size(kCutoffs) * std::size(kMetrics);

std::vector<double> metrics_of(const Vector& scores, const Vector& truth) {
  const TieGroups ranking = tie_groups(scores);
  const Vector graded = graded_relevance(truth);
  std::vector<double> values;
  for (const Index k : kCutoffs) {
    const Vector relevant = binary_relevance(truth, k);
    values.push_back(precision_over_ties(ranking, relevant, k).average);
    values.push_back(jaccard_over_ties(ranking, relevant, k).average);
    values.push_back(ndcg_over_ties(ranking, graded, k)->average);
  }
  return values;
}

std::vector<Evidence> soft_gain(const Context& context, const Setting& setting, double least) {
  constexpr Index kKeys = 256, kDim = 32, kTables = 60;
  const std::uint64_t problems = context.trials(240);  // 60 at smoke size
  const MomentsList gains = run_trials(
      problems, MomentsList(kGains),
      [&](std::uint32_t trial, MomentsList& total) {
        const Instance instance = make_instance({.keys = kKeys, .dim = kDim}, context.seed, trial);
        const Hyperplanes planes = context.estimators.draw(context.seed, trial, kTables, setting.planes, kDim);
        const KeyCodes codes = context.estimators.hash(planes, instance.keys);
        const Vector truth = instance.keys * instance.query;
        const std::vector<double> soft =
            metrics_of(context.estimators.soft(planes, codes, instance.query, {setting.temperature}), truth);
        const std::vector<double> other = metrics_of(setting.other(planes, codes, instance.query), truth);
        for (std::size_t i = 0; i < kGains; ++i) total.of[i].add(soft[i] - other[i]);
      },
      8);
  std::vector<Evidence> evidence;
  for (const Index k : kCutoffs)
    for (const char* const metric : kMetrics)
      evidence.push_back(mean({fmt::format("256 Gaussian keys, d=32, P={}, L=60", setting.planes),
                               fmt::format("mean gain in {} at k={}", metric, k)},
                              gains.of[evidence.size()], at_least(least), {context.share(kCutoffs, kMetrics), 0.4}));
  return evidence;
}

// S002-F2t: P(no collision) for one key at an angle of theta = share * pi.
struct OneKey {
  double share;
  Index tables, planes;
};
constexpr OneKey kOneKey[] = {{0.5, 2, 1}, {0.3, 4, 4}};

std::vector<Evidence> no_collision(const Context& context,
                                   double (*probability)(double weight, double tables, double planes)) {
  const std::uint64_t trials = context.trials(20000);
  std::vector<Evidence> evidence;
  for (const auto& [share, tables, planes] : kOneKey) {
    const Vector query = Vector::Unit(4, 0);
    const Matrix key = (std::cos(share * std::numbers::pi) * Vector::Unit(4, 0) +
                        std::sin(share * std::numbers::pi) * Vector::Unit(4, 1))
                           .transpose();
    const Counts empty = run_trials(trials, Counts(1), [&, l = tables, p = planes](std::uint32_t trial, Counts& total) {
      const Hyperplanes drawn = context.estimators.draw(context.seed, trial, l, p, 4);
      total.of[0] += hard_scores(drawn, context.estimators.hash(drawn, key), query)(0) == 0;
    });
    evidence.push_back(frequency({fmt::format("theta = {} pi, P={}, L={}", share, planes, tables), "P(count = 0)"},
                                 empty.of[0], trials,
                                 equals(probability(std::pow(1 - share, real(planes)), real(tables), real(planes))),
                                 {context.share(kOneKey), 0.1}));
  }
  return evidence;
}

Statement figure_one() {
  return {
      .id = "S002-F1",
      .title = "A hard count takes at most L + 1 values, soft scores differ wherever signatures do",
      .source = "paper, Figure 1",
      .kind = Kind::identity,
      .scope = "general position",
      .measure = [](const Context& c) { return distinct_scores(c, 13, distinct_signatures); },
      .mutants = {{"at most L values", [](const Context& c) { return distinct_scores(c, 12, distinct_signatures); }},
                  {"soft scores of all keys differ", [](const Context& c) {
                     return distinct_scores(c, 13, [](const KeyCodes& codes) { return real(codes.keys); });
                   }}}};
}

Statement figure_two() {
  return {.id = "S002-F2abc",
          .title = "Soft collisions rank better than hard ones in precision, Jaccard and NDCG",
          .source = "paper, Figure 2(a)-(c)",
          .kind = Kind::ordering,
          .scope = "Gaussian keys, many planes, the paper's scaling, tie-averaged metrics, k = 16 and 64",
          .measure = [](const Context& c) { return soft_gain(c, {8, 0.5, hard_scores}, 0); },
          .mutants = {{"by .1 with one plane too",
                       [](const Context& c) { return soft_gain(c, {1, 0.5, hard_scores}, 0.1); }},
                      {"better than counting equal bits (P=12, tau=.3)",
                       [](const Context& c) { return soft_gain(c, {12, 0.3, hamming_scores}, 0); }}},
          .remark =
              "The paper gives none of N, d, P, L, tau. Counting equal bits over all planes, at the same memory, "
              "equals or beats the soft score."};
}

Statement ties() {
  return {.id = "S002-F2t",
          .title = "A key has no hard collision with probability (1 - w)^L",
          .source = "paper, Figure 2 (consequence of equation (3))",
          .kind = Kind::expectation,
          .scope = "independent Gaussian planes",
          .measure =
              [](const Context& c) {
                return no_collision(c, [](double w, double l, double) { return std::pow(1 - w, l); });
              },
          .mutants = {{"(1 - w)^{LP}",
                       [](const Context& c) {
                         return no_collision(c, [](double w, double l, double p) { return std::pow(1 - w, l * p); });
                       }},
                      {"exp(-L w)",
                       [](const Context& c) {
                         return no_collision(c, [](double w, double l, double) { return std::exp(-l * w); });
                       }}},
          .remark =
              "At L = 60 most keys have a count of 0 (78% at P = 8, 98% at P = 12, d = 128), so the tie rule "
              "decides the hard ranking."};
}

}  // namespace

std::vector<Statement> hard_against_soft_ranking_statements() {
  return {figure_one(), figure_two(), ties()};
}

}  // namespace skt
