#include <set>

#include "estimators/metrics/ranking_metrics.hpp"
#include "estimators/metrics/tied_ranking.hpp"
#include "proofs_check/statements/measuring.hpp"

namespace skt::hard_against_soft_ranking_group {

extern const StatementGroup kGroup = {
    .question = "Does the soft collision score rank better than counting collisions (paper, Figures 1 and 2)?",
    .notes = R"(
S002-F2abc runs at d=32, N=256, P=8, L=60, tau=.5 with the paper's scaling: the paper names no parameters for its
figure.)",
    .method =
        "Counts; the share of problems in which one ranking is better, and other shares, in exact binomial intervals.",
    .power = "A better ranking in six of ten problems; a probability off by 0.03."};

namespace {

double distinct(const Vector& scores) {
  return real(std::set<double>(scores.begin(), scores.end()).size());
}

// One key in each sector between the lines of planes in R^2: on the way from the query to its opposite the count of one
// plane a table falls by one at each line.
Matrix key_in_each_sector(const Hyperplanes& planes) {
  constexpr double kTurn = 2 * std::numbers::pi;
  std::vector<double> lines;
  for (Index l = 0; l < planes.rows.rows(); ++l)
    for (const double side : {0.25, 0.75})
      lines.push_back(std::fmod(std::atan2(planes.rows(l, 1), planes.rows(l, 0)) + (1 + side) * kTurn, kTurn));
  std::sort(lines.begin(), lines.end());
  lines.push_back(lines.front() + kTurn);
  Matrix keys(std::ssize(lines) - 1, 2);
  for (Index i = 0; i < keys.rows(); ++i) {
    const double between = (lines[i] + lines[i + 1]) / 2;
    keys.row(i) << std::cos(between), std::sin(between);
  }
  return keys;
}

// S002-F1: claims on the number of distinct hard counts and soft scores.
std::vector<Evidence> distinct_scores(const Context& context, double most_hard, double (*soft_count)(const KeyCodes&)) {
  constexpr Index kKeys = 300, kTables = 12;
  Instance instance = make_instance({.keys = kKeys, .dim = 16}, context.seed, 0);
  instance.keys.bottomRows(kKeys / 2) = instance.keys.topRows(kKeys / 2);  // every key twice
  const Hyperplanes planes = context.estimators.draw(context.seed, 0, kTables, 6, 16);
  const KeyCodes codes = context.estimators.hash(planes, instance.keys);
  const Hyperplanes one_plane = context.estimators.draw(context.seed, 0, kTables, 1, 2);
  const KeyCodes of_sectors = context.estimators.hash(one_plane, key_in_each_sector(one_plane));
  return {exact({"a key in each of 24 sectors of the plane, P=1, L=12", "distinct hard counts"},
                distinct(hard_scores(one_plane, of_sectors, Vector::Unit(2, 0))), at_most(most_hard)),
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

// S002-F2abc: in which share of the problems is metric(soft) above metric(other) by `least`? Each metric is averaged over
// ties.
struct Setting {
  Index planes;
  double temperature;
  Vector (*other)(const Hyperplanes&, const KeyCodes&, const Vector& query);
};

constexpr Index kCutoffs[] = {16, 64};
constexpr const char* kMetrics[] = {"precision", "Jaccard", "NDCG"};
constexpr double kMostProblems = 0.9;
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
  const Counts better = run_trials(
      problems, Counts(kGains),
      [&](std::uint32_t trial, Counts& total) {
        const Instance instance = make_instance({.keys = kKeys, .dim = kDim}, context.seed, trial);
        const Hyperplanes planes = context.estimators.draw(context.seed, trial, kTables, setting.planes, kDim);
        const KeyCodes codes = context.estimators.hash(planes, instance.keys);
        const Vector truth = instance.keys * instance.query;
        const std::vector<double> soft =
            metrics_of(context.estimators.soft(planes, codes, instance.query, {setting.temperature}), truth);
        const std::vector<double> other = metrics_of(setting.other(planes, codes, instance.query), truth);
        for (std::size_t i = 0; i < kGains; ++i) total.of[i] += soft[i] - other[i] > least;
      },
      8);
  std::vector<Evidence> evidence;
  for (const Index k : kCutoffs)
    for (const char* const metric : kMetrics)
      evidence.push_back(frequency({fmt::format("256 Gaussian keys, d=32, P={}, L=60", setting.planes),
                                    fmt::format("P(gain in {} at k={} > {})", metric, k, least)},
                                   better.of[evidence.size()], problems, at_least(kMostProblems),
                                   {context.share(kCutoffs, kMetrics), 0.6}));
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

Statement figure_two() {
  const auto gain = [](const Setting& setting, double least) {
    return [=](const Context& c) { return soft_gain(c, setting, least); };
  };
  return {.id = "S002-F2abc",
          .title = "Soft collisions rank better than hard ones in precision, Jaccard and NDCG",
          .source = "paper, Figure 2(a)-(c) and section 1",
          .quote = "serves as a substantially more effective ranking function than traditional hard LSH",
          .kind = Kind::ordering,
          .scope = "90% of problems; Gaussian keys and queries, P = 8, the paper's scaling, k = 16 and 64",
          .chance = Chance::random,
          .measure = gain({8, 0.5, hard_scores}, 0),
          .mutants = {{"by .4", gain({8, 0.5, hard_scores}, 0.4)},
                      {"by .1 with one plane too", gain({1, 0.5, hard_scores}, 0.1)},
                      {"better than counting equal bits (P=12, tau=.3)", gain({12, 0.3, hamming_scores}, 0)}},
          .remark =
              "The paper states none of N, d, P, L, tau. Counting equal bits over all planes uses the same memory. It "
              "ranks at least as well as the soft score where |q| is about sqrt(d), as here, and worse where |q| is 1. "
              "There its precision is .28, .38, .49 against .34, .44, .55 at k = 16, 64, 256 (P = 8, tau = .5, N = "
              "4096, d = 128; means of 40 draws, to within .02). S002-R7g-order covers all settings of Table 6."};
}

Statement ties() {
  const auto is = [](double (*probability)(double weight, double tables, double planes)) {
    return [=](const Context& c) { return no_collision(c, probability); };
  };
  return {.id = "S002-F2t",
          .title = "The probability that a key has no hard collision is (1 - w)^L",
          .source = "derived from paper, eq. (3)",
          .kind = Kind::expectation,
          .scope = "independent Gaussian planes",
          .chance = Chance::random,
          .measure = is([](double w, double l, double) { return std::pow(1 - w, l); }),
          .mutants = {{"(1 - w)^{LP}", is([](double w, double l, double p) { return std::pow(1 - w, l * p); })},
                      {"exp(-L w)", is([](double w, double l, double) { return std::exp(-l * w); })},
                      {"(1 - w)^{1.2 L}", is([](double w, double l, double) { return std::pow(1 - w, 1.2 * l); })}},
          .remark =
              "At L = 60 most keys have a count of 0 (78% at P = 8, 98% at P = 12, d = 128), so the tie rule "
              "decides the hard ranking."};
}

}  // namespace

std::vector<Statement> statements() {
  return {
      {.id = "S002-F1",
       .title = "A hard count takes at most L + 1 values; soft scores differ wherever signatures do",
       .source = "paper, Figure 1",
       .quote =
           "Traditional LSH assigns binary scores via hash collisions, whereas soft LSH produces continuous scores",
       .scope = "general position",
       .measure = [](const Context& c) { return distinct_scores(c, 13, distinct_signatures); },
       .mutants = {{"at most L values", [](const Context& c) { return distinct_scores(c, 12, distinct_signatures); }},
                   {"soft scores of all keys differ",
                    [](const Context& c) {
                      return distinct_scores(c, 13, [](const KeyCodes& codes) { return real(codes.keys); });
                    }}}},
      figure_two(),
      ties()};
}

}  // namespace skt::hard_against_soft_ranking_group
