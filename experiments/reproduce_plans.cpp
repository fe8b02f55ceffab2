#include "experiments/reproduce_plans.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>

#include "proofs_check/names.hpp"
#include "sim/number.hpp"
#include "sim/require.hpp"
#include "sim/statistics/error_budget.hpp"

namespace skt {
namespace {

// How much each profile computes. The standard one holds the paper's setting: d = 128, P = 8, tau = 0.5, L = 60.
struct Scale {
  Index keys = 4096;
  Index temperature_keys = 1024;  // every temperature needs pair moments of all keys anew
  Index dim = 128;
  std::vector<Index> planes{8};
  std::vector<double> tables{1, 4, 16, 60, 240};
  std::vector<double> samples{16, 32, 64, 128, 256, 512, 1024};
  std::vector<double> temperatures{0.01, 0.03, 0.1, 0.3, 0.5, 1};
  // Enough for a slope known to +-0.01 at the error of a sweep: on the needle one trial knows log(root mean square) to
  // about 0.1, so the slope over L = 16, 60, 240 has the deviation 0.1/sqrt(3.7 trials).
  std::uint64_t table_trials = 350;
  std::uint64_t sample_trials = 64;
  std::uint64_t temperature_trials = 600;  // near-hard buckets scatter most
  // The bounds that the figures show are medians over the draws; the fresh tables serve two that they do not show.
  std::uint64_t bound_draws = 100;
  Index fresh_tables = 2'000;
};

Scale scale_of(JobProfile profile) {
  Scale scale;
  if (profile == JobProfile::smoke) {
    scale.keys = scale.temperature_keys = 256;
    scale.dim = 32;
    scale.planes = {4};
    scale.tables = {4, 16, 60};
    scale.table_trials = scale.temperature_trials = 150;
    scale.samples = {16, 64, 256};
    scale.temperatures = {0.1, 0.5};
  }
  if (profile == JobProfile::quick) {
    scale.keys = 2048;  // the moments of all pairs of keys take a quarter
    scale.table_trials = 64;
    scale.temperature_trials = 64;
    scale.bound_draws = 64;
    scale.fresh_tables = 200;
  }
  if (profile == JobProfile::deep) {
    scale.planes = {8, 10};
    scale.tables.push_back(480);
    scale.samples.push_back(4096);
    scale.table_trials = 1000;
    scale.sample_trials = 200;
    scale.temperature_trials = 2000;
  }
  return scale;
}

SweepPlan plan_of(const Scale& scale, InstanceFamily family, Axis axis, Index planes) {
  SweepPlan plan;
  plan.family.family = family;
  plan.family.keys = axis == Axis::temperature ? scale.temperature_keys : scale.keys;
  plan.family.dim = scale.dim;
  plan.setting.planes = planes;
  plan.setting.samples = plan.family.keys / 10;
  plan.axis = axis;
  plan.values = axis == Axis::tables ? scale.tables : axis == Axis::samples ? scale.samples : scale.temperatures;
  plan.effort = axis == Axis::tables    ? Effort{scale.table_trials, 8}
                : axis == Axis::samples ? Effort{scale.sample_trials, 16}
                                        : Effort{scale.temperature_trials, 8};
  return plan;
}

}  // namespace

JobProfile job_profile_named(const std::string& name) {
  if (name == "quick") return JobProfile::quick;
  for (const JobProfile profile : {JobProfile::smoke, JobProfile::standard, JobProfile::deep})
    if (name == name_of(statements_profile(profile))) return profile;
  refuse("--profile {}: allowed are smoke, quick, standard, deep", name);
}

Profile statements_profile(JobProfile profile) {
  switch (profile) {
    case JobProfile::smoke:
    case JobProfile::quick:
      return Profile::smoke;
    case JobProfile::standard:
      return Profile::standard;
    case JobProfile::deep:
      return Profile::deep;
  }
  return Profile::smoke;
}

Ask asked_of_faults(JobProfile profile) {
  return profile == JobProfile::quick ? Ask::until_noticed : Ask::all;
}

RankPlan rankings_of(JobProfile profile) {
  RankPlan plan = short_rank_plan(profile == JobProfile::quick ? Profile::standard : statements_profile(profile));
  if (profile == JobProfile::quick) {
    for (CurvePlan& curve : plan.curves) curve.trials = 3;
    plan.table.trials = plan.temperatures.trials = 2;
    for (NamedFamily& family : plan.table.families) family.parameters.keys /= 2;
    for (PredictionSetting& setting : plan.prediction.settings) setting.trials = 2;
  }
  return plan;
}

std::vector<SweepPlan> sweeps_of(JobProfile profile) {
  const Scale scale = scale_of(profile);
  std::vector<SweepPlan> plans;
  for (const Index planes : scale.planes) {
    for (const InstanceFamily family : {InstanceFamily::gaussian, InstanceFamily::needle}) {
      plans.push_back(plan_of(scale, family, Axis::tables, planes));
    }
  }
  plans.push_back(plan_of(scale, InstanceFamily::gaussian, Axis::samples, scale.planes.front()));
  plans.push_back(plan_of(scale, InstanceFamily::needle, Axis::temperature, scale.planes.front()));
  const double share = kSweepsError / real(plans.size());  // stands in the commands of the figures: few digits
  for (SweepPlan& plan : plans) plan.family_error = share;
  return plans;
}

std::vector<AuditPlan> bounds_of(JobProfile profile) {
  const Scale scale = scale_of(profile);
  std::vector<AuditPlan> plans;
  for (const SweepPlan& sweep : sweeps_of(profile)) {
    if (sweep.axis != Axis::tables) continue;
    for (const double tables : sweep.values)
      plans.push_back({.family = sweep.family,
                       .planes = {sweep.setting.planes},
                       .temperatures = {sweep.setting.temperature},
                       .tables = std::llround(tables),
                       .samples = sweep.setting.samples,
                       .bound_draws = scale.bound_draws,
                       .fresh_tables = scale.fresh_tables});
  }
  return plans;
}

std::string command_of_bounds(const AuditPlan& plan, std::uint64_t seed) {
  return fmt::format(
      "socketlab audit --part bounds --family {} --keys {} --dim {} --planes {} --temperatures {} --tables {} --samples "
      "{} --bound-draws {} --fresh-tables {} --seed {}",
      name_of(plan.family.family), plan.family.keys, plan.family.dim, plan.planes.front(), plan.temperatures.front(),
      plan.tables, plan.samples, plan.bound_draws, plan.fresh_tables, seed);
}

std::string command_of_sweep(const SweepPlan& plan, std::uint64_t seed) {
  // The values of that axis take their place.
  const std::string samples = plan.axis == Axis::samples ? "" : fmt::format(" --samples {}", plan.setting.samples);
  return fmt::format(
      "socketlab sweep --axis {} --values {} --family {} --keys {} --dim {} --planes {}{} --trials {} --draws {} "
      "--family-error {} --seed {}",
      name_of(plan.axis), fmt::join(plan.values, ","), name_of(plan.family.family), plan.family.keys, plan.family.dim,
      plan.setting.planes, samples, plan.effort.trials, plan.effort.draws, plan.family_error, seed);
}

}  // namespace skt
