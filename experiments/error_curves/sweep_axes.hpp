// What can a sweep vary, within which range, and what does a value of an axis change in the plan?
//
// It would be wrong if a point of a sweep were another problem than the same value given as an option; tests compare.
#pragma once

#include <string>
#include <vector>

#include "estimators/error_terms/exact_terms.hpp"
#include "sim/families.hpp"
#include "sim/randomness.hpp"

namespace skt {

// In this order: a point's tables are drawn from a seed of its axis.
enum class Axis {
  tables,
  samples,
  temperature,
  planes,
  keys,
  dim,
  query_norm,
  budget,
  density,
  needle_cosine,
  key_norm_spread,
};

std::string name_of(Axis axis);
std::vector<std::string> axis_names();
Axis axis_named(const std::string& option, const std::string& name);  // InputError names the option and what is allowed

// One attention problem and the setting that it is estimated at.
struct SweepProblem {
  FamilyParameters family;
  Setting setting;             // samples 0: a tenth of the keys
  double density = 0;          // above 0: the budget is this share of the keys
  double key_norm_spread = 0;  // key j times exp(spread z_j - spread^2), z_j ~ N(0,1): mean square as drawn
};

// InputError, naming the option, for a value outside the axis' range.
void check_axis_value(const std::string& option, Axis axis, double value);

// The problem with the value of the axis in place of its own.
SweepProblem with_value(SweepProblem problem, Axis axis, double value);

// With samples and budget as numbers. InputError for a budget above the keys.
SweepProblem resolved(SweepProblem problem);

// A pure function of its arguments.
Instance instance_of(const SweepProblem& problem, Seed seed);

// Does a ratio of two values mean something, and with it a power of the axis? Not of planes, which are an
// exponent, of a cosine and of a deviation of a logarithm.
bool has_ratios(Axis axis);

// Does the instance, or what is exact at every L and M, change along the axis?
bool changes_instance(Axis axis);
bool changes_centre(Axis axis);

}  // namespace skt
