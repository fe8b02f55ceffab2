#include "proofs_check/inequalities/plane_score_correlation.hpp"
#include "proofs_check/statements/measuring.hpp"

namespace skt::hard_soft_correlation_group {

extern const StatementGroup kGroup = {
    .question = "Which per-plane score s correlates best with q.k, and is soft better than hard? (Remark 7)",
    .notes = R"(
With x = Wq, C = sqrt(2/pi) and Gamma(s) = C x.s/|s| (Lemma 6 for |q| = 1 and orthonormal rows): Gamma_hard is Gamma
at s = sign(x), Gamma_soft at s = tanh(x). Every bound here holds with equality at equal magnitudes. The two values
themselves are in plane_score_values.cpp.

  S002-R7c-gap         the order is that of the relative gap near 0
  S002-R7e             derived for every x, not only small ones
  S002-R7e-decreasing  Gamma(tanh(2 beta x)) <= Gamma(tanh(beta x)))",
    .method = "Random x with scales from 1e-3 to 20 and P from 2 to 16, and the instances of equality.",
    .power = "Rounding of two sums of P products, a relative 1e-14.",
    .source = "derived from paper, Remark 7",
    .scope = "orthonormal rows, x = Wq not zero"};

namespace {

const double kC = projection_constant();
constexpr Index kMostPlanes = 16;
// Two sums of P positive products, a norm and a quotient.
constexpr double kRounding = (2.0 * kMostPlanes + 8) * std::numeric_limits<double>::epsilon();

bool of_equal_magnitudes(std::uint32_t trial) {
  return trial % 7 == 0;
}

// Normal coordinates at a scale of 1e-3 .. 20, P = 2 .. 16; every seventh x has equal magnitudes.
Vector random_projections(Seed seed, std::uint32_t trial) {
  Vector x(2 + trial % (kMostPlanes - 1));
  fill_normal(seed, {.trial = trial}, std::span(x.data(), x.size()));
  if (of_equal_magnitudes(trial)) x = x.array().sign();
  double u[1];
  fill_uniform(seed, {.trial = trial, .row = 1}, u);
  return x * 1e-3 * std::pow(2e4, u[0]);
}

std::string in_words(const Vector& x, std::uint32_t trial) {
  return fmt::format("P={} |x|={:.3g}{}, trial {}", x.size(), x.norm(),
                     of_equal_magnitudes(trial) ? " of equal magnitudes" : "", trial);
}

using Side = std::function<double(const Vector& x)>;

// sup of left(x)/right(x) over random x with the x that attains it, claimed to be at most 1; and x = (1, 1, 1, 1)/2, on
// which all magnitudes are equal.

auto at_most_everywhere(Side left, Side right, Equality equality = Equality::open) {
  return [=](const Context& context) {
    const auto sides = [=](const Vector& x) { return InequalitySides{left(x), right(x), kRounding * right(x)}; };
    const AttainedSupremum worst =
        run_trials(context.trials(100'000), AttainedSupremum{}, [&](std::uint32_t trial, AttainedSupremum& s) {
          const Vector x = random_projections(context.seed, trial);
          s.add(sides(x), [&] { return in_words(x, trial); });
        });
    return std::vector<Evidence>{supremum("random x, P = 2 .. 16", worst),
                                 tight("x = (1, 1, 1, 1)/2", sides(Vector::Constant(4, 0.5)), equality)};
  };
}

// 1 - cos(x, tanh x) at x = t(3, 1): t^4 sin^2-like terms. With f = tanh(x)/x = 1 - x^2/3 + .., the gap is
// (1/2) Var_{x^2}(x^2)/9 = (1/2)(<x^6>/<x^2> - (<x^4>/<x^2>)^2)/9 with <x^k> = sum x_i^k, plus O(t^6).
auto small_signal(int order, double divisor = 18) {
  return [=](const Context&) -> std::vector<Evidence> {
    const double t = 0.01;
    const Vector x = t * (Vector(2) << 3, 1).finished();
    const double m2 = x.array().square().sum(), m4 = x.array().pow(4).sum(), m6 = x.array().pow(6).sum();
    const double leading = (m6 / m2 - std::pow(m4 / m2, 2)) / divisor * std::pow(t, order - 4);
    // The next order is smaller by max x^2 = 9 t^2, with a coefficient below 2; cancellation leaves 8 roundings.
    const double error = 2 * 9 * t * t * leading + 8 * std::numeric_limits<double>::epsilon();
    return {exact({"x = (0.03, 0.01)", "1 - Gamma_soft/(C|x|)"}, 1 - gamma_soft(x) / (kC * x.norm()),
                  equals(leading, error))};
  };
}

using Nonlinearity = double (*)(double x);

auto soft_beats_hard(Nonlinearity f, Equality equality = Equality::open) {
  return at_most_everywhere(gamma_hard, [f](const Vector& x) { return gamma_of(x, x.unaryExpr(f)); }, equality);
}

// Gamma(f(2 beta x))/Gamma(f(beta x)) for beta = .1, 1, 10, claimed to be at most `most`, and 1 at equal magnitudes.
auto falls_in_beta(Nonlinearity f, double most, Equality equality) {
  return [=](const Context& context) {
    const auto sides = [=](const Vector& x, double beta) {
      return InequalitySides{gamma_of(x, (2 * beta * x).unaryExpr(f)), most * gamma_of(x, (beta * x).unaryExpr(f)),
                             2 * kRounding * kC * x.norm()};
    };
    const AttainedSupremum worst =
        run_trials(context.trials(50'000), AttainedSupremum{}, [&](std::uint32_t trial, AttainedSupremum& s) {
          const Vector x = random_projections(context.seed, trial);
          if (of_equal_magnitudes(trial)) return s.add_out_of_scope();  // equal magnitudes, the row below
          for (const double beta : {0.1, 1.0, 10.0})
            s.add(sides(x, beta), [&] { return fmt::format("P={} beta={}, trial {}", x.size(), beta, trial); });
        });
    return std::vector<Evidence>{supremum("random x, P = 2 .. 16", worst),
                                 tight("x = (1, 1, 1, 1)/2, beta = 1", sides(Vector::Constant(4, 0.5), 1), equality)};
  };
}

// Two unit rows 2.5 rad apart in the plane, q at 1 rad from the first: E Y^2 = s^T A s, A_12 = (2/pi) asin(cos 2.5).
std::vector<Evidence> without_orthogonality(const Context&) {
  const Vector x = (Vector(2) << std::cos(1.0), std::cos(1.5)).finished();
  const double a = 2 / std::numbers::pi * std::asin(std::cos(2.5));
  const auto general = [&](const Vector& s) {
    return kC * x.dot(s) / std::sqrt(s.squaredNorm() + 2 * a * s(0) * s(1));
  };
  return {exact({"two rows 2.5 rad apart, q at 1 rad", "Gamma_hard/Gamma_soft"},
                general(x.array().sign()) / general(x.array().tanh()), at_most(1, kRounding))};
}

double root_of_planes(const Vector& x) {
  return std::sqrt(real(x.size()));
}
double one_norm(const Vector& x) {
  return x.lpNorm<1>();
}
double soft(double x) {
  return std::tanh(x);
}
Statement falling_in_beta() {
  const Nonlinearity clamped_sinh = [](double x) { return std::sinh(std::min(std::max(x, -300.0), 300.0)); };
  return {.id = "S002-R7e-decreasing",
          .title = "Gamma(tanh(beta x)) falls in beta, from C|x|_2 to C|x|_1/sqrt P; constant at equal magnitudes",
          .kind = Kind::inequality,
          .measure = falls_in_beta(soft, 1, Equality::attained),
          .mutants = {{"sinh for tanh", falls_in_beta(clamped_sinh, 1, Equality::open)},
                      {"by a thousandth at least", falls_in_beta(soft, 0.999, Equality::open)}}};
}

}  // namespace

std::vector<Statement> statements() {
  return {{.id = "S002-R7c",
           .title = "Gamma_soft <= C|Wq|_2",
           .kind = Kind::inequality,
           .measure = at_most_everywhere(gamma_soft, gamma_most, Equality::attained),
           .mutants = {{">=", at_most_everywhere(gamma_most, gamma_soft)},
                       {"C|x|_2/1.001",
                        at_most_everywhere(gamma_soft, [](const Vector& x) { return kC * x.norm() / 1.001; })}}},
          {.id = "S002-R7c-gap",
           .title = "Gamma_soft falls below C|Wq|_2 by a relative O(max|Wq|^4)",
           .kind = Kind::limit,
           .measure = small_signal(4),
           .mutants = {{"O(max|Wq|^2)", small_signal(2)},
                       {"O(max|Wq|^6)", small_signal(6)},
                       {"1/17 for 1/18 in the constant", small_signal(4, 17)}}},
          {.id = "S002-R7d",
           .title = "|x|_1 <= sqrt(P)|x|_2, with equality at equal magnitudes",
           .source = "paper, Remark 7",
           .quote = "with strict inequality unless the projected coordinates have equal magnitude",
           .kind = Kind::inequality,
           .measure = at_most_everywhere(
               one_norm, [](const Vector& x) { return root_of_planes(x) * x.norm(); }, Equality::attained),
           .mutants = {{"sqrt(P - 1)",
                        at_most_everywhere(one_norm,
                                           [](const Vector& x) { return std::sqrt(real(x.size() - 1)) * x.norm(); })},
                       {"sqrt(.96 P)",
                        at_most_everywhere(
                            one_norm, [](const Vector& x) { return std::sqrt(0.96) * root_of_planes(x) * x.norm(); })},
                       {"|x|_1 <= |x|_2", at_most_everywhere(one_norm, [](const Vector& x) { return x.norm(); })}}},
          {.id = "S002-R7e",
           .title = "Gamma_hard <= Gamma_soft for every x",
           .source = "paper, Remark 7",
           .quote = "we have Gamma_hard<=Gamma_soft in this regime",
           .kind = Kind::inequality,
           .measure = soft_beats_hard(soft, Equality::attained),
           .mutants = {{"by 2% at least",
                        at_most_everywhere(gamma_hard, [](const Vector& x) { return gamma_soft(x) / 1.02; })},
                       {"x^3 for tanh", soft_beats_hard([](double x) { return x * x * x; })},
                       {"sinh for tanh", soft_beats_hard([](double x) { return std::sinh(x); })},
                       {"rows not orthogonal", without_orthogonality}},
           .remark = "Stronger than the paper's claim, which is for small signals only."},
          falling_in_beta()};
}

}  // namespace skt::hard_soft_correlation_group
