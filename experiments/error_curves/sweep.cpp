#include "experiments/error_curves/sweep.hpp"

#include <algorithm>

#include "experiments/error_curves/sweep_parts.hpp"
#include "experiments/families/family_word.hpp"
#include "sim/require.hpp"

namespace skt {
namespace {

// The needle's cosine stands in the keys of these families only.
bool knows_needle(InstanceFamily family) {
  return family == InstanceFamily::needle || family == InstanceFamily::attention_sink;
}

void check_axis(const SweepPlan& plan, Axis axis) {
  require(axis != Axis::needle_cosine || knows_needle(plan.family.family),
          "the axis {} with --families {}: allowed are needle, needles, attention-sink", name_of(axis),
          name_of(plan.family));
  require((axis != Axis::keys && axis != Axis::dim) || plan.family.family != InstanceFamily::learned,
          "the axis {} with --families {}: its file sets keys and dim; allowed are other axes or families",
          name_of(axis), name_of(plan.family));
}

}  // namespace

void check(const SweepPlan& plan) {
  require(!plan.values.empty(), "--values: at least one is needed");
  for (const double value : plan.values) {
    check_axis_value("--values", plan.axis, value);
    require(std::count(plan.values.begin(), plan.values.end(), value) == 1,
            "--values: {} twice; allowed is each value once", value);
    resolved(with_value(plan, plan.axis, value));
  }
  check_axis(plan, plan.axis);
  if (plan.second) check_axis(plan, plan.second->axis);
}

SweepResult run_sweep(const SweepPlan& plan, Seed seed) {
  return assemble_sweep(plan, seed, run_in_order(sweep_parts(plan, seed)));
}

std::vector<Verdict> verdicts(const SweepResult& result) {
  std::vector<Verdict> all;
  for (const AxisPoint& point : result.points) {
    point.terms.each([&](const TermResult& term) {
      if (term.verdict) all.push_back(*term.verdict);
    });
  }
  if (result.slope && result.slope->fit.verdict) all.push_back(*result.slope->fit.verdict);
  return all;
}

}  // namespace skt
