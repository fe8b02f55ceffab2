#include "proofs_check/inequalities/adversarial_search.hpp"

#include <algorithm>
#include <cmath>

#include "proofs_check/run.hpp"
#include "sim/json.hpp"
#include "sim/require.hpp"
#include "sim/trial_loop.hpp"

#ifdef SKT_HAVE_NLOPT
#include <nlopt.hpp>
#endif

namespace skt {
namespace {

// Finite, so that the simplex can compare: a violation of any size stays above 1, a NaN below everything.
[[maybe_unused]] double objective(const SearchedInequality& inequality, std::span<const double> at) {
  const double ratio = inequality.sides(at).ratio();
  return std::isnan(ratio) ? -1e6 : std::clamp(ratio, -1e6, 1e6);
}

[[maybe_unused]] std::vector<double> rounded(std::vector<double> at) {
  for (double& x : at) x = std::round(x * 0x1p20) * 0x1p-20;
  return at;
}

struct Best {
  double ratio = -1e9;
  std::vector<double> at;
  std::uint64_t evaluations = 0;

  void add(double r, const std::vector<double>& x) {
    if (at.empty() || r > ratio) ratio = r, at = x;
  }
  void merge(const Best& later) {
    if (!later.at.empty()) add(later.ratio, later.at);
    evaluations += later.evaluations;
  }
};

#ifdef SKT_HAVE_NLOPT
struct Counted {
  const SearchedInequality& inequality;
  std::uint64_t evaluations = 0;
};

double nlopt_objective(const std::vector<double>& x, std::vector<double>&, void* data) {
  Counted& counted = *static_cast<Counted*>(data);
  ++counted.evaluations;
  return objective(counted.inequality, x);
}

void climb(const SearchedInequality& inequality, const SearchEffort& effort, std::vector<double> x, double step,
           Best& best) {
  Counted counted{inequality};
  nlopt::opt optimiser(nlopt::LN_SBPLX, inequality.parameters);
  optimiser.set_max_objective(nlopt_objective, &counted);
  optimiser.set_lower_bounds(-kSearchBox);
  optimiser.set_upper_bounds(kSearchBox);
  optimiser.set_initial_step(step);
  optimiser.set_maxeval(effort.evaluations);
  optimiser.set_xtol_rel(0x1p-20);
  double value = 0;
  try {
    optimiser.optimize(x, value);
  } catch (const nlopt::roundoff_limited&) {  // x holds the best so far
  }
  best.evaluations += counted.evaluations;
  const std::vector<double> archived = rounded(x);
  best.add(objective(inequality, archived), archived);
}
#endif

}  // namespace

#ifdef SKT_HAVE_NLOPT
bool can_search() {
  return true;
}

WorstInstance search(const SearchedInequality& inequality, const SearchEffort& effort, Seed seed) {
  const Seed own = statement_seed(seed, inequality.name);
  const auto from = [&](std::uint32_t start) {
    std::vector<double> x(inequality.parameters);
    fill_uniform(own, {.role = Role::test_draw, .trial = start}, x);
    for (double& coordinate : x) coordinate = kSearchBox / 2 * (2 * coordinate - 1);
    return x;
  };
  Best best = run_trials(
      effort.starts, Best{},
      [&](std::uint32_t start, Best& block) { climb(inequality, effort, from(start), 1, block); }, 1);
  const std::vector<double> leader = best.at;
  climb(inequality, effort, leader, 0x1p-6, best);
  return {inequality.name, best.ratio, best.at, best.evaluations};
}
#else
bool can_search() {
  return false;
}

WorstInstance search(const SearchedInequality&, const SearchEffort&, Seed) {
  refuse("built without NLopt (package libnlopt-cxx-dev): nothing can be searched");
}
#endif

bool as_expected(const SearchedInequality& inequality, double ratio) {
  return inequality.expectation == SearchExpectation::holds ? ratio <= 1 : ratio > 1;
}

std::string to_json(const std::vector<WorstInstance>& instances) {
  std::string text = "[\n";
  for (const WorstInstance& w : instances) {
    const Json row{{"inequality", w.inequality}, {"ratio", w.ratio}, {"parameters", w.parameters}};
    text += row.dump() + (&w == &instances.back() ? "\n" : ",\n");
  }
  return text + "]\n";
}

std::vector<WorstInstance> worst_instances_from_json(const std::string& text) {
  std::vector<WorstInstance> list;
  for (const auto& row : Json::parse(text))
    list.push_back({row.at("inequality"), row.at("ratio"), row.at("parameters"), 0});
  return list;
}

std::optional<SearchedInequality> searched_inequality(const std::string& name) {
  for (SearchedInequality& one : searched_inequalities())
    if (one.name == name) return one;
  return std::nullopt;
}

}  // namespace skt
