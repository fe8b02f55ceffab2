#include "estimators/error_terms/ratio_limits.hpp"
#include "estimators/population/weights.hpp"
#include "estimators/value_sampling.hpp"
#include "proofs_check/laws/error_law.hpp"
#include "proofs_check/laws/paper_error_bounds.hpp"
#include "proofs_check/laws/table_scores.hpp"
#include "proofs_check/statements/measuring.hpp"
#include "sim/statistics/slope.hpp"

namespace skt::convergence_rates_group {

extern const StatementGroup kGroup = {
    .question = "At which rate do more tables and more samples pay? (section 5.2)",
    .notes = R"(S002-RATE            the error of y_tauL falls as L^-1/2, that of T as M^-1/2
S002-RATE-constants  L E|y_tauL - y_tau|^2 tends to that of the delta method, M E|T - y|^2 is S1^2 - |y|^2 for every M)",
    .method =
        "Weighted lines through the logarithms of mean squares, over independent tables at L = 16 and 64 and over "
        "draws at M = 10, 100 and 1000. An exact binomial sum at L = 4096 on two opposite groups of keys. The error "
        "probabilities of the slopes (normal) and of the constant on drawn tables (Student) are nominal.",
    .power =
        "The constant of L to 1e-3 on the opposite groups and to 5% on drawn tables; slopes to 0.05; the constant of "
        "M to 5%.",
    .kind = Kind::limit,
    .scope = "a fixed instance",
    .chance = Chance::random};

namespace {

Evidence slope_of(const Observed& what, const std::vector<CurvePoint>& points, const Claim& claim, std::uint64_t trials,
                  double error_share) {
  const LogLogSlope fit = log_log_slope(points, error_share);
  return normal_estimate(what, fit.slope, fit.deviation, trials, claim, {error_share, 0.2});
}

// Root mean square error and its deviation at x tables or samples, of squares that were measured times x.
CurvePoint unscaled(double x, const Moments& scaled_squares) {
  const double y = std::sqrt(scaled_squares.mean());
  const double deviation = scaled_squares.deviation_of_mean() / (2 * y);
  const double factor = std::sqrt(x);
  return {x, y / factor, deviation / factor};
}

// y_tauL - y_tau = X/(1 + x) with X and x means over L tables, Var x = nu/L. In |X|^2 (1 - 2x + 3x^2 - ..) the terms
// after the first are of relative size 2 sqrt(E|X_1|^4 nu)/(E|X_1|^2 L) + 3 (3 nu)/L, with E|X_1|^4 <= 9 (E|X_1|^2)^2.
double relative_remainder(const RatioLimits& limits, double mass, Index tables) {
  const double nu = limits.normaliser_variance.value / (mass * mass);
  return (6 * std::sqrt(nu) + 9 * nu) / real(tables);
}

// Orthogonal values, so that the squared error adds up many coordinates and varies little.
struct MoreTables {
  static constexpr Index kPlanes = 4;
  static constexpr double kTemperature = 0.5;
  static constexpr const char* kName = "32 Gaussian keys, orthogonal values, d=32 P=4 tau=.5";
  Instance instance;
  Vector target;  // y_tau
  double mass;    // Z_tau
  RatioLimits limits;

  explicit MoreTables(const Context& context)
      : instance(make_instance({.family = InstanceFamily::orthogonal_values, .keys = 32, .dim = 32}, context.seed, 0)) {
    const PopulationParameters p = population_parameters(instance, kPlanes, kTemperature, Scaling::inverse_sqrt_dim);
    const Vector weights = population_weights(p, instance).weights;
    target = weighted_output(weights, instance.values);
    mass = weights.sum();
    limits = ratio_limits(p, instance);
  }

  // L |y_tauL - y_tau|^2, of trials from `first` on.
  Moments squares(const Context& context, Index tables, std::uint64_t first) const {
    return run_trials(context.trials(2'500), Moments{}, [&](std::uint32_t trial, Moments& m) {
      const Vector w = rescaled_weights(context, instance, {tables, kPlanes, {kTemperature}}, first + trial);
      m.add((weighted_output(w, instance.values) - target).squaredNorm() * real(tables));
    });
  }
};

Evidence slope_in_tables(const Context& context, double claimed, double error_share) {
  const MoreTables problem(context);
  std::vector<CurvePoint> points;
  std::uint64_t used = 0;  // trials, so that no two points share one
  for (const Index tables : {16, 64}) {
    const Moments squares = problem.squares(context, tables, used);
    used += squares.count();
    points.push_back(unscaled(real(tables), squares));
  }
  // A relative remainder r of the square at L = 16 and r/4 at 64 moves the slope by less than r/2 over log 4.
  const double curvature = relative_remainder(problem.limits, problem.mass, 16) / 2 / std::log(4.0);
  return slope_of({MoreTables::kName, "power of L in the root mean square error"}, points, equals(claimed, curvature),
                  used, error_share);
}

Evidence constant_of_tables(const Context& context, double factor, double error_share) {
  const MoreTables problem(context);
  const double constant = problem.limits.mean_square.value;
  const double error =
      constant * relative_remainder(problem.limits, problem.mass, 64) + problem.limits.mean_square.error;
  return mean({MoreTables::kName, "64 E|y_tauL - y_tau|^2 at L=64"}, problem.squares(context, 64, 0),
              equals(factor * constant, error), {error_share, constant / 5});
}

// Three keys of value +1 at pi/3 to the query against one of value -1 opposite to them, one plane, tau -> 0: with H ~
// Bin(L, 2/3) tables that hold the three, y_tauL = (3H - (L - H))/(3H + (L - H)), and y_tau = 5/7.
Evidence many_tables(double factor) {
  constexpr Index kTables = 4096;
  constexpr double kTheta = std::numbers::pi / 3;
  Instance instance{"3 keys of value 1 against 1 of value -1", Vector::Unit(2, 0), Matrix(4, 2), Matrix::Ones(4, 1)};
  for (Index j = 0; j < 4; ++j) {
    instance.keys(j, 0) = (j < 3 ? 1 : -1) * std::cos(kTheta);
    instance.keys(j, 1) = (j < 3 ? 1 : -1) * std::sin(kTheta);
  }
  instance.values(3, 0) = -1;
  const PopulationParameters p = population_parameters(instance, 1, 1e-6, Scaling::inverse_sqrt_dim);
  const RatioLimits limits = ratio_limits(p, instance);
  const ErrorLaw squares = of_binomial(kTables, 2.0 / 3, [](std::uint64_t held) {
    const double h = real(held), rest = real(kTables) - h;
    return std::pow((3 * h - rest) / (3 * h + rest) - 5.0 / 7, 2);
  });
  const double remainder = relative_remainder(limits, 7.0 / 3, kTables);
  return exact(
      {instance.name, fmt::format("L E|y_tauL - y_tau|^2 at L={}", kTables)}, real(kTables) * squares.mean(),
      equals(factor * limits.mean_square.value, limits.mean_square.value * remainder + limits.mean_square.error));
}

// Values of a common part, so that |y|^2 is not small beside S1^2.
struct MoreSamples {
  static constexpr const char* kName = "128 Gaussian keys, d=32 P=8 tau=.5";
  ValueSampler sampler;

  explicit MoreSamples(const Context& context) : sampler(sampler_of(context)) {}

  static ValueSampler sampler_of(const Context& context) {
    Instance instance = make_instance({.keys = 128, .dim = 32, .value_dim = 8}, context.seed, 0);
    instance.values.col(0).array() += 3;
    return {rescaled_weights(context, instance, {16, 8, {0.5}}, 0), instance.values};
  }

  // M |T - y|^2, of trials from `first` on.
  Moments squares(const Context& context, Index samples, std::uint64_t standard, std::uint32_t first) const {
    return run_trials(context.trials(standard), Moments{}, [&](std::uint32_t trial, Moments& m) {
      m.add((sampler.draw(context.seed, first + trial, samples) - sampler.mean()).squaredNorm() * real(samples));
    });
  }
};

Evidence slope_in_samples(const Context& context, double claimed, double error_share) {
  const MoreSamples problem(context);
  std::vector<CurvePoint> points;
  std::uint32_t used = 0;
  for (const Index samples : {10, 100, 1000}) {
    const Moments squares = problem.squares(context, samples, 1'000, used);
    used += static_cast<std::uint32_t>(squares.count());
    points.push_back(unscaled(real(samples), squares));
  }
  return slope_of({MoreSamples::kName, "power of M in the root mean square error"}, points, equals(claimed), used,
                  error_share);
}

Evidence constant_of_samples(const Context& context, double factor, double error_share) {
  const MoreSamples problem(context);
  const double total = problem.sampler.total_norm();
  const double constant = total * total - problem.sampler.mean().squaredNorm();
  return mean_of_bounded({MoreSamples::kName, "10 E|T - y|^2 at M=10"}, problem.squares(context, 10, 200'000, 0),
                         10 * 4 * total * total, equals(factor * constant), {error_share, constant / 2});
}

// A statement has one random piece of tables and one of samples; a lie about one of them is measured on that one.
constexpr int kPieces = 2;
using Piece = Evidence (*)(const Context&, double claimed, double error_share);

auto mutant(Piece piece, double claimed) {
  return [=](const Context& context) { return std::vector{piece(context, claimed, context.share(kPieces))}; };
}

std::vector<Evidence> both_slopes(const Context& context) {
  const double share = context.share(kPieces);
  return {slope_in_tables(context, -0.5, share), slope_in_samples(context, -0.5, share)};
}
std::vector<Evidence> both_constants(const Context& context) {
  const double share = context.share(kPieces);
  return {many_tables(1), constant_of_tables(context, 1, share), constant_of_samples(context, 1, share)};
}

}  // namespace

std::vector<Statement> statements() {
  return {{.id = "S002-RATE",
           .title = "The error falls as L^-1/2 in the tables and as M^-1/2 in the samples",
           .source = "paper, section 5.2",
           .quote = "Both terms decay at the standard parametric rate",
           .measure = both_slopes,
           .mutants = {{"L^-0.66", mutant(slope_in_tables, -0.66)},
                       {"M^-0.6", mutant(slope_in_samples, -0.6)},
                       {"M^-1/4", mutant(slope_in_samples, -0.25)}}},
          {.id = "S002-RATE-constants",
           .title = "L E|y_tauL - y_tau|^2 tends to the constant of the delta method, M E|T - y|^2 is S1^2 - |y|^2",
           .source = "derived from paper, section 5.2",
           .measure = both_constants,
           .mutants = {{"1.02 times the constant of L", [](const Context&) { return std::vector{many_tables(1.02)}; }},
                       {"1.23 times the constant of L, on drawn tables", mutant(constant_of_tables, 1.23)},
                       {"1.3 times the constant of M", mutant(constant_of_samples, 1.3)}}}};
}

}  // namespace skt::convergence_rates_group
