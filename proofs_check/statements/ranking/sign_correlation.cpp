// How does Y = sum_i sign(w_i.k) s_i correlate with X = q.k for a random key? (Lemma 6, part by part)
//
// S002-L6a  Claim (expectation): E X = 0, E X^2 = |q|^2 (1 in the paper, which takes |q| = 1).
//   Mutants: E X^2 = 1 for |q| = 2; E X^2 = d.
// S002-L6b  Claim (expectation): E Y = 0.
//   Mutants: also for keys of mean q; E Y = sum_i s_i.
// S002-L6c  Claim (expectation): E Y^2 = |s|^2 for orthonormal rows; s^T A s, A_ij = (2/pi) asin(w_i.w_j),
//   for any unit rows.
//   Mutants: (sum_i s_i)^2; |s|^2 for rows that are not orthogonal.
// S002-L6d  Claim (expectation): E XY = C (Wq).s, C = E|N(0,1)| = sqrt(2/pi), for rows orthogonal or not.
//   Mutants: C = sqrt(pi/2); C = 2/pi.
// S002-L6g  Claim (expectation): Corr(X, Y) = C (Wq).s/(|q||s|) for orthonormal rows.
//   Mutants: without |s|; without C.
//
// Scope: k ~ N(0, I_d), unit rows w_i, s fixed (independent of k).
// Method: means over independent keys in Student intervals.
// Power: a tenth of the size of the terms.
#include <cmath>
#include <numbers>

#include <Eigen/QR>

#include "proofs_check/evidence.hpp"
#include "proofs_check/statement.hpp"
#include "proofs_check/trial_accumulators.hpp"
#include "sim/trial_loop.hpp"

namespace skt {
namespace {

constexpr double kPi = std::numbers::pi;
constexpr Index kPlanes = 5, kDim = 16;
const double kC = std::sqrt(2 / kPi);
constexpr double kResolution = 0.1;  // of a mean, in units of the standard deviation of its terms

enum class Rows { orthonormal, unit };

struct Setup {
  Matrix rows;    // [planes, dim]
  Vector query;   // norm 2, leans to the rows so that XY has a mean
  Vector scores;  // s [planes], positive and longer than 1
};

Setup set_up(const Context& context, Rows kind) {
  Matrix gaussian(kPlanes + 1, kDim);
  for (std::uint32_t i = 0; i <= kPlanes; ++i)
    fill_normal(context.seed, {.role = Role::instance_shape, .row = i}, {gaussian.row(i).data(), kDim});
  Setup setup{gaussian.topRows(kPlanes).rowwise().normalized(), Vector(kDim), Vector(kPlanes)};
  // Neighbouring rows at an angle of about 45 degrees unless made orthogonal.
  for (Index i = 1; i < kPlanes; ++i) setup.rows.row(i) = (setup.rows.row(i) + setup.rows.row(i - 1)).normalized();
  if (kind == Rows::orthonormal) {
    const Eigen::HouseholderQR<Eigen::MatrixXd> qr(setup.rows.transpose());
    setup.rows = (qr.householderQ() * Eigen::MatrixXd::Identity(kDim, kPlanes)).transpose();
  }
  const Vector leaning = setup.rows.colwise().sum().transpose().normalized();
  setup.query = 2 * (leaning + gaussian.row(kPlanes).transpose().normalized()).normalized();
  setup.scores = (setup.rows * setup.query).array().tanh() + 1;
  return setup;
}

// Moments of X, X^2, Y, Y^2, XY for keys of the given mean.
enum Quantity : std::size_t { kX, kXX, kY, kYY, kXY, kQuantities };

MomentsList sample(const Context& context, const Setup& setup, const Vector& key_mean) {
  return run_trials(context.trials(200'000), MomentsList(kQuantities), [&](std::uint64_t trial, MomentsList& m) {
    Vector key(kDim);
    fill_normal(context.seed, {.role = Role::key, .trial = static_cast<std::uint32_t>(trial)}, {key.data(), kDim});
    key += key_mean;
    const double x = setup.query.dot(key);
    const Vector projections = setup.rows * key;
    const double y = (projections.array() >= 0).select(setup.scores, -setup.scores).sum();
    const double values[kQuantities] = {x, x * x, y, y * y, x * y};
    for (std::size_t i = 0; i < kQuantities; ++i) m.of[i].add(values[i]);
  });
}

Evidence compare(const Context& context, const char* rows, const char* name, const Moments& samples, double claimed,
                 int pieces, double scale) {
  return mean({rows, name}, samples, equals(claimed), {context.share(pieces), kResolution * scale});
}

double general_second_moment(const Setup& setup) {
  const Matrix cosines = (setup.rows * setup.rows.transpose()).cwiseMin(1.0).cwiseMax(-1.0);
  return setup.scores.dot((2 / kPi * cosines.array().asin()).matrix() * setup.scores);
}

using Value = double (*)(const Setup&);
const char* const kOrthonormal = "orthonormal rows, P=5 d=16 |q|=2";
const char* const kUnit = "unit rows that are not orthogonal, P=5 d=16 |q|=2";

auto inner_product_moments(Value claimed_square) {
  return [claimed_square](const Context& context) -> std::vector<Evidence> {
    const Setup setup = set_up(context, Rows::orthonormal);
    const MomentsList m = sample(context, setup, Vector::Zero(kDim));
    return {compare(context, kOrthonormal, "E X", m.of[kX], 0, 2, 2),
            compare(context, kOrthonormal, "E X^2", m.of[kXX], claimed_square(setup), 2, 6)};
  };
}

auto score_mean(double shift, Value claimed) {  // keys of mean shift * q
  return [shift, claimed](const Context& context) -> std::vector<Evidence> {
    const Setup setup = set_up(context, Rows::unit);
    const MomentsList m = sample(context, setup, shift * setup.query);
    return {compare(context, kUnit, "E Y", m.of[kY], claimed(setup), 1, setup.scores.lpNorm<1>())};
  };
}

auto score_square(Value orthonormal_value, Value unit_value) {
  return [orthonormal_value, unit_value](const Context& context) {
    std::vector<Evidence> evidence;
    for (const Rows kind : {Rows::orthonormal, Rows::unit}) {
      const Setup setup = set_up(context, kind);
      const MomentsList m = sample(context, setup, Vector::Zero(kDim));
      const bool orthonormal = kind == Rows::orthonormal;
      evidence.push_back(compare(context, orthonormal ? kOrthonormal : kUnit, "E Y^2", m.of[kYY],
                                 orthonormal ? orthonormal_value(setup) : unit_value(setup), 2,
                                 setup.scores.squaredNorm()));
    }
    return evidence;
  };
}

auto cross_moment(double constant) {
  return [constant](const Context& context) {
    std::vector<Evidence> evidence;
    for (const Rows kind : {Rows::orthonormal, Rows::unit}) {
      const Setup setup = set_up(context, kind);
      const MomentsList m = sample(context, setup, Vector::Zero(kDim));
      evidence.push_back(compare(context, kind == Rows::unit ? kUnit : kOrthonormal, "E XY", m.of[kXY],
                                 constant * setup.scores.dot(setup.rows * setup.query), 2, 2 * setup.scores.norm()));
    }
    return evidence;
  };
}

// Corr(X, Y) = E XY for q and s scaled to |q| = |s| = 1, where X and Y have variance 1 (S002-L6a, S002-L6c).
auto correlation(Value claimed) {
  return [claimed](const Context& context) -> std::vector<Evidence> {
    const Setup setup = set_up(context, Rows::orthonormal);
    Setup scaled = setup;
    scaled.query.normalize();
    scaled.scores.normalize();
    const MomentsList m = sample(context, scaled, Vector::Zero(kDim));
    return {compare(context, kOrthonormal, "Corr(X, Y)", m.of[kXY], claimed(setup), 1, 1)};
  };
}

}  // namespace

std::vector<Statement> sign_correlation_statements() {
  const auto part = [](std::string id, std::string title, std::string scope, auto measure,
                       std::vector<Mutant> mutants) {
    return Statement{.id = std::move(id),
                     .title = std::move(title),
                     .source = "paper, Lemma 6",
                     .kind = Kind::expectation,
                     .scope = std::move(scope),
                     .measure = std::move(measure),
                     .mutants = std::move(mutants)};
  };
  const auto zero = [](const Setup&) { return 0.0; };
  const auto square = [](const Setup& s) { return s.scores.squaredNorm(); };
  return {part("S002-L6a", "E X = 0 and E X^2 = |q|^2", "k ~ N(0, I)",
               inner_product_moments([](const Setup& s) { return s.query.squaredNorm(); }),
               {{"E X^2 = 1 for |q| = 2", inner_product_moments([](const Setup&) { return 1.0; })},
                {"E X^2 = d", inner_product_moments([](const Setup&) { return double{kDim}; })}}),
          part("S002-L6b", "E Y = 0", "k ~ N(0, I), s independent of k", score_mean(0, zero),
               {{"also for keys of mean q", score_mean(1, zero)},
                {"E Y = sum_i s_i", score_mean(0, [](const Setup& s) { return s.scores.sum(); })}}),
          part("S002-L6c", "E Y^2 = |s|^2 for orthonormal rows, s^T A s otherwise", "k ~ N(0, I), unit rows",
               score_square(square, general_second_moment),
               {{"(sum_i s_i)^2",
                 score_square([](const Setup& s) { return std::pow(s.scores.sum(), 2); }, general_second_moment)},
                {"|s|^2 for rows that are not orthogonal", score_square(square, square)}}),
          part("S002-L6d", "E XY = sqrt(2/pi) (Wq).s", "k ~ N(0, I), unit rows, orthogonal or not", cross_moment(kC),
               {{"C = sqrt(pi/2)", cross_moment(std::sqrt(kPi / 2))}, {"C = 2/pi", cross_moment(2 / kPi)}}),
          part("S002-L6g", "Corr(X, Y) = C (Wq).s/(|q||s|)", "k ~ N(0, I), orthonormal rows",
               correlation([](const Setup& s) {
                 return kC * s.scores.dot(s.rows * s.query) / s.query.norm() / s.scores.norm();
               }),
               {{"s not normalised",
                 correlation([](const Setup& s) { return kC * s.scores.dot(s.rows * s.query) / s.query.norm(); })},
                {"without C", correlation([](const Setup& s) {
                   return s.scores.dot(s.rows * s.query) / s.query.norm() / s.scores.norm();
                 })}})};
}

}  // namespace skt
