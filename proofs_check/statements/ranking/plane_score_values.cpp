#include "estimators/population/plane_signal.hpp"
#include "proofs_check/inequalities/plane_score_correlation.hpp"
#include "proofs_check/statements/measuring.hpp"

namespace skt::plane_score_values_group {

extern const StatementGroup kGroup = {
    .question = "What are Lemma 6's correlations of the hard and of the soft per-plane score with q.k? (Remark 7)",
    .notes = R"(
x = Wq for orthonormal rows, |q| = 1, C = sqrt(2/pi). The printed values of Gamma at s = sign(x) and at s = tanh(x)
stand beside E[XY] and E[Y^2] summed over the 2^P equally likely sign patterns of Wk.)",
    .method = "Random x with scales from 1e-3 to 1 and P from 2 to 8.",
    .power = "The rounding of sums of 2^P terms, a relative 1e-12.",
    .scope = "orthonormal rows, x = Wq not zero"};

namespace {

constexpr Index kMostPlanes = 8;
constexpr double kPatterns = 1 << kMostPlanes;
const double kC = projection_constant();
constexpr double kOtherC = 0.8;  // of a mutant, for sqrt(2/pi) = .798

using Side = double (*)(const Vector& x);

double hard(double x) {
  return x > 0 ? 1 : -1;
}
double soft(double x) {
  return std::tanh(x);
}
double root_of_planes(const Vector& x) {
  return std::sqrt(real(x.size()));
}
double product_with_tanh(const Vector& x) {
  return kC * x.dot(x.array().tanh().matrix());
}

// Corr(X, Y) for a given s without a formula of the paper: given the signs of Wk, which are 2^P equally likely patterns,
// Y is known and X = q.k has the mean E|z| sum_i sign_i x_i, z a standard normal of mean length E|z|; |q| = 1.
double correlation_over_patterns(const Vector& x, const Vector& s, double mean_length) {
  const std::uint32_t patterns = 1u << x.size();
  double product = 0, square = 0;
  for (std::uint32_t pattern = 0; pattern < patterns; ++pattern) {
    double along = 0, y = 0;
    for (Index i = 0; i < x.size(); ++i) {
      const double sign = pattern >> i & 1u ? 1 : -1;
      along += sign * x(i), y += sign * s(i);
    }
    product += along * y, square += y * y;
  }
  return mean_length * (product / patterns) / std::sqrt(square / patterns);
}

// The largest and the least ratio of the printed value to the correlation of Y with s = f(x).
auto is_correlation_of(double (*f)(double x), Side printed) {
  return [=](const Context& context) -> std::vector<Evidence> {
    // Sums of 2^P terms; |x|_1 |s|_1 <= P x.s for s = f(x), f odd and increasing (Chebyshev), so that cancellation
    // costs a factor P.
    constexpr double kSums = kMostPlanes * (kPatterns + 2.0 * kMostPlanes + 8) * std::numeric_limits<double>::epsilon();
    const double mean_length = mean_over_projection([](double z) { return z; }, 1).value;
    double most = 0, least = HUGE_VAL;
    const std::uint64_t trials = context.trials(2000);
    for (std::uint32_t trial = 0; trial < trials; ++trial) {
      Vector x(2 + trial % (kMostPlanes - 1));
      fill_normal(context.seed, {.trial = trial}, std::span(x.data(), x.size()));
      x *= std::pow(10.0, -real(trial % 4));
      const double ratio = printed(x) / correlation_over_patterns(x, x.unaryExpr(f), mean_length);
      most = larger(most, ratio), least = smaller(least, ratio);
    }
    const char* const instance = "random x, P = 2 .. 8";
    return {exact({instance, "largest printed value/Corr(X, Y)"}, most, at_most(1, kSums)),
            exact({instance, "least printed value/Corr(X, Y)"}, least, at_least(1, kSums))};
  };
}

Statement hard_value() {
  const auto is = [](Side printed) { return is_correlation_of(hard, printed); };
  return {.id = "S002-R7a",
          .title = "Gamma_hard = (C/sqrt P)|Wq|_1",
          .source = "paper, Remark 7",
          .quote = "For hard scoring, s^hard=sign(Wq), yielding",
          .measure = is(gamma_hard),
          .mutants = {{"C/P", is([](const Vector& x) { return gamma_hard(x) / root_of_planes(x); })},
                      {"C = .8", is([](const Vector& x) { return kOtherC / kC * gamma_hard(x); })},
                      {"|x|_2 for |x|_1", is([](const Vector& x) { return kC * x.norm() / root_of_planes(x); })}}};
}

Statement soft_value() {
  const auto is = [](Side printed) { return is_correlation_of(soft, printed); };
  return {.id = "S002-R7b",
          .title = "Gamma_soft = C (Wq).tanh(Wq)/|tanh(Wq)|_2",
          .source = "paper, appendix C (soft scoring)",
          .quote = "For soft scoring, s_i^soft=tanh(q.w_i), i.e., s^soft=tanh(Wq) (applied elementwise)",
          .measure = is(gamma_soft),
          .mutants = {{"over sqrt(P)", is([](const Vector& x) { return product_with_tanh(x) / root_of_planes(x); })},
                      {"C = .8", is([](const Vector& x) { return kOtherC / kC * gamma_soft(x); })},
                      {"over |x|_2", is([](const Vector& x) { return product_with_tanh(x) / x.norm(); })}}};
}

}  // namespace

std::vector<Statement> statements() {
  return {hard_value(), soft_value()};
}

}  // namespace skt::plane_score_values_group
