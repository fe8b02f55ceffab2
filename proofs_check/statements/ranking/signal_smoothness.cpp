// How far do the scores of SOCKET and of hard LSH move when the query moves a little? (Remark 7)
//
// |tanh(Wq) - tanh(Wq')| <= |W||q - q'| and |p - p'| <= sqrt(P)|W||q - q'|/(2 tau sqrt d), attained near Wq = 0, while
// a hard count jumps across a plane.
//
// Method: the largest ratio of left over right side on random W, q and q', near 0 and far from it; estimators.
// Power: rounding.
#include <cmath>
#include <limits>

#include "estimators/weighted_output.hpp"
#include "proofs_check/evidence.hpp"
#include "proofs_check/statement.hpp"
#include "proofs_check/trial_accumulators.hpp"
#include "sim/number.hpp"
#include "sim/trial_loop.hpp"

namespace skt {
namespace {

constexpr double kEps = std::numeric_limits<double>::epsilon();

// Near Wq = 0 along the leading right direction of W = I the bound is attained: tanh'(0) = 1.
enum class Signal { tanh, sign };

Vector signal_of(Signal kind, const Vector& x) {
  return kind == Signal::tanh ? Vector(x.array().tanh()) : Vector(x.array().sign());
}

struct Slopes {
  Largest signal, score;
  void merge(const Slopes& later) { signal.merge(later.signal), score.merge(later.score); }
};

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
    slopes.score.add((std::abs(score(q) - score(other)) - 64 * kEps) /
                     (std::sqrt(double{kPlanes}) * moved / (2 * kTemperature * std::sqrt(double{kSmall}))));
  });
}

auto lipschitz(double factor, Signal kind) {
  return [=](const Context& context) -> std::vector<Evidence> {
    const Slopes worst = largest_slopes(context, factor, kind);
    const Vector near = Vector::Constant(4, 1e-6);
    const Hyperplanes axis{1, 1, 2, (Matrix(1, 2) << 1, 0).finished()};
    const KeyCodes code = context.estimators.hash(axis, (Matrix(1, 2) << 1, 0).finished());
    const auto count = [&](double x) { return hard_scores(axis, code, (Vector(2) << x, 1).finished())(0); };
    return {supremum({"random W, q, q', P=8 d=16", "|f(Wq) - f(Wq')|/(claimed bound)"}, worst.signal.value, 16 * kEps,
                     worst.signal.trials, worst.signal.in_scope),
            exact({"W = I, q = 1e-6 (1, 1, 1, 1), q' = 0", "|f(Wq) - f(Wq')|/(claimed bound)"},
                  (signal_of(kind, near) - signal_of(kind, Vector::Zero(4))).norm() / (factor * near.norm()),
                  at_most(1, 4 * kEps)),
            supremum({"random W, q, q', one key, P=8 d=16 tau=.3", "|p - p'|/(sqrt(P)|W||q - q'|/(2 tau sqrt d))"},
                     worst.score.value, 16 * kEps, worst.score.trials, worst.score.in_scope),
            exact({"w = e_1, q = (+-1e-9, 1)", "jump of the hard count"}, count(1e-9) - count(-1e-9), equals(1))};
  };
}

Statement smooth_and_jumping() {
  return {.id = "S002-R7i",
          .title = "tanh(Wq) and p_tau are Lipschitz in q, a hard count jumps",
          .source = "paper, Remark 7",
          .kind = Kind::inequality,
          .scope = "any W and q",
          .measure = lipschitz(1, Signal::tanh),
          .mutants = {{"|W|/2", lipschitz(0.5, Signal::tanh)}, {"the same for signs", lipschitz(1, Signal::sign)}}};
}

}  // namespace

std::vector<Statement> signal_smoothness_statements() {
  return {smooth_and_jumping()};
}

}  // namespace skt
