#include <boost/math/distributions/normal.hpp>

#include "estimators/metrics/ranking_correlation.hpp"
#include "estimators/population/plane_signal.hpp"
#include "proofs_check/inequalities/plane_score_correlation.hpp"
#include "proofs_check/statements/measuring.hpp"

namespace skt::ranking_signal_group {

extern const StatementGroup kGroup = {
    .question = "Is tanh linear for the signals of Algorithm 1, and what does tau -> 0 leave? (Remark 7)",
    .notes = R"(
Y = sum_i sign(w_i.k) s_i, Gamma = Corr(q.k, Y); s = sign(Wq) is Lemma 6's hard score, tanh(Wq) its soft one.

  S002-R7f            read as E|tanh(Wq)| >= .9 E|Wq|; false for Algorithm 1's rows N(0, I), as (Wq)_i is N(0, |q|^2)
  S002-R7f-corrected  rows N(0, I/d) for the loss; with Algorithm 1's rows |tanh| >= .99 in a share
                      2(1 - Phi(atanh(.99)/|q|)) of the planes
  S002-R7h-lemma      false because Gamma does not depend on tau)",
    .method = "Quadrature; the exact correlations of ranking_correlation.hpp; estimators.",
    .power = "Rounding, or the error of the quadrature; a share off by 0.03.",
    .source = "paper, Remark 7"};

namespace {

constexpr Index kDim = 128;
const double kNorm = std::sqrt(double{kDim});

// E|tanh x|/E|x| for x ~ N(0, deviation^2).
Evidence linear_share(const std::string& rows, double deviation, double least) {
  const Estimate of_tanh =
      mean_over_projection([&](double z) { return std::tanh(deviation * z); }, std::fmin(1, 1 / deviation));
  const double of_x = deviation * std::sqrt(2 / std::numbers::pi);
  return exact({rows, "E|tanh(Wq)|/E|Wq|"}, of_tanh.value / of_x, at_least(least, of_tanh.error / of_x));
}

std::vector<Evidence> small_signal(const Context&) {
  return {linear_share("rows N(0, I), |q| = 1", 1, 0.9), linear_share("rows N(0, I), |q| = sqrt(128)", kNorm, 0.9)};
}

std::vector<Evidence> small_signal_of_lemma(const Context&) {
  return {linear_share("rows N(0, I/128), |q| = 1", 1 / kNorm, 0.9)};
}

struct Regime {
  double deviation = 1 / std::sqrt(128.0);  // of (Wq)_i where the loss is claimed
  double loss = 2.0 / (3 * 128);            // E x^3/(3 E x) = 2/(3 d) for x = |N(0, 1/d)|
  double norm = std::sqrt(128.0);           // |q| at which the share is claimed
  double threshold = 0.99;                  // from which on |tanh| is claimed to be counted
};

auto small_and_saturated(Regime claimed) {
  return [claimed](const Context& context) -> std::vector<Evidence> {
    constexpr double kSaturated = 0.99;
    constexpr Index kPlanes = 30, kSmall = 16;  // (Wq)_i is N(0, |q|^2) in any dimension
    const Vector query = kNorm * Vector::Unit(kSmall, 0);
    const std::uint64_t trials = context.trials(4000);
    const Counts hits = run_trials(trials, Counts(1), [&](std::uint32_t trial, Counts& counts) {
      const Matrix signal =
          query_signal(context.estimators.draw(context.seed, trial, 1, kPlanes, kSmall), query, Scaling::none);
      counts.of[0] += (signal.array().abs() >= kSaturated).count();
    });
    const double share = 2 * cdf(complement(boost::math::normal(), std::atanh(claimed.threshold) / claimed.norm));
    return {linear_share("rows N(0, I/128), |q| = 1", claimed.deviation, 1 - claimed.loss),
            frequency({"rows N(0, I), |q| = sqrt(128)", "P(|tanh(Wq)_i| >= .99)"}, hits.of[0], kPlanes * trials,
                      equals(share), {context.error_share, 0.03})};
  };
}

constexpr double kTables = 60;  // Table 6

// Correlation with the cosine of 60 tables' soft or hard counts, or of their P L bits (independent rows).
double of_soft(Index planes, double temperature) {
  return correlation_with_cosine(soft_collision({kNorm, temperature, kDim, planes}), kTables, kDim);
}
double of_hard(Index planes, double tables = kTables) {
  return correlation_with_cosine(hard_collision(planes), tables, kDim);
}
double of_bits(Index planes) {
  return correlation_with_cosine(signature_bit(), real(planes) * kTables, kDim);
}

// At a = tau sqrt(d)/|q| one plane's second moment is short of its hard value, a half, by less than a; P of them change
// the variance of a score by a relative 2 P a, and a correlation by half of that.
auto cold(double (*limit)()) {
  return [limit](const Context&) -> std::vector<Evidence> {
    const double temperature = 1e-4;
    return {exact({"d=128 P=8 L=60 tau=1e-4 |q|=sqrt(128)", "correlation of eq. (4)"}, of_soft(8, temperature),
                  equals(limit(), 8 * temperature))};
  };
}

// Gamma of s = tanh(Wq/inner)/outer, claimed to be that of sign(Wq).
auto cold_gamma(double inner, double outer) {
  return [=](const Context&) -> std::vector<Evidence> {
    const Vector x = (Vector(4) << 0.05, -0.2, 0.4, 0.8).finished();  // Wq, of norm below 1
    const Vector soft = (x / inner).array().tanh() / (std::sqrt(double{kDim}) * outer);
    return {exact({"Wq = (.05, -.2, .4, .8), tau = 1e-4", "Gamma_soft (claim: Gamma_hard)"}, gamma_of(x, soft),
                  equals(gamma_hard(x), 1e-3))};
  };
}

constexpr const char* kPopulation = "keys of random direction, independent Gaussian planes";

}  // namespace

std::vector<Statement> statements() {
  return {
      {.id = "S002-R7f",
       .title = "Random projections are in the small-signal regime, tanh(Wq) ~ Wq",
       .wording = Wording::reading,
       .kind = Kind::inequality,
       .scope = "rows of Algorithm 1",
       .measure = small_signal,
       .controls = {{"the unit rows and |q| = 1 of Lemma 6", small_signal_of_lemma}},
       .expected = Verdict::refuted,
       .remark = "\"In the small-signal regime typical of high-dimensional random projections\" follows Lemma 6, whose "
                 "rows and query have length 1. There it is true, and tanh loses less than 2/(3d). It is false of "
                 "Algorithm 1: its rows are N(0, I), (Wq)_i has deviation |q|, and tanh is saturated in most planes."},
      {.id = "S002-R7f-corrected",
       .title = "With unit rows and |q| = 1, tanh loses at most 2/(3d); without them it saturates",
       .source = "derived from paper, Remark 7",
       .kind = Kind::inequality,
       .scope = "Gaussian rows",
       .chance = Chance::random,
       .measure = small_and_saturated({}),
       .mutants = {{"2/(3d) with rows N(0, I)", small_and_saturated({.deviation = 1})},
                   {"a loss of 1/(6d)", small_and_saturated({.loss = 1.0 / (6 * 128)})},
                   {"the share of |q| = 1", small_and_saturated({.norm = 1})},
                   {"the share beyond .975", small_and_saturated({.threshold = 0.975})}}},
      {.id = "S002-R7h",
       .title = "As tau -> 0 the soft count (4) correlates with the cosine as the hard count (3) does",
       .quote = "while recovering hard LSH in the zero-temperature limit",
       .kind = Kind::limit,
       .scope = kPopulation,
       .measure = cold([] { return of_hard(8); }),
       .mutants = {{"as the equal bits", cold([] { return of_bits(8); })},
                   {"as 59 tables", cold([] { return of_hard(8, kTables - 1); })},
                   {"as at tau = .5", cold([] { return of_soft(8, 0.5); })}}},
      {.id = "S002-R7h-lemma",
       .title = "As tau -> 0 Gamma_soft becomes Gamma_hard",
       .wording = Wording::reading,
       .kind = Kind::limit,
       .scope = "orthonormal rows",
       .measure = cold_gamma(1, 1e-4),
       .controls = {{"tau inside, s = tanh(Wq/tau)", cold_gamma(1e-4, 1)}},
       .expected = Verdict::refuted,
       .remark = "\"Recovering hard LSH in the zero-temperature limit\" is said of the scores, and is true of (4) "
                 "(S002-R7h). It is false of Lemma 6's Gamma: that score is the logit, and tau cancels."}};
}

}  // namespace skt::ranking_signal_group
