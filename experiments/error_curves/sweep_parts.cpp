#include "experiments/error_curves/sweep_parts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "estimators/error_terms/table_moments.hpp"
#include "experiments/error_curves/sweep_assembly.hpp"
#include "experiments/error_curves/sweep_points.hpp"
#include "experiments/families/family_word.hpp"
#include "experiments/parts/work_estimates.hpp"
#include "sim/number.hpp"
#include "sim/require.hpp"

namespace skt {
namespace {

// What one part computes: the limits in L at a value, or some of its trials.
struct PartOfSweep {
  PointAddress at;
  TrialRange trials;  // none: the limits

  bool is_centre() const { return trials.count == 0; }
};

double trial_work(const SweepPlan& plan, double value) {
  const SweepProblem problem = resolved(with_value(plan, plan.axis, value));
  const Setting& s = problem.setting;
  const FamilyParameters& family = problem.family;
  const Index value_dim = family.value_dim.value_or(family.dim);
  return tables_work({family.keys, family.dim, s.tables, s.planes}) + values_work(family.keys, value_dim) +
         real(plan.effort.draws) * samples_work(s.samples, value_dim) +
         (s.budget > 0 ? selection_work(family.keys, s.budget, value_dim) : 0);
}

std::vector<PartOfSweep> cut(const std::vector<SweepPlan>& plans) {
  std::vector<PartOfSweep> all;
  for (std::size_t p = 0; p < plans.size(); ++p) {
    const SweepPlan& plan = plans[p];
    for (const double value : plan.values) {
      if (value == plan.values.front() || changes_centre(plan.axis)) all.push_back({{p, value}, {}});
      const std::uint64_t block = trials_of_a_part(trial_work(plan, value));
      for (std::uint64_t first = 0; first < plan.effort.trials; first += block)
        all.push_back({{p, value}, {first, std::min(block, plan.effort.trials - first)}});
    }
  }
  return all;
}

std::string name_of(const PartOfSweep& part, const SweepPlan& plan) {
  const std::string second =
      plan.second ? fmt::format(" at {} {}", name_of(plan.second->axis), plan.second->value) : "";
  const std::string sweep = fmt::format("sweep of {}, {}, {} planes{}", name_of(plan.axis), name_of(plan.family),
                                        plan.setting.planes, second);
  if (part.is_centre()) return fmt::format("{}: exact at {}", sweep, part.at.value);
  return fmt::format("{}: {}, trials {} to {}", sweep, part.at.value, part.trials.first,
                     part.trials.first + part.trials.count - 1);
}

double weight_of(const PartOfSweep& part, const SweepPlan& plan) {
  if (!part.is_centre()) return real(part.trials.count) * trial_work(plan, part.at.value);
  const SweepProblem problem = with_value(plan, plan.axis, part.at.value);
  return pairs_work(problem.family.keys);
}

Json limits_at(const SweepPoints::Point& point, PartWork& work) {
  const TableMoments moments = table_moments(population_parameters(point.instance, point.setting), point.instance,
                                             [&](Index blocks) { work.add(real(blocks) * kPairBlockWork); });
  return to_json(ratio_limits(moments));
}

Json trials_at(const SweepPoints::Point& point, const TrialRange& range, std::uint64_t draws, double of_one,
               PartWork& work) {
  Json rows = Json::array();
  for (const MeasuredTerms& trial : measure_each_trial(point.instance, point.setting, point.centre, point.seed, draws,
                                                       range, [&] { work.add(of_one); }))
    rows.push_back(json_of_trial(trial));
  return rows;
}

}  // namespace

std::vector<Part> sweep_parts(const std::vector<SweepPlan>& plans, Seed seed, const WorkSeen& seen) {
  for (const SweepPlan& plan : plans) check(plan);
  const auto points = std::make_shared<SweepPoints>(plans, seed);
  std::vector<Part> parts;
  for (const PartOfSweep& part : cut(plans)) {
    const SweepPlan& plan = plans[part.at.plan];
    const double weight = weight_of(part, plan);
    const auto run = [points, part, weight](PartWork& work) {
      const SweepPoints::Point point = points->at(part.at);
      if (part.is_centre()) return limits_at(point, work);
      const std::uint64_t draws = points->plans()[part.at.plan].effort.draws;
      return trials_at(point, part.trials, draws, weight / real(part.trials.count), work);
    };
    parts.push_back(part_of(name_of(part, plan), weight, seen, run));
  }
  return parts;
}

std::vector<Part> sweep_parts(const SweepPlan& plan, Seed seed, const WorkSeen& seen) {
  return sweep_parts(std::vector{plan}, seed, seen);
}

std::vector<SweepResult> assemble_sweeps(const std::vector<SweepPlan>& plans, Seed seed,
                                         const std::vector<Json>& results) {
  const std::vector<PartOfSweep> parts = cut(plans);
  require(parts.size() == results.size(), "{} results of a sweep: allowed are those of its {} parts", results.size(),
          parts.size());
  SweepPoints points(plans, seed);
  std::vector<SweepAssembly> sweeps;
  for (const SweepPlan& plan : plans) sweeps.emplace_back(plan);
  RatioLimits limits;
  MeasuredTerms measured;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const PartOfSweep& part = parts[i];
    if (part.is_centre()) {
      limits = from_json<RatioLimits>(results[i]);
      continue;
    }
    for (const Json& trial : results[i]) measured.merge(trial_from(trial));
    if (i + 1 < parts.size() && parts[i + 1].at == part.at) continue;  // more trials of this value
    const SweepPoints::Point point = points.at(part.at);
    sweeps[part.at.plan].add(part.at.value, point, points.half_space(), limits, measured);
    measured = {};
  }
  std::vector<SweepResult> assembled;
  for (const SweepAssembly& sweep : sweeps) assembled.push_back(sweep.result());
  return assembled;
}

SweepResult assemble_sweep(const SweepPlan& plan, Seed seed, const std::vector<Json>& results) {
  return assemble_sweeps({plan}, seed, results).front();
}

}  // namespace skt
