#include "experiments/error_curves/requests.hpp"

#include <algorithm>

#include "experiments/command/fields.hpp"
#include "proofs_check/bounds/fresh_tables.hpp"
#include "sim/learned_heads.hpp"
#include "sim/number.hpp"
#include "sim/require.hpp"

namespace skt {
namespace {

const Words<AuditPart> kParts = {{"all", AuditPart::all}, {"bounds", AuditPart::bounds}};

// Of the second axis, or one that is none.
std::vector<std::optional<SecondAxis>> seconds_of(const SweepRequest& request, Axis first) {
  if (request.axis2.empty() != request.values2.empty()) refuse("--axis2 and --values2: allowed are both or neither");
  std::vector<std::optional<SecondAxis>> seconds;
  for (const double value : request.values2) {
    const Axis axis = axis_named("--axis2", request.axis2);
    if (axis == first) refuse("--axis2 {}: allowed is another one than --axis", request.axis2);
    check_axis_value("--values2", axis, value);
    seconds.push_back(SecondAxis{axis, value});
  }
  if (seconds.empty()) seconds.push_back(std::nullopt);
  return seconds;
}

void add_axes(Fields& fields, SweepRequest& r) {
  fields.add("axis", &r.axis, "What varies").of(axis_names()).needed();
  fields.add("values", &r.plan.values, "Values of the axis, e.g. 16,32,64").needed();
  fields.add("axis2", &r.axis2, "A second axis, for a curve at each of its values and a heat map").of(axis_names());
  fields.add("values2", &r.values2, "Values of the second axis");
}

void add_problem(Fields& fields, SweepRequest& r) {
  Setting& setting = r.plan.setting;
  add_families(fields, r.families, r.of_families, "Families of instances, separated by commas: " + family_words());
  fields.add("keys", &r.of_families.keys, "Keys N").from(1).usually("4096");
  fields.add("dim", &r.of_families.dim, "Dimension d").from(1).usually("128");
  fields.add("planes", &setting.planes, "Planes P per table").from(1, kMaxPlanes);
  fields.add("tables", &setting.tables, "Tables L").from(1, kMostTables);
  fields.add("samples", &setting.samples, "Samples M of the value-aware estimator; 0: a tenth of the keys")
      .from(0, kMostSamples);
  fields.add("temperature", &setting.temperature, "Temperature tau").above(0);
  fields.add("scaling", setting.scaling, kScalings, "Divisor of tanh(Wq)");
  fields.add("query-norm", &r.query_norm, "Norm of the query; 0: as drawn").from(0);
  fields.add("needle-cosine", &r.plan.family.needle_cosine, "Cosine between needle and query")
      .from(-1, 1)
      .used_with("families", kFamiliesWithNeedle);
  fields.add("key-norm-spread", &r.plan.key_norm_spread, "Standard deviation of log ||k||, added to the drawn keys")
      .from(0, 4);
  fields.add("budget", &setting.budget, "Keys that exact attention sees (Algorithm 3); 0: not measured").from(0);
  fields.add("density", &r.plan.density, "The budget as a fraction of the keys; 0: use --budget")
      .from(0, 1)
      .excludes({"budget"});
}

void add_effort(Fields& fields, SweepPlan& plan) {
  fields.add("trials", &plan.effort.trials, "Draws of the tables for each value").from(2, kMostTrials);
  fields.add("draws", &plan.effort.draws, "Draws of the sampling estimator per draw of the tables")
      .from(1, kMostTrials);
  fields.add("delta", &plan.delta, "Probability that the paper's bound may fail").above(0, 1);
  fields.add("family-error", &plan.family_error, "Probability that any interval of the run misses").above(0, 1);
}

}  // namespace

void add_fields(Fields& fields, SweepRequest& request) {
  add_axes(fields, request);
  add_problem(fields, request);
  add_effort(fields, request.plan);
  // Each value of an axis takes the place of what the option of its name says, and of a budget one says the density too.
  for (const std::string& axis : axis_names()) {
    std::vector<std::string> replaced{axis};
    if (axis == "budget" || axis == "density") replaced = {"budget", "density"};
    for (const std::string& option : replaced) fields.at(option).unless("axis", {axis}).unless("axis2", {axis});
  }
}

std::vector<SweepPlan> plans_of(const SweepRequest& request, Seed seed) {
  SweepPlan common = request.plan;
  common.axis = axis_named("--axis", request.axis);
  if (request.query_norm != 0) common.family.query_norm = request.query_norm;
  const std::vector<std::optional<SecondAxis>> seconds = seconds_of(request, common.axis);
  common.family_error /= real(request.families.size() * seconds.size());

  std::vector<SweepPlan> plans;
  for (const std::string& family : request.families) {
    const FamilyParameters parameters = with_family(common.family, family, request.of_families);
    for (const std::optional<SecondAxis>& second : seconds) {
      SweepPlan plan = common;
      plan.family = of_first_trial(parameters, seed);
      plan.second = second;
      if (second) static_cast<SweepProblem&>(plan) = with_value(plan, second->axis, second->value);
      check(plan);
      plans.push_back(std::move(plan));
    }
  }
  return plans;
}

Index refuted_intervals(const std::vector<SweepResult>& sweeps) {
  Index refuted = 0;
  for (const SweepResult& sweep : sweeps) {
    const std::vector<Verdict> all = verdicts(sweep);
    refuted += std::count(all.begin(), all.end(), Verdict::refuted);
  }
  return refuted;
}

void add_fields(Fields& fields, AuditRequest& r) {
  AuditPlan& plan = r.plan;
  fields.add("planes", &plan.planes, "Planes P, e.g. 8,10,12 (Table 6)").from(1, kMaxPlanes);
  fields.add("temperatures", &plan.temperatures, "Temperatures tau, e.g. 0.3,0.5,0.7 (Table 6)").above(0);
  fields.add("tables", &plan.tables, "Tables L").from(1, kMostTables);
  fields.add("samples", &plan.samples, "Samples M; 0: a tenth of the keys").from(0, kMostSamples);
  add_families(fields, r.families, r.of_family, "Instance: " + family_words());
  fields.add("keys", &r.of_family.keys, "Keys N; time grows as N^2").from(2).usually("4096");
  fields.add("dim", &r.of_family.dim, "Dimension d").from(1).usually("128");
  fields.add("query-norm", &r.query_norm, "Norm of the query; 0: as drawn").from(0);
  fields.add("needle-cosine", &plan.family.needle_cosine, "Cosine between needle and query")
      .from(-1, 1)
      .used_with("families", kFamiliesWithNeedle);
  fields.add("scaling", plan.scaling, kScalings, "Divisor of tanh(Wq)");
  fields.add("delta", &plan.delta, "Probability that the bound may fail").above(0, 1).used_with("part", {"all"});
  fields
      .add("target", &plan.target,
           "Target error as a share of the longest value; reports the L, M and tau that the theorem needs for it")
      .above(0)
      .used_with("part", {"all"});
  fields.add("trials", &plan.trials, "Draws of the tables").from(2, kMostTrials).used_with("part", {"all"});
  fields.add("part", r.part, kParts,
             "all, or bounds: compares the printed, the repaired and our bounds with the true quantile of each error");
  fields.add("bound-delta", &plan.bound_delta, "Probability delta of each bound compared")
      .above(0, 1)
      .used_with("bound-draws");
  fields.add("bound-draws", &plan.bound_draws, "Draws of the tables and of T for the true quantiles; 0: no comparison")
      .from(0, kMostTrials);
  fields
      .add("fresh-tables", &plan.fresh_tables,
           "Tables drawn in addition, to certify the tail of a single table's error (Corollary 4)")
      .from(kLeastFreshTables, kMostTrials)
      .used_with("bound-draws");
}

AuditPlan plan_of(const AuditRequest& request, Seed seed) {
  require(request.families.size() == 1, "--families: {} given: allowed is one; run an audit for each",
          request.families.size());
  AuditPlan plan = request.plan;
  plan.family = of_first_trial(with_family(plan.family, request.families.front(), request.of_family), seed);
  if (request.query_norm != 0) plan.family.query_norm = request.query_norm;
  check(plan, request.part);
  return plan;
}

}  // namespace skt
