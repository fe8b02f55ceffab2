#include "proofs_check/statements/sharp_bounds/drawn_totals.hpp"

#include <fmt/format.h>

#include <optional>

#include "estimators/population/angular_kernel.hpp"
#include "estimators/value_sampling.hpp"
#include "estimators/weighted_output.hpp"
#include "proofs_check/bounds/total_bound.hpp"
#include "proofs_check/laws/table_scores.hpp"
#include "sim/families.hpp"
#include "sim/number.hpp"
#include "sim/statistics/quantiles.hpp"
#include "sim/trial_loop.hpp"

namespace skt {
namespace {

constexpr double kDeltaTables = 0.0075, kDeltaSamples = 0.0425;

struct DrawnTotals {
  std::vector<double> tables, errors, radii;
  std::uint64_t in_scope = 0, outside = 0;

  void merge(const DrawnTotals& later) {
    tables.insert(tables.end(), later.tables.begin(), later.tables.end());
    errors.insert(errors.end(), later.errors.begin(), later.errors.end());
    radii.insert(radii.end(), later.radii.begin(), later.radii.end());
    in_scope += later.in_scope, outside += later.outside;
  }
};

// |y_L - y*| in `trials` draws of the tables; with a finite ubar one T on each, too.
DrawnTotals drawn_totals(const Context& context, const Instance& instance, const Vector& target, std::uint64_t trials,
                         std::optional<double> ubar) {
  constexpr Index kTables = 6, kSamples = 32;
  return run_trials(
      trials, DrawnTotals{},
      [&](std::uint32_t trial, DrawnTotals& drawn) {
        const Vector weights = rescaled_weights(context, instance, {kTables, 8, {0.5}}, trial);
        drawn.tables.push_back((weighted_output(weights, instance.values) - target).norm());
        if (!ubar) return;
        const SamplingLaw law = sampling_law(weights, instance.values);
        const double radius = total_error_bound(*ubar, law, kSamples, kDeltaSamples);
        const double error =
            (ValueSampler(weights, instance.values).draw(context.seed, trial, kSamples) - target).norm();
        drawn.errors.push_back(error);
        drawn.radii.push_back(radius);
        if (drawn.tables.back() > *ubar) return;
        ++drawn.in_scope;
        drawn.outside += error > radius;
      },
      16);
}

}  // namespace

Evidence violations_of_total(const Context& context, InstanceFamily family, std::uint32_t number, double share) {
  const Instance instance =
      make_instance({.family = family, .keys = 150, .dim = 128, .value_dim = 12}, context.seed, number);
  const Vector target = weighted_output(angular_weights(instance, 8), instance.values);
  // Tables of another seed say how long |y_L - y*| usually is. Any ubar will do: the claim is of tables that keep it.
  Context other = context;
  other.seed = derive_seed(context.seed, number);
  const double ubar = sample_quantile(drawn_totals(other, instance, target, context.trials(300), std::nullopt).tables,
                                      1 - kDeltaTables);
  const DrawnTotals drawn = drawn_totals(context, instance, target, context.trials(1000), ubar);
  Evidence evidence = frequency({fmt::format("{}, 150 keys, d=128 d_v=12 P=8 tau=.5 L=6, M=32", name_of(family)),
                                 "P(violation | |y_L - y*| <= ubar)"},
                                drawn.outside, drawn.in_scope, at_most(kDeltaSamples), {share, 0.1});
  double radii = 0;
  for (const double radius : drawn.radii) radii += radius;
  const double radius = radii / real(drawn.radii.size());
  evidence.bound_over_quantile = radius / sample_quantile(drawn.errors, (1 - kDeltaTables) * (1 - kDeltaSamples));
  evidence.bound_over_trivial = radius / row_norms(instance.values).maxCoeff();
  return evidence;
}

}  // namespace skt
