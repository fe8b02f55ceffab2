#include "proofs_check/statements/measuring.hpp"

namespace skt::signal_smoothness_group {

extern const StatementGroup kGroup = {
    .question = "How far do the scores of SOCKET and of hard LSH move when the query moves a little? (Remark 7)",
    .notes = R"(
|tanh(Wq) - tanh(Wq')| <= |W||q - q'| and |p - p'| <= |W||q - q'|/(2 tau sqrt d), both attained near Wq = 0, while a
hard count jumps across a plane. The second: p is a product of bits b_i = sigma(2 u_i c_i/tau), its gradient in u has
the length (2/tau) p |1 - b|, and p |1 - b| <= 1/4 whatever P: where it is largest in x = 1 - b, x_i (1 - x_i) =
|x|^2 for every x_i > 0, so all are 1/(m + 1) for some m or one is 1/2, and sqrt(m)/(m + 1) (m/(m + 1))^m falls from
1/4 at m = 1.)",
    .method = "The largest ratio of left over right side on random W, q and q', near 0 and far from it; estimators.",
    .power = "Rounding."};

namespace {

// Near Wq = 0 along the leading right direction of W = I the bound is attained: tanh'(0) = 1.
enum class Signal { tanh, sign };

Vector signal_of(Signal kind, const Vector& x) {
  return kind == Signal::tanh ? Vector(x.array().tanh()) : Vector(x.array().sign());
}

struct Slopes {
  Largest signal, score;
  void merge(const Slopes& later) { signal.merge(later.signal), score.merge(later.score); }
};

// |p - p'| over |W||q - q'|/(2 tau sqrt d) for one plane along e_1 in d = 2 and q = (step, 0), q' = 0. The sigmoid's
// curvature takes a relative (2 step/(tau sqrt d))^2/12 and tanh's step^2/3 from 1.
double score_slope_at_plane(const Context& context, double step) {
  constexpr double kTemperature = 0.3;
  const Hyperplanes axis{1, 1, 2, (Matrix(1, 2) << 1, 0).finished()};
  const KeyCodes code = context.estimators.hash(axis, (Matrix(1, 2) << 1, 0).finished());
  const auto score = [&](double x) {
    return context.estimators.soft(axis, code, Vector{{x, 0}}, {.temperature = kTemperature})(0);
  };
  return (score(step) - score(0)) / (step / (2 * kTemperature * std::sqrt(2.0)));
}

Slopes largest_slopes(const Context& context, double factor, Signal kind) {
  constexpr Index kPlanes = 8, kSmall = 16;
  constexpr double kTemperature = 0.3;
  return run_trials(context.trials(4000), Slopes{}, [&](std::uint32_t trial, Slopes& slopes) {
    const Hyperplanes planes = context.estimators.draw(context.seed, trial, 1, kPlanes, kSmall);
    Matrix random(3, kSmall);
    fill_normal(context.seed, {.trial = trial}, {random.data(), 3 * kSmall});
    const double step = std::pow(10.0, -real(trial % 5)), norm = spectral_norm(planes.rows);
    const Vector q = (trial % 2 == 0 ? 1 : 1e-3) * random.row(0).transpose();
    const Vector other = q + step * random.row(1).transpose();
    const double moved = norm * (q - other).norm();
    slopes.signal.add((signal_of(kind, planes.rows * q) - signal_of(kind, planes.rows * other)).norm() /
                      (factor * moved));
    const KeyCodes codes = context.estimators.hash(planes, random.row(2));
    const auto score = [&](const Vector& query) {
      return context.estimators.soft(planes, codes, query, {kTemperature})(0);
    };
    slopes.score.add((std::abs(score(q) - score(other)) - 64 * kUnit) /
                     (factor * moved / (2 * kTemperature * std::sqrt(double{kSmall}))));
  });
}

// Both bounds times `factor`.
auto lipschitz(double factor, Signal kind, Equality equality = Equality::open) {
  return [=](const Context& context) -> std::vector<Evidence> {
    const Slopes worst = largest_slopes(context, factor, kind);
    constexpr double kStep = 1e-4;
    const Vector near = Vector::Constant(4, 1e-6);
    const Hyperplanes axis{1, 1, 2, (Matrix(1, 2) << 1, 0).finished()};
    const KeyCodes code = context.estimators.hash(axis, (Matrix(1, 2) << 1, 0).finished());
    const auto count = [&](double x) { return hard_scores(axis, code, (Vector(2) << x, 1).finished())(0); };
    return {supremum({"random W, q, q', P=8 d=16", "|f(Wq) - f(Wq')|/(claimed bound)"}, worst.signal.value, 16 * kUnit,
                     worst.signal.trials, worst.signal.in_scope),
            exact({"W = I, q = 1e-6 (1, 1, 1, 1), q' = 0", "|f(Wq) - f(Wq')|/(claimed bound)"},
                  (signal_of(kind, near) - signal_of(kind, Vector::Zero(4))).norm() / (factor * near.norm()),
                  at_most(1, 4 * kUnit)),
            supremum({"random W, q, q', one key, P=8 d=16 tau=.3", "|p - p'|/(claimed bound)"}, worst.score.value,
                     16 * kUnit, worst.score.trials, worst.score.in_scope),
            exact({"w = e_1, q = (1e-4, 0), q' = 0, d=2 tau=.3", "|p - p'|/(claimed bound)"},
                  score_slope_at_plane(context, kStep) / factor, bounded_by(1, 4 * kStep * kStep, equality)),
            exact({"w = e_1, q = (+-1e-9, 1)", "jump of the hard count"}, count(1e-9) - count(-1e-9), equals(1))};
  };
}

}  // namespace

std::vector<Statement> statements() {
  return {{.id = "S002-R7i",
           .title = "tanh(Wq) and p_tau are Lipschitz in q; a hard count jumps",
           .source = "paper, appendix C (hard and soft scoring)",
           .quote = "preserves the directional structure of the projected coordinates and varies smoothly with q",
           .kind = Kind::inequality,
           .scope = "any W and q",
           .measure = lipschitz(1, Signal::tanh, Equality::attained),
           .mutants = {{"|W|/2", lipschitz(0.5, Signal::tanh)},
                       {"|W|/1.02", lipschitz(1 / 1.02, Signal::tanh)},
                       {"the same for signs", lipschitz(1, Signal::sign)}},
           .remark = "The constants |W| and |W|/(2 tau sqrt d) are attained. The paper does not give them."}};
}

}  // namespace skt::signal_smoothness_group
