#include "experiments/error_curves/sweep_axes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "sim/number.hpp"
#include "sim/require.hpp"

namespace skt {
namespace {

enum class Numbers { whole, positive, any };

struct AxisFacts {
  Axis axis;
  const char* name;
  Numbers numbers;
  double low, high;
};

// Whole axes end where memory or the address of a draw does; the norms where doubles lose the oracle's range.
constexpr std::array<AxisFacts, 11> kAxes{{{Axis::tables, "tables", Numbers::whole, 1, 0x1p24},
                                           {Axis::samples, "samples", Numbers::whole, 1, 0x1p24},
                                           {Axis::temperature, "temperature", Numbers::positive, 0, 1e150},
                                           {Axis::planes, "planes", Numbers::whole, 1, kMaxPlanes},
                                           {Axis::keys, "keys", Numbers::whole, 1, 0x1p24},
                                           {Axis::dim, "dim", Numbers::whole, 1, 0x1p20},
                                           {Axis::query_norm, "query-norm", Numbers::positive, 0, 1e150},
                                           {Axis::budget, "budget", Numbers::whole, 1, 0x1p24},
                                           {Axis::density, "density", Numbers::positive, 0, 1},
                                           {Axis::needle_cosine, "needle-cosine", Numbers::any, -1, 1},
                                           {Axis::key_norm_spread, "key-norm-spread", Numbers::any, 0, 4}}};

const AxisFacts& facts_of(Axis axis) {
  return *std::find_if(kAxes.begin(), kAxes.end(), [axis](const AxisFacts& facts) { return facts.axis == axis; });
}

}  // namespace

std::string name_of(Axis axis) {
  return facts_of(axis).name;
}

std::vector<std::string> axis_names() {
  std::vector<std::string> names;
  for (const AxisFacts& facts : kAxes) names.emplace_back(facts.name);
  return names;
}

Axis axis_named(const std::string& option, const std::string& name) {
  std::string allowed;
  for (const AxisFacts& facts : kAxes) {
    if (name == facts.name) return facts.axis;
    allowed += (allowed.empty() ? "" : ", ") + std::string(facts.name);
  }
  refuse("{} {}: allowed are {}", option, name, allowed);
}

void check_axis_value(const std::string& option, Axis axis, double value) {
  const AxisFacts& facts = facts_of(axis);
  const bool whole = facts.numbers == Numbers::whole, open = facts.numbers == Numbers::positive;
  const bool inside = (open ? value > facts.low : value >= facts.low) && value <= facts.high;
  require(inside && (!whole || value == std::floor(value)), "{}: {} on the axis {}: allowed are {} {} {} to {}", option,
          value, facts.name, whole ? "whole numbers" : "numbers", open ? "above" : "from", facts.low, facts.high);
}

SweepProblem with_value(SweepProblem problem, Axis axis, double value) {
  const auto whole = [value]() -> Index { return std::llround(value); };
  switch (axis) {
    case Axis::tables:
      problem.setting.tables = whole();
      break;
    case Axis::samples:
      problem.setting.samples = whole();
      break;
    case Axis::temperature:
      problem.setting.temperature = value;
      break;
    case Axis::planes:
      problem.setting.planes = whole();
      break;
    case Axis::keys:
      problem.family.keys = whole();
      break;
    case Axis::dim:
      problem.family.dim = whole();
      break;
    case Axis::query_norm:
      problem.family.query_norm = value;
      break;
    case Axis::budget:
      problem.setting.budget = whole();
      problem.density = 0;
      break;
    case Axis::density:
      problem.density = value;
      break;
    case Axis::needle_cosine:
      problem.family.needle_cosine = value;
      break;
    case Axis::key_norm_spread:
      problem.key_norm_spread = value;
      break;
  }
  return problem;
}

SweepProblem resolved(SweepProblem problem) {
  Setting& setting = problem.setting;
  const Index keys = problem.family.keys;
  if (setting.samples == 0) setting.samples = std::max<Index>(1, keys / 10);
  if (problem.density > 0) {
    setting.budget = std::max<Index>(1, std::llround(problem.density * real(keys)));
  }
  require(setting.budget <= keys, "--budget is {}: allowed are 0 (no selection) to the {} keys", setting.budget, keys);
  return problem;
}

Instance instance_of(const SweepProblem& problem, Seed seed) {
  Instance instance = make_instance(problem.family, seed, 0);
  const double spread = problem.key_norm_spread;
  if (spread == 0) return instance;
  Vector z(instance.num_keys());
  fill_normal(derive_seed(seed, 1), {}, {z.data(), z.data() + z.size()});
  instance.keys.array().colwise() *= (spread * z.array() - spread * spread).exp();
  instance.name += fmt::format(", key norms spread {}", spread);
  return instance;
}

bool has_ratios(Axis axis) {
  return axis != Axis::planes && axis != Axis::needle_cosine && axis != Axis::key_norm_spread;
}

bool changes_instance(Axis axis) {
  switch (axis) {
    case Axis::keys:
    case Axis::dim:
    case Axis::query_norm:
    case Axis::needle_cosine:
    case Axis::key_norm_spread:
      return true;
    default:
      return false;
  }
}

bool changes_centre(Axis axis) {
  return changes_instance(axis) || axis == Axis::temperature || axis == Axis::planes;
}

}  // namespace skt
