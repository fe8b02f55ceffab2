// How does a sweep come from its measured trials and exact centres, and how are these written as JSON?
//
// Points are judged and the slope is fitted here; nothing is random. A trial is one number a term, since the moments of
// one sample hold nothing else. It would be wrong if a trial that was sent and one that stayed added up to other bits.
#pragma once

#include <vector>

#include "estimators/error_terms/measured_terms.hpp"
#include "experiments/error_curves/sweep.hpp"
#include "experiments/error_curves/sweep_points.hpp"
#include "experiments/parts/exact_numbers.hpp"

namespace skt {

// Of one trial.
Json json_of_trial(const MeasuredTerms& trial);
MeasuredTerms trial_from(const Json& json);  // InputError for what is none

constexpr auto members_of(const RatioLimits*) {
  return std::tuple(&RatioLimits::mean_square, &RatioLimits::bias, &RatioLimits::bias_error,
                    &RatioLimits::normaliser_variance);
}

class SweepAssembly {
 public:
  explicit SweepAssembly(const SweepPlan& plan);

  // The points in the order of the plan's values. `half_space`: keys in some open half-space.
  void add(double value, const SweepPoints::Point& at, Index half_space, const RatioLimits& limits,
           const MeasuredTerms& measured);

  SweepResult result() const;

 private:
  void add_to_curve(const AxisPoint& point, const MeasuredTerms& measured, Index keys);
  std::optional<SlopeResult> slope() const;

  SweepResult result_;
  std::vector<FitPoint> curve_;
};

}  // namespace skt
