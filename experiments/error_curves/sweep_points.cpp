#include "experiments/error_curves/sweep_points.hpp"

#include <bit>
#include <cstdint>

#include "estimators/occupancy.hpp"

namespace skt {
namespace {

// In the enumeration, which seeds hang on.
std::uint64_t place_of(Axis axis) {
  return static_cast<std::uint64_t>(axis);
}

Seed seed_of_trials(const SweepPlan& plan, double value, Seed seed) {
  Seed of_axis = derive_seed(seed, place_of(plan.axis));
  if (plan.second) {
    of_axis = derive_seed(derive_seed(of_axis, 1 + place_of(plan.second->axis)),
                          std::bit_cast<std::uint64_t>(plan.second->value));
  }
  return derive_seed(of_axis, std::bit_cast<std::uint64_t>(value));
}

}  // namespace

SweepPoints::Point SweepPoints::at(const PointAddress& address) {
  const SweepPlan& plan = plans_.at(address.plan);
  const SweepProblem problem = resolved(with_value(plan, plan.axis, address.value));
  const bool same_plan = address.plan == last_.plan, same_point = address == last_;
  if (!instance_ || !same_plan || (!same_point && changes_instance(plan.axis))) {
    instance_ = instance_of(problem, seed_);
    half_space_.reset();
    centre_.reset();
  }
  if (!centre_ || (!same_point && changes_centre(plan.axis))) centre_ = population_centre(*instance_, problem.setting);
  last_ = address;
  return {problem.setting, *instance_, *centre_, seed_of_trials(plan, address.value, seed_)};
}

Index SweepPoints::half_space() {
  constexpr std::uint64_t kOfNoAxis = 1000;
  if (!half_space_) half_space_ = half_space_occupancy_at_least(instance_.value().keys, derive_seed(seed_, kOfNoAxis));
  return *half_space_;
}

}  // namespace skt
