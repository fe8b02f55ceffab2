#include "proofs_check/statements/measuring.hpp"
#include "sim/decompositions.hpp"

namespace skt::sign_correlation_group {

extern const StatementGroup kGroup = {
    .question = "How does Y = sum_i sign(w_i.k) s_i correlate with X = q.k for a random key? (Lemma 6, part by part)",
    .notes = R"(
The rows w_i have length 1 and s is fixed (independent of k). S002-L6a is with the identities of the proof, in
sign_covariance.cpp.

  S002-L6c  A_ij = (2/pi) asin(w_i.w_j)
  S002-L6d  sqrt(2/pi) = E|N(0,1)| = C)",
    .method =
        "Means over independent keys. X is truncated at six standard deviations, so that every sample is bounded and "
        "its interval needs no normal approximation.",
    .power = "A tenth of the size of the terms; of the constant C, 5%.",
    .kind = Kind::expectation,
    .chance = Chance::random};

namespace {

constexpr double kPi = std::numbers::pi;
constexpr Index kPlanes = 5, kDim = 16;
const double kC = std::sqrt(2 / kPi);
constexpr double kResolution = 0.1;  // of a mean, in units of the standard deviation of its terms
constexpr double kCut = 6;           // of X, in deviations
constexpr double kLostByCut = 2e-8;  // E[|X| 1{|X| > 6}] = 2 phi(6) = 1.3e-8 for a standard normal X

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
  if (kind == Rows::orthonormal) setup.rows = orthonormal_columns(setup.rows.transpose()).transpose();
  const Vector leaning = setup.rows.colwise().sum().transpose().normalized();
  setup.query = 2 * (leaning + gaussian.row(kPlanes).transpose().normalized()).normalized();
  setup.scores = (setup.rows * setup.query).array().tanh() + 1;
  return setup;
}

// Moments of Y, Y^2, XY for keys of the given mean, X cut at kCut |q|.
enum Quantity : std::size_t { kY, kYY, kXY, kQuantities };

MomentsList sample(const Context& context, const Setup& setup, const Vector& key_mean) {
  const double most = kCut * setup.query.norm();
  return run_trials(context.trials(400'000), MomentsList(kQuantities), [&](std::uint32_t trial, MomentsList& m) {
    Eigen::Matrix<double, kDim, 1> key;
    fill_normal(context.seed, {.role = Role::key, .trial = trial}, {key.data(), kDim});
    key += key_mean;
    const double x = std::clamp(setup.query.dot(key), -most, most);
    double y = 0;
    for (Index i = 0; i < kPlanes; ++i) y += setup.rows.row(i).dot(key) >= 0 ? setup.scores(i) : -setup.scores(i);
    const double values[kQuantities] = {y, y * y, x * y};
    for (std::size_t i = 0; i < kQuantities; ++i) m.of[i].add(values[i]);
  });
}

struct Quoted {
  Quantity of;
  const char* name;
  double claimed, scale;
};

// |Y| <= |s|_1, and the cut takes at most kLostByCut |q||s|_1 from the mean of XY.
Evidence compare(double error_share, const char* rows, const Setup& setup, const MomentsList& samples,
                 const Quoted& q) {
  const double norm = setup.query.norm(), y = setup.scores.lpNorm<1>();
  const double ranges[kQuantities] = {2 * y, y * y, 2 * kCut * norm * y};
  return mean_of_bounded({rows, q.name}, samples.of[q.of], ranges[q.of],
                         equals(q.claimed, q.of == kXY ? kLostByCut * norm * y : 0),
                         {error_share, kResolution * q.scale});
}

double general_second_moment(const Setup& setup) {
  const Matrix cosines = (setup.rows * setup.rows.transpose()).cwiseMin(1.0).cwiseMax(-1.0);
  return setup.scores.dot((2 / kPi * cosines.array().asin()).matrix() * setup.scores);
}

using Value = double (*)(const Setup&);
constexpr const char* kOrthonormal = "orthonormal rows, P=5 d=16 |q|=2";
constexpr const char* kUnit = "unit rows that are not orthogonal, P=5 d=16 |q|=2";
constexpr Rows kBothRows[] = {Rows::orthonormal, Rows::unit};

auto score_mean(double shift, Value claimed) {  // keys of mean shift * q
  return [shift, claimed](const Context& context) -> std::vector<Evidence> {
    const Setup setup = set_up(context, Rows::unit);
    const MomentsList m = sample(context, setup, shift * setup.query);
    return {compare(context.error_share, kUnit, setup, m, {kY, "E Y", claimed(setup), setup.scores.lpNorm<1>()})};
  };
}

auto score_square(Value orthonormal_value, Value unit_value) {
  return [orthonormal_value, unit_value](const Context& context) {
    std::vector<Evidence> evidence;
    for (const Rows kind : kBothRows) {
      const Setup setup = set_up(context, kind);
      const MomentsList m = sample(context, setup, Vector::Zero(kDim));
      const bool orthonormal = kind == Rows::orthonormal;
      const double claimed = orthonormal ? orthonormal_value(setup) : unit_value(setup);
      evidence.push_back(compare(context.share(kBothRows), orthonormal ? kOrthonormal : kUnit, setup, m,
                                 {kYY, "E Y^2", claimed, setup.scores.squaredNorm()}));
    }
    return evidence;
  };
}

auto cross_moment(double constant) {
  return [constant](const Context& context) {
    std::vector<Evidence> evidence;
    for (const Rows kind : kBothRows) {
      const Setup setup = set_up(context, kind);
      const MomentsList m = sample(context, setup, Vector::Zero(kDim));
      const double claimed = constant * setup.scores.dot(setup.rows * setup.query);
      evidence.push_back(compare(context.share(kBothRows), kind == Rows::unit ? kUnit : kOrthonormal, setup, m,
                                 {kXY, "E XY", claimed, 2 * setup.scores.norm()}));
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
    return {compare(context.error_share, kOrthonormal, scaled, m, {kXY, "Corr(X, Y)", claimed(setup), 1})};
  };
}

double zero(const Setup&) {
  return 0;
}
double square_of_scores(const Setup& s) {
  return s.scores.squaredNorm();
}
double product_with_query(const Setup& s) {
  return s.scores.dot(s.rows * s.query);
}

constexpr const char* kSource = "paper, Lemma 6";

Statement square_of_the_score() {
  const Value square_of_sum = [](const Setup& s) { return std::pow(s.scores.sum(), 2); };
  return {.id = "S002-L6c",
          .title = "E Y^2 = |s|^2 for orthonormal rows, s^T A s otherwise",
          .source = "paper, proof of Lemma 6",
          .quote = "thus all cross terms vanish",
          .scope = "k ~ N(0, I), unit rows",
          .measure = score_square(square_of_scores, general_second_moment),
          .mutants = {{"(sum_i s_i)^2", score_square(square_of_sum, general_second_moment)},
                      {"1.08 |s|^2", score_square([](const Setup& s) { return 1.08 * s.scores.squaredNorm(); },
                                                  general_second_moment)},
                      {"|s|^2 for rows that are not orthogonal", score_square(square_of_scores, square_of_scores)}}};
}

}  // namespace

std::vector<Statement> statements() {
  return {{.id = "S002-L6b",
           .title = "E Y = 0",
           .source = "paper, proof of Lemma 6",
           .quote = "is symmetric about 0, so E[sign(w_i.k)]=0",
           .scope = "k ~ N(0, I), s independent of k",
           .measure = score_mean(0, zero),
           .mutants = {{"also for keys of mean q", score_mean(1, zero)},
                       {"also for keys of mean q/25", score_mean(1.0 / 25, zero)},
                       {"E Y = sum_i s_i", score_mean(0, [](const Setup& s) { return s.scores.sum(); })}}},
          square_of_the_score(),
          {.id = "S002-L6d",
           .title = "E XY = sqrt(2/pi) (Wq).s",
           .source = kSource,
           .quote = "with C=E|r|=sqrt(2/pi), r~N(0,1)",
           .scope = "k ~ N(0, I), unit rows, orthogonal or not",
           .measure = cross_moment(kC),
           .mutants = {{"C = sqrt(pi/2)", cross_moment(std::sqrt(kPi / 2))},
                       {"C = 2/pi", cross_moment(2 / kPi)},
                       {"C = .88", cross_moment(0.88)}}},
          {.id = "S002-L6g",
           .title = "Corr(X, Y) = C (Wq).s/(|q||s|)",
           .source = kSource,
           .quote = "the correlation between the true similarity signal X and per-table-aggregated hash score Y",
           .scope = "k ~ N(0, I), orthonormal rows",
           .measure = correlation(
               [](const Setup& s) { return kC * product_with_query(s) / s.query.norm() / s.scores.norm(); }),
           .mutants = {{"C = .9", correlation([](const Setup& s) {
                          return 0.9 * product_with_query(s) / s.query.norm() / s.scores.norm();
                        })},
                       {"s not normalised",
                        correlation([](const Setup& s) { return kC * product_with_query(s) / s.query.norm(); })},
                       {"without C", correlation([](const Setup& s) {
                          return product_with_query(s) / s.query.norm() / s.scores.norm();
                        })}}}};
}

}  // namespace skt::sign_correlation_group
