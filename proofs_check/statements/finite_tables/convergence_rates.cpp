// At which rate do more tables and more samples pay, and what does the number of keys change? (section 5.2)
//
// S002-RATE  L E|y_tauL - y_tau|^2 tends to its exact constant (delta method); the error of T falls as M^-1/2 exactly,
//            with M E|T - y|^2 = S1^2 - |y|^2
//
// Method: mean squares over independent tables at L = 16, 64, 256 and draws at M = 10, 100, 1000; a weighted line
//         through their logarithms; population quantities for the bounds.
// Power: a slope off by 0.1; a constant off by a quarter.
#include <fmt/format.h>

#include <cmath>

#include "estimators/error_terms/ratio_limits.hpp"
#include "estimators/population/weights.hpp"
#include "estimators/value_sampling.hpp"
#include "estimators/weighted_output.hpp"
#include "proofs_check/evidence.hpp"
#include "proofs_check/laws/paper_error_bounds.hpp"
#include "proofs_check/laws/table_scores.hpp"
#include "proofs_check/statement.hpp"
#include "sim/families.hpp"
#include "sim/number.hpp"
#include "sim/statistics/slope.hpp"
#include "sim/trial_loop.hpp"

namespace skt {
namespace {

constexpr Index kPlanes = 8;
constexpr double kTemperature = 0.5;
const char* const kInstance = "128 Gaussian keys, d=32 P=8 tau=.5";

// Values of a common part, so that |y|^2 is not small beside S1^2.
Instance instance_of(const Context& context) {
  Instance instance = make_instance({.keys = 128, .dim = 32, .value_dim = 8}, context.seed, 0);
  instance.values.col(0).array() += 3;
  return instance;
}

struct Rates {
  double slope = -0.5;
  double aligned = 1;  // the share of |y|^2 in the constant of T
};

// An error curve against tables or samples gives two random pieces, its slope and its constant.
using ErrorCurve = std::vector<Evidence> (*)(const Context&, Rates claimed, double error_share);

Evidence slope_of(const std::string& axis, const std::vector<CurvePoint>& points, double claimed, double curvature,
                  std::uint64_t trials, double error_share) {
  const LogLogSlope fit = log_log_slope(points, error_share);
  return normal_estimate({kInstance, "power of " + axis + " in the root mean square error"}, fit.slope, fit.deviation,
                         trials, equals(claimed, curvature), {error_share, 0.2});
}

// Root mean square error and its deviation at x tables or samples, of squares that were measured times x.
CurvePoint unscaled(double x, const Moments& scaled_squares) {
  const double y = std::sqrt(scaled_squares.mean());
  const double deviation = scaled_squares.deviation_of_mean() / (2 * y);
  const double factor = std::sqrt(x);
  return {x, y / factor, deviation / factor};
}

std::vector<Evidence> more_tables(const Context& context, Rates claimed, double error_share) {
  const Instance instance = instance_of(context);
  const PopulationParameters p = population_parameters(instance, kPlanes, kTemperature, Scaling::inverse_sqrt_dim);
  const Vector target = weighted_output(population_weights(p, instance).weights, instance.values);
  const RatioLimits limits = ratio_limits(p, instance);
  const double mass = population_weights(p, instance).weights.sum();
  // y_tauL - y_tau = X/(1 + x) with X and x means over L tables, Var x = nu/L. In |X|^2 (1 - 2x + 3x^2 - ..) the terms
  // after the first are of relative size 2 sqrt(E|X_1|^4 nu)/(E|X_1|^2 L) + 3 (3 nu)/L,
  // with E|X_1|^4 <= 9 (E|X_1|^2)^2.
  const double nu = limits.normaliser_variance.value / (mass * mass);
  const auto relative = [nu](double tables) { return (6 * std::sqrt(nu) + 9 * nu) / tables; };
  std::vector<CurvePoint> points;
  Moments last;
  std::uint64_t used = 0;  // trials, so that no two points share one
  for (const Index tables : {16, 64, 256}) {
    const std::uint64_t trials = context.trials(12'800 / tables) + 100;
    last = run_trials(
        trials, Moments{},
        [&](std::uint32_t trial, Moments& m) {
          const Vector w = rescaled_weights(context, instance, {tables, kPlanes, {kTemperature}}, used + trial);
          m.add((weighted_output(w, instance.values) - target).squaredNorm() * real(tables));
        },
        8);
    used += trials;
    points.push_back(unscaled(real(tables), last));
  }
  const double constant = limits.mean_square.value;
  return {slope_of("L", points, claimed.slope, relative(16) / 2 / std::log(4.0), used, error_share),
          mean({kInstance, "256 E|y_tauL - y_tau|^2 at L=256"}, last,
               equals(constant, constant * relative(256) + limits.mean_square.error), {error_share, constant})};
}

std::vector<Evidence> more_samples(const Context& context, Rates claimed, double error_share) {
  const Instance instance = instance_of(context);
  const ValueSampler sampler(rescaled_weights(context, instance, {16, kPlanes, {kTemperature}}, 0), instance.values);
  std::vector<CurvePoint> points;
  Moments last;
  std::uint32_t used = 0;
  for (const Index samples : {10, 100, 1000}) {
    const auto trials = static_cast<std::uint32_t>(context.trials(1000));
    last = run_trials(trials, Moments{}, [&](std::uint32_t trial, Moments& m) {
      const Vector drawn = sampler.draw(context.seed, used + trial, samples);
      m.add((drawn - sampler.mean()).squaredNorm() * real(samples));
    });
    used += trials;
    points.push_back(unscaled(real(samples), last));
  }
  const double total = sampler.total_norm();
  const double constant = total * total - claimed.aligned * sampler.mean().squaredNorm();
  return {slope_of("M", points, claimed.slope, 0, used, error_share),
          mean({kInstance, "1000 E|T - y|^2 at M=1000"}, last, equals(constant), {error_share, constant})};
}

auto rates(Rates claimed) {
  return [claimed](const Context& context) {
    constexpr ErrorCurve kCurves[] = {more_tables, more_samples};
    std::vector<Evidence> evidence;
    for (const ErrorCurve curve : kCurves)
      for (const Evidence& piece : curve(context, claimed, context.share(2 * std::size(kCurves))))
        evidence.push_back(piece);
    return evidence;
  };
}

// S002-RATE-length.
enum class Constants { almost_sure, frozen };

BoundConstants constants(const Context& context, Index keys) {
  const Instance instance = make_instance({.keys = keys}, context.seed, 0);
  const PopulationParameters p = population_parameters(instance, kPlanes, kTemperature, Scaling::inverse_sqrt_dim);
  return {.occupancy = real(keys) / 2,
          .population_mass = population_weights(p, instance).weights.sum(),
          .spectral_norm = spectral_norm(instance.values)};
}

auto longer_sequences(Constants kind, double least_fall) {
  return [=](const Context& context) -> std::vector<Evidence> {
    const BoundConstants few = constants(context, 1024);
    BoundConstants many = constants(context, 8192);
    if (kind == Constants::frozen) {
      many.occupancy = few.occupancy;
      many.population_mass = few.population_mass;
    }
    const char* const what = "Gaussian keys, d=128 P=8 tau=.5, N=8192 over N=1024";
    // Z_tau/N is a mean over keys whose weights differ by a relative .5: a relative 1/40 at N = 1024, squared in L.
    return {exact({what, "tables required by Lemma 9"}, required_tables(many, 0.05) / required_tables(few, 0.05),
                  at_most(least_fall, 0.1)),
            exact({what, "bound of Lemma 9 at L=60"},
                  finite_table_bound(many, 60, 0.05) / finite_table_bound(few, 60, 0.05), at_most(least_fall))};
  };
}

}  // namespace

std::vector<Statement> convergence_rates_statements() {
  return {{.id = "S002-RATE",
           .title = "The error falls as L^-1/2 in the tables and as M^-1/2 in the samples, with exact constants",
           .source = "paper, section 5.2",
           .kind = Kind::limit,
           .scope = "a fixed instance",
           .measure = rates({}),
           .mutants = {{"slope -1", rates({.slope = -1})},
                       {"slope -1/4", rates({.slope = -0.25})},
                       {"the constant S1^2", rates({.aligned = 0})}}},
          {.id = "S002-RATE-length",
           .title = "With B = N/2, neither the required tables nor the bound of Lemma 9 rise with N",
           .source = "paper, section 5.2 (\"independent of the sequence length\")",
           .kind = Kind::inequality,
           .scope = "Gaussian keys; B = N/2, the least that can hold almost surely",
           .measure = longer_sequences(Constants::almost_sure, 1),
           .mutants = {{"B and Z_tau fixed, as the constants of Theorem 3 are", longer_sequences(Constants::frozen, 1)},
                       {"both fall by half", longer_sequences(Constants::almost_sure, 0.5)}},
           .remark = "B, Z_tau and |V| all grow with N and cancel in the bound. With B and Z_tau fixed it rises "
                     "with |V|, like sqrt(N); but B is at least N/2."}};
}

}  // namespace skt
