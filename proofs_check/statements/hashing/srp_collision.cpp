// How often do a key and the query share a bucket?
//
// S002-SRP  Claim (identity): P(b_j = b_q) = (1 - theta/pi)^P, theta the angle between key and query.
//   Mutants: 1 - 2 theta/pi a plane; no power; power P + 1; 1 - (theta/pi)^P.
// S002-Q3  Claim (identity): the hard score of a key is Bin(L, (1 - theta/pi)^P), the whole law.
//   Mutants: Bin(LP, 1 - theta/pi), which is the Hamming score; one table used L times.
// S002-A1  Claim (identity): every bucket has probability 2^-P for any key.
//   Mutants: plane 0 always positive; bits of mean 0.55.
//
// Scope: independent rotation-invariant rows, key and query not zero, d >= 2.
// Method: counts over independent tables in exact binomial intervals.
// Power: probabilities to 0.04; each mutant is at least 0.08 off somewhere.
#include <fmt/format.h>
#include <algorithm>
#include <cmath>
#include <numbers>

#include "proofs_check/evidence.hpp"
#include "proofs_check/laws/angle_instance.hpp"
#include "proofs_check/statement.hpp"
#include "proofs_check/trial_accumulators.hpp"
#include "sim/number.hpp"
#include "sim/trial_loop.hpp"

namespace skt {
namespace {

constexpr double kPi = std::numbers::pi;
constexpr double kResolution = 0.04;

// For hyperplanes of one trial: in how many tables does each key share the query's bucket? [keys]
std::vector<Index> shared_buckets(const Context& context, const Instance& instance, Index tables, Index planes,
                                  std::uint64_t trial) {
  Matrix all(instance.num_keys() + 1, instance.dim());
  all << instance.query.transpose(), instance.keys;
  const Hyperplanes hyperplanes =
      context.estimators.draw(context.seed, static_cast<std::uint32_t>(trial), tables, planes, instance.dim());
  const KeyCodes codes = context.estimators.hash(hyperplanes, all);
  std::vector<Index> shared(instance.num_keys());
  for (Index l = 0; l < tables; ++l) {
    const auto code = codes.table(l);
    for (std::size_t j = 0; j < shared.size(); ++j) shared[j] += code[j + 1] == code[0];
  }
  return shared;
}

using CollisionLaw = double (*)(double theta, double planes);

auto collision_rate(CollisionLaw claimed) {
  return [claimed](const Context& context) {
    const std::vector<double> angles = {kPi / 8, kPi / 3, kPi / 2, 0.9 * kPi};
    const std::uint64_t trials = context.trials(100'000);
    std::vector<Evidence> evidence;
    for (const auto& [dim, planes] : {std::pair<Index, Index>{2, 1}, {2, 3}, {16, 3}}) {
      const Instance instance = angle_instance(angles, dim, 1, context.seed);
      const Counts hits = run_trials(trials, Counts(angles.size()), [&](std::uint64_t trial, Counts& counts) {
        const std::vector<Index> shared = shared_buckets(context, instance, 1, planes, trial);
        for (std::size_t j = 0; j < shared.size(); ++j) counts.of[j] += static_cast<std::uint64_t>(shared[j]);
      });
      for (std::size_t j = 0; j < angles.size(); ++j) {
        evidence.push_back(frequency({fmt::format("theta={:.4f} P={} d={}", angles[j], planes, dim), "P(b_j = b_q)"},
                                     hits.of[j], trials, equals(claimed(angles[j], real(planes))),
                                     {context.share(12), kResolution}));
      }
    }
    return evidence;
  };
}

// P(hard score = c) for c = 0 .. 4 of L = 4 tables, P = 2.
using ScoreLaw = double (*)(double theta, int count);

double binomial(int n, int k) {
  return std::round(std::exp(std::lgamma(n + 1) - std::lgamma(k + 1) - std::lgamma(n - k + 1)));
}
double binomial_law(int n, int k, double p) {
  return binomial(n, k) * std::pow(p, k) * std::pow(1 - p, n - k);
}

auto hard_score_law(ScoreLaw claimed) {
  return [claimed](const Context& context) {
    const std::vector<double> angles = {kPi / 3, kPi / 2};
    const Instance instance = angle_instance(angles, 8, 1, context.seed);
    const std::uint64_t trials = context.trials(100'000);
    const Counts hits = run_trials(trials, Counts(10), [&](std::uint64_t trial, Counts& counts) {
      const std::vector<Index> shared = shared_buckets(context, instance, 4, 2, trial);
      for (std::size_t j = 0; j < 2; ++j) ++counts.of[5 * j + static_cast<std::size_t>(shared[j])];
    });
    std::vector<Evidence> evidence;
    for (std::size_t i = 0; i < 10; ++i) {
      const double theta = angles[i / 5];
      const int count = static_cast<int>(i % 5);
      evidence.push_back(
          frequency({fmt::format("theta={:.4f} L=4 P=2", theta), fmt::format("P(hard score = {})", count)}, hits.of[i],
                    trials, equals(claimed(theta, count)), {context.share(10), kResolution}));
    }
    return evidence;
  };
}

using BucketLaw = double (*)(int code);

auto bucket_rate(BucketLaw claimed) {
  return [claimed](const Context& context) {
    const Instance instance = angle_instance({0.7}, 8, 1, context.seed);
    const std::uint64_t trials = context.trials(100'000);
    const Counts hits = run_trials(trials, Counts(8), [&](std::uint64_t trial, Counts& counts) {
      const Hyperplanes drawn = context.estimators.draw(context.seed, static_cast<std::uint32_t>(trial), 1, 3, 8);
      ++counts.of[context.estimators.hash(drawn, instance.keys).codes[0]];
    });
    std::vector<Evidence> evidence;
    for (int code = 0; code < 8; ++code)
      evidence.push_back(frequency({"one key, P=3 d=8", fmt::format("P(bucket = {})", code)}, hits.of[code], trials,
                                   equals(claimed(code)), {context.share(8), kResolution}));
    return evidence;
  };
}

}  // namespace

std::vector<Statement> srp_collision_statements() {
  Statement rate{
      .id = "S002-SRP",
      .title = "A key shares the query's bucket with probability (1 - theta/pi)^P",
      .source = "paper, eq. (5) and proof of Lemma 11",
      .kind = Kind::identity,
      .scope = "rows i.i.d. N(0, I), key and query not zero",
      .measure = collision_rate([](double t, double p) { return std::pow(1 - t / kPi, p); }),
      .mutants = {{"(1 - 2 theta/pi)^P",
                   collision_rate([](double t, double p) { return std::pow(std::max(0.0, 1 - 2 * t / kPi), p); })},
                  {"no power", collision_rate([](double t, double) { return 1 - t / kPi; })},
                  {"power P + 1", collision_rate([](double t, double p) { return std::pow(1 - t / kPi, p + 1); })},
                  {"1 - (theta/pi)^P", collision_rate([](double t, double p) { return 1 - std::pow(t / kPi, p); })}}};
  Statement law{.id = "S002-Q3",
                .title = "The hard score is binomial over the tables",
                .source = "paper, eq. (3)",
                .kind = Kind::identity,
                .scope = "independent tables",
                .measure = hard_score_law([](double t, int c) { return binomial_law(4, c, std::pow(1 - t / kPi, 2)); }),
                .mutants = {{"Bin(LP, 1 - theta/pi)",
                             hard_score_law([](double t, int c) { return binomial_law(8, c, 1 - t / kPi); })},
                            {"one table used L times", hard_score_law([](double t, int c) {
                               const double p = std::pow(1 - t / kPi, 2);
                               return c == 4 ? p : c == 0 ? 1 - p : 0;
                             })}}};
  Statement uniform{
      .id = "S002-A1",
      .title = "Every bucket is equally probable for every key",
      .source = "paper, Algorithm 1",
      .kind = Kind::identity,
      .scope = "rows i.i.d. N(0, I), key not zero",
      .measure = bucket_rate([](int) { return 1.0 / 8; }),
      .mutants = {{"plane 0 always positive", bucket_rate([](int code) { return code >= 4 ? 0.25 : 0.0; })},
                  {"bits of mean 0.55", bucket_rate([](int code) {
                     double p = 1;
                     for (int bit = 0; bit < 3; ++bit) p *= code >> bit & 1 ? 0.55 : 0.45;
                     return p;
                   })}}};
  return {rate, law, uniform};
}

}  // namespace skt
