#include "proofs_check/laws/sampling_tails.hpp"
#include "proofs_check/statements/measuring.hpp"
#include "proofs_check/statements/sharp_bounds/sampling_instances.hpp"

namespace skt::sampling_radii_by_rows_group {

extern const StatementGroup kGroup = {
    .question =
        "How far is T from its mean, by the drawn rows alone or for small delta? (Theorem 7 of this project, second "
        "part)",
    .notes = R"(
OWN-7b  |T-y|^2 <= S1^2/M + k(delta_1) sqrt(2(M-1) t/M^3), sqrt(t) an upper limit of |E X X^T| from the rows
OWN-7c  |T-y| <= [sqrt(M (2(S1^2 - |y|^2) + rho^2)/3) + sqrt(2 log(1/delta_1) M |Sigma| (1 + e/3))]/M)",
    .method =
        "As in sampling_radii.cpp, and, where there are too many sequences, the probability of single events: that a "
        "common value is not drawn, or that no value is drawn twice.",
    .power = "Exact where the lies are; for counts, a rate one third above the level.",
    .kind = Kind::high_probability,
    .chance = Chance::random};

namespace {

constexpr const char* kSource = "docs/bounds/sampling.md, ";

// The levels of the lies: 0.05 in all.
constexpr double kDelta1 = 0.04, kDelta2 = 0.01;
constexpr Index kUnlike = 8;

// Every row of signs is 1 or -1, and the mean of X X^T is 1 whatever is drawn: so is the radius.
double radius_of_sign_rows(Index samples, double delta_1, double delta_2) {
  return sampling_error_bound_from_rows(1, Matrix::Ones(samples, 1), delta_1, delta_2);
}

// The same formula for signs with a factor on k, at 400 samples.
auto rows_on_signs(double spread) {
  return [=](const Context&) {
    constexpr double kSamples = 400;
    const double slack = std::sqrt(-2 * std::log(kDelta2) / kSamples),
                 root = (slack + std::sqrt(slack * slack + 4)) / 2;
    const double k = spread * std::sqrt((1 - kDelta1) / kDelta1);
    const double square = 1 / kSamples + k * std::sqrt(2 * (kSamples - 1) / std::pow(kSamples, 3)) * root * root;
    return std::vector{exact({"I-RAD, M=400", "P(violation)"}, signs_outside(400, 0.5, std::sqrt(square)),
                             at_most(kDelta1 + kDelta2))};
  };
}

// X = e_0 with probability .3, otherwise +-e_i for one of 512 axes i: y = .3 e_0. If e_0 is not drawn and no axis is
// drawn twice, no two rows have a product and |T - y|^2 = 1/M + .09. Of 8 draws that has a probability just above 1/20.
Evidence unseen_direction(double radius_of_unlike_rows) {
  constexpr Index kAxes = 512;
  double chance = 1;
  for (Index i = 0; i < kUnlike; ++i) chance *= 0.7 * (1 - real(i) / real(kAxes));
  const bool outside = std::sqrt(1.0 / kUnlike + 0.09) > radius_of_unlike_rows;
  return exact({"a common value among 512 rare axes, M=8", "P(it is not drawn, no axis twice, and violation)"},
               outside ? chance : 0, at_most(kDelta1 + kDelta2));
}

Statement radius_from_the_rows() {
  const auto measure = [](const Context& context) {
    std::vector<Evidence> evidence = violations_behind_tables(context, [](const SamplingLaw& law, const Matrix& rows) {
      return sampling_error_bound_from_rows(law.total_norm, rows, 0.9 * kCountedDelta, 0.1 * kCountedDelta);
    });
    AttainedSupremum worst;
    for (const Index samples : {2, 3, 4, 7, 20, 60, 400, 2000}) {
      for (const double delta : {0.6, 0.1, 0.05, 0.01}) {
        const double left = signs_outside(samples, 0.5, radius_of_sign_rows(samples, 0.9 * delta, 0.1 * delta));
        worst.add({left, delta, 0}, [&] { return fmt::format("M={}, delta={}, P(violation)/delta", samples, delta); });
      }
    }
    evidence.push_back(supremum("I-RAD", worst));
    const Matrix unlike = Matrix::Identity(kUnlike, kUnlike);
    evidence.push_back(unseen_direction(sampling_error_bound_from_rows(1, unlike, kDelta1, kDelta2)));
    return evidence;
  };
  // The mean over pairs of different rows is 0 here, so a radius without slack is S1/sqrt(M).
  const auto without_slack = [](const Context&) { return std::vector{unseen_direction(std::sqrt(1.0 / kUnlike))}; };
  return {.id = "OWN-7b",
          .title = "Sampling-error bound from S1 and the drawn value rows alone",
          .source = std::string(kSource) + "7b",
          .scope = "given tables, S1 > 0, M >= 2",
          .measure = measure,
          .mutants = {{"the variance forgotten", rows_on_signs(0)},
                      {"k -> .35 k", rows_on_signs(0.35)},
                      {"|E X X^T|^2 -> the mean over pairs of rows", without_slack}},
          .remark = "The variance is at most 2 (M-1) |E X X^T|^2/M^3, in which the output no longer appears."};
}

// 7(c) with factors on its two terms; signs: S1 = lambda = rho = 1.
double exponential_on_signs(Index samples, double first, double second) {
  const double m = real(samples), excess = chernoff_excess(std::log(1 / kDelta2) / m);
  return (first * std::sqrt(m) + std::sqrt(-2 * second * std::log(kDelta1) * m * (1 + excess / 3))) / m;
}

auto exponential_lie_on_signs(double first, double second) {
  return [=](const Context&) {
    return std::vector{exact({"I-RAD, M=400", "P(violation)"},
                             signs_outside(400, 0.5, exponential_on_signs(400, first, second)),
                             at_most(kDelta1 + kDelta2))};
  };
}

// 8 draws of 128 orthonormal values: if none is drawn twice, |T - y|^2 = 1/8 - 1/128.
std::vector<Evidence> without_first_root(const Context&) {
  constexpr Index kDraws = 8, kKeys = 128;
  double chance = 1;
  for (Index i = 0; i < kDraws; ++i) chance *= 1 - real(i) / real(kKeys);
  const SamplingLaw law = sampling_law(Vector::Ones(kKeys), Matrix::Identity(kKeys, kKeys));
  const double longest = law.total_norm + law.mean.squaredNorm() - 2 * law.smallest_alignment;
  const double first = std::sqrt(kDraws * (2 * law.covariance.trace() + longest) / 3) / kDraws;
  const double rest = exponential_sampling_bound(law, kDraws, kDelta1, kDelta2) - first;
  const bool outside = std::sqrt(1.0 / kDraws - 1.0 / kKeys) > rest;
  return {exact({"I-ORTHV(128), equal weights, M=8", "P(no value twice, and violation)"}, outside ? chance : 0,
                at_most(kDelta1 + kDelta2))};
}

Statement radius_for_small_delta() {
  const auto measure = [](const Context& context) {
    std::vector<Evidence> evidence = violations_behind_tables(context, [](const SamplingLaw& law, const Matrix& rows) {
      return exponential_sampling_bound(law, rows.rows(), 0.9 * kCountedDelta, 0.1 * kCountedDelta);
    });
    const SamplingRadius divided = [](const SamplingLaw& law, Index samples, double delta) {
      return exponential_sampling_bound(law, samples, 0.9 * delta, 0.1 * delta);
    };
    evidence.push_back(largest_violation_on_signs(divided));
    evidence.push_back(largest_violation_on_few_values(divided));
    AttainedSupremum small;
    const SamplingLaw signs = law_of_signs(0.5);
    for (const double delta : {1e-4, 1e-6, 1e-9}) {
      const double left = signs_outside(2000, 0.5, divided(signs, 2000, delta));
      small.add({left, delta, 0}, [&] { return fmt::format("delta={}, P(violation)/delta", delta); });
    }
    evidence.push_back(supremum("I-RAD, M=2000", small));
    return evidence;
  };
  return {.id = "OWN-7c",
          .title = "Sampling-error bound with an exponential tail",
          .source = std::string(kSource) + "7c",
          .scope = "given tables, S1 > 0",
          .measure = measure,
          .mutants = {{"2 log(1/delta_1) -> .1 log(1/delta_1)", exponential_lie_on_signs(1, 0.05)},
                      {"2 log(1/delta_1) -> .26 log(1/delta_1)", exponential_lie_on_signs(1, 0.13)},
                      {"the first root forgotten", without_first_root}}};
}

}  // namespace

std::vector<Statement> statements() {
  return {radius_from_the_rows(), radius_for_small_delta()};
}

}  // namespace skt::sampling_radii_by_rows_group
