#include "experiments/error_curves/sweep_request.hpp"

#include <algorithm>

#include "sim/learned_heads.hpp"
#include "sim/number.hpp"
#include "sim/require.hpp"

namespace skt {
namespace {

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

}  // namespace

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

}  // namespace skt
