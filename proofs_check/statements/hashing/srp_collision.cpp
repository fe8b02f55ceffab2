#include <boost/math/special_functions/binomial.hpp>

#include "proofs_check/laws/angle_instance.hpp"
#include "proofs_check/statements/measuring.hpp"

namespace skt::srp_collision_group {

extern const StatementGroup kGroup = {
    .question = "How often do a key and the query share a bucket? (theta is the angle between them)",
    .notes = R"(
S002-Q3  the whole law, Bin(L, (1 - theta/pi)^P); the mutant Bin(LP, 1 - theta/pi) is that of the Hamming score

Of Gaussian rows only this is used: they are independent and rotation-invariant, and d >= 2.)",
    .method = "Counts over independent tables in exact binomial intervals.",
    .power = "Probabilities to 0.03; an exponent 7% too large is seen.",
    .chance = Chance::random};

namespace {

constexpr double kPi = std::numbers::pi;
constexpr double kResolution = 0.03;
constexpr Index kTablesATrial = 16;  // one draw of the hyperplanes serves so many independent tables

// The kTablesATrial tables of one trial in groups of `tables`: in how many tables of a group does each key share the
// query's bucket? [groups, keys]
using HardScores = Eigen::Array<Index, Eigen::Dynamic, Eigen::Dynamic>;

HardScores hard_scores_of(const Context& context, const Instance& instance, Index tables, Index planes,
                          std::uint32_t trial) {
  Matrix all(instance.num_keys() + 1, instance.dim());
  all << instance.query.transpose(), instance.keys;
  const Hyperplanes hyperplanes = context.estimators.draw(context.seed, trial, kTablesATrial, planes, instance.dim());
  const KeyCodes codes = context.estimators.hash(hyperplanes, all);
  HardScores scores = HardScores::Zero(kTablesATrial / tables, instance.num_keys());
  for (Index l = 0; l < kTablesATrial; ++l) {
    const auto code = codes.table(l);
    for (Index j = 0; j < instance.num_keys(); ++j) scores(l / tables, j) += code[j + 1] == code[0];
  }
  return scores;
}

using CollisionLaw = double (*)(double theta, double planes);

auto collision_rate(CollisionLaw claimed) {
  return [claimed](const Context& context) {
    struct Setting {
      Index dim;
      Index planes;
    };
    constexpr Setting kSettings[] = {{2, 1}, {2, 3}, {16, 3}};
    const std::vector<double> angles = {kPi / 8, kPi / 3, kPi / 2, 0.9 * kPi};
    const std::uint64_t trials = context.trials(12'500);
    std::vector<Evidence> evidence;
    for (const auto& [dim, planes] : kSettings) {
      const Instance instance = angle_instance(angles, dim, 1, context.seed);
      const Counts hits = run_trials(trials, Counts(angles.size()), [&](std::uint32_t trial, Counts& counts) {
        const HardScores shared = hard_scores_of(context, instance, 1, planes, trial);
        for (Index j = 0; j < instance.num_keys(); ++j) counts.of[j] += shared.col(j).sum();
      });
      for (std::size_t j = 0; j < angles.size(); ++j) {
        evidence.push_back(frequency({fmt::format("theta={:.4f} P={} d={}", angles[j], planes, dim), "P(b_j = b_q)"},
                                     hits.of[j], kTablesATrial * trials, equals(claimed(angles[j], real(planes))),
                                     {context.share(kSettings, angles), kResolution}));
      }
    }
    return evidence;
  };
}

// P(hard score = count), count = 0 .. kScoreTables.
using ScoreLaw = double (*)(double theta, int count);
constexpr int kScoreTables = 4;
constexpr int kScorePlanes = 2;

double both_planes_agree(double theta, double exponent = kScorePlanes) {
  return std::pow(1 - theta / kPi, exponent);
}

double binomial_law(int n, int k, double p) {
  return boost::math::binomial_coefficient<double>(n, k) * std::pow(p, k) * std::pow(1 - p, n - k);
}

auto hard_score_law(ScoreLaw claimed) {
  return [claimed](const Context& context) {
    constexpr int kScores = kScoreTables + 1;
    const std::vector<double> angles = {kPi / 3, kPi / 2};
    const Instance instance = angle_instance(angles, 8, 1, context.seed);
    constexpr int kScoresATrial = kTablesATrial / kScoreTables;
    const std::uint64_t trials = context.trials(30'000);
    const Counts hits = run_trials(trials, Counts(angles.size() * kScores), [&](std::uint32_t trial, Counts& counts) {
      const HardScores scores = hard_scores_of(context, instance, kScoreTables, kScorePlanes, trial);
      for (Index j = 0; j < instance.num_keys(); ++j)
        for (const Index score : scores.col(j)) ++counts.of[kScores * j + score];
    });
    std::vector<Evidence> evidence;
    for (std::size_t j = 0; j < angles.size(); ++j)
      for (int score = 0; score < kScores; ++score)
        evidence.push_back(
            frequency({fmt::format("theta={:.4f} L=4 P=2", angles[j]), fmt::format("P(hard score = {})", score)},
                      hits.of[kScores * j + score], kScoresATrial * trials, equals(claimed(angles[j], score)),
                      {context.share(kScores * angles.size()), kResolution}));
    return evidence;
  };
}

using BucketLaw = double (*)(int code);
constexpr int kBuckets = 8;  // of 3 planes

auto bucket_rate(BucketLaw claimed) {
  return [claimed](const Context& context) {
    const Instance instance = angle_instance({0.7}, 8, 1, context.seed);
    const std::uint64_t trials = context.trials(25'000);
    const Counts hits = run_trials(trials, Counts(kBuckets), [&](std::uint32_t trial, Counts& counts) {
      const Hyperplanes drawn = context.estimators.draw(context.seed, trial, kTablesATrial, 3, 8);
      for (const auto code : context.estimators.hash(drawn, instance.keys).codes) ++counts.of[code];
    });
    std::vector<Evidence> evidence;
    for (int code = 0; code < kBuckets; ++code)
      evidence.push_back(frequency({"one key, P=3 d=8", fmt::format("P(bucket = {})", code)}, hits.of[code],
                                   kTablesATrial * trials, equals(claimed(code)),
                                   {context.share(kBuckets), kResolution / 2}));
    return evidence;
  };
}

}  // namespace

std::vector<Statement> statements() {
  return {
      {.id = "S002-SRP",
       .title = "A key shares the query's bucket with probability (1 - theta/pi)^P",
       .source = "paper, eq. (5) and proof of Lemma 11",
       .quote = "By the standard SRP/SimHash collision identity, we rewrite",
       .scope = "rows i.i.d. N(0, I), key and query not zero",
       .measure = collision_rate([](double t, double p) { return std::pow(1 - t / kPi, p); }),
       .mutants = {{"(1 - 2 theta/pi)^P",
                    collision_rate([](double t, double p) { return std::pow(std::max(0.0, 1 - 2 * t / kPi), p); })},
                   {"no power", collision_rate([](double t, double) { return 1 - t / kPi; })},
                   {"power P + 1", collision_rate([](double t, double p) { return std::pow(1 - t / kPi, p + 1); })},
                   {"power 1.07 P", collision_rate([](double t, double p) { return std::pow(1 - t / kPi, 1.07 * p); })},
                   {"1 - (theta/pi)^P", collision_rate([](double t, double p) { return 1 - std::pow(t / kPi, p); })}}},
      {.id = "S002-Q3",
       .title = "The hard score is binomial over the tables",
       .source = "derived from paper, eq. (3)",
       .scope = "independent tables",
       .measure = hard_score_law([](double t, int c) { return binomial_law(kScoreTables, c, both_planes_agree(t)); }),
       .mutants = {{"Bin(LP, 1 - theta/pi)", hard_score_law([](double t, int c) {
                      return binomial_law(kScoreTables * kScorePlanes, c, 1 - t / kPi);
                    })},
                   {"one table used L times", hard_score_law([](double t, int c) {
                      const double p = both_planes_agree(t);
                      return c == kScoreTables ? p : c == 0 ? 1 - p : 0;
                    })},
                   {"power 1.07 P", hard_score_law([](double t, int c) {
                      return binomial_law(kScoreTables, c, both_planes_agree(t, 1.07 * kScorePlanes));
                    })}}},
      {.id = "S002-A1",
       .title = "Every bucket is equally probable for every key",
       .source = "derived from paper, Algorithm 1",
       .scope = "rows i.i.d. N(0, I), key not zero",
       .measure = bucket_rate([](int) { return 1.0 / kBuckets; }),
       .mutants = {{"plane 0 always positive", bucket_rate([](int code) { return code >= 4 ? 0.25 : 0.0; })},
                   {"bits of mean 0.525", bucket_rate([](int code) {
                      double p = 1;
                      for (int bit = 0; bit < 3; ++bit) p *= code >> bit & 1 ? 0.525 : 0.475;
                      return p;
                    })}}}};
}

}  // namespace skt::srp_collision_group
