// socketlab sweep: one axis or two, one family or several. Exit 1 if a measured interval misses its exact centre.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>
#include <optional>

#include "experiments/command/family_option.hpp"
#include "experiments/command/option_text.hpp"
#include "experiments/command/provenance.hpp"
#include "experiments/command/scaling_option.hpp"
#include "experiments/error_curves/sweep_parts.hpp"
#include "experiments/error_curves/sweep_rows.hpp"
#include "experiments/files/staged_files.hpp"
#include "experiments/files/wrote_line.hpp"
#include "experiments/parts/journal.hpp"
#include "experiments/parts/run_parts.hpp"
#include "sim/number.hpp"
#include "sim/require.hpp"

namespace skt {
namespace {

// As typed; what is left out gets a value that depends on the rest.
struct SweepOptions {
  std::string axis, axis2;
  std::vector<double> values2;
  std::vector<std::string> families{"gaussian"};
  std::string scaling = kDefaultScaling;
  double query_norm = 0;  // 0: as drawn
  SweepPlan plan;
  PartsOptions how;
  const CLI::App* sub = nullptr;

  SweepOptions() { plan.setting.samples = 0; }
};

// One plan for each family and value of the second axis; the error is shared among them.
std::vector<SweepPlan> plans_of(const SweepOptions& o) {
  if (o.axis2.empty() != o.values2.empty()) refuse("--axis2 and --values2: allowed are both or neither");
  std::vector<std::optional<SecondAxis>> seconds;
  for (const double value : o.values2) {
    const Axis axis = axis_named("--axis2", o.axis2);
    if (axis == o.plan.axis) refuse("--axis2 {}: allowed is another one than --axis", o.axis2);
    check_axis_value("--values2", axis, value);
    seconds.push_back(SecondAxis{axis, value});
  }
  if (seconds.empty()) seconds.push_back(std::nullopt);

  std::vector<SweepPlan> plans;
  for (const std::string& family : o.families) {
    for (const std::optional<SecondAxis>& second : seconds) {
      SweepPlan plan = o.plan;
      plan.family = with_family(plan.family, family);
      plan.second = second;
      if (second) static_cast<SweepProblem&>(plan) = with_value(plan, second->axis, second->value);
      plan.family_error = o.plan.family_error / real(o.families.size() * seconds.size());
      plans.push_back(std::move(plan));
    }
  }
  return plans;
}

int run(SweepOptions options, const SharedOptions& shared) {
  options.plan.axis = axis_named("--axis", options.axis);
  options.plan.setting.scaling = scaling_named(options.scaling);
  if (options.query_norm != 0) options.plan.family.query_norm = options.query_norm;
  const std::vector<SweepPlan> plans = plans_of(options);
  for (const SweepPlan& plan : plans) check(plan);
  StagedFiles files(shared.out);
  const Seed seed{shared.seed};
  const RunFacts facts{command_text(*options.sub, shared), shared.seed, ""};
  const auto parts = [&](const WorkSeen& seen) { return sweep_parts(plans, seed, seen); };
  const auto results = run_parts(parts, facts, options.how, shared);
  if (!results) return kAsExpected;
  const std::vector<SweepResult> sweeps = assemble_sweeps(plans, seed, *results);
  files.add("sweep.csv") << sweep_table(sweeps).text();
  files.add("sweep_slopes.csv") << slope_table(sweeps).text();
  files.add("provenance.json") << provenance_json(facts);
  files.commit();
  remove_journals(shared.out);
  Index refuted = 0;
  for (const SweepResult& sweep : sweeps) {
    fmt::print("{}", readable(sweep));
    const auto all = verdicts(sweep);
    refuted += std::count(all.begin(), all.end(), Verdict::refuted);
  }
  fmt::print("{}", wrote_line(shared.out, {"sweep.csv", "sweep_slopes.csv", "provenance.json"}));
  return refuted == 0 ? kAsExpected : kNotAsExpected;
}

// In these descriptions a line of the source is a line of --help.
void add_axes(CLI::App& sub, SweepOptions& o) {
  sub.add_option("--axis", o.axis, "What varies:\n" + comma_list(axis_names(), {.width = 50}))->required();
  add_list(sub, "--values", o.plan.values, "Values of the axis, e.g. 16,32,64").required();
  sub.add_option("--axis2", o.axis2,
                 "A second axis: a curve for each of its values,\n"
                 "and a heat map");
  add_list(sub, "--values2", o.values2, "Values of the second axis");
  add_families(sub, o.families,
               "Instances, several with a comma between two:\n"
               "gaussian, unit-sphere, needle, needles, clustered,\n"
               "anisotropic, rotary-low-rank, attention-sink,\n"
               "clustered-values");
}

void add_problem(CLI::App& sub, SweepOptions& o) {
  sub.add_option("--keys", o.plan.family.keys, "Keys N")->capture_default_str();
  sub.add_option("--dim", o.plan.family.dim, "Dimension d")->capture_default_str();
  sub.add_option("--planes", o.plan.setting.planes, "Planes P to a table")->capture_default_str();
  sub.add_option("--tables", o.plan.setting.tables, "Tables L")
      ->check(whole_numbers(1, kMostTables))
      ->capture_default_str();
  sub.add_option("--samples", o.plan.setting.samples,
                 "Samples M of the value-aware estimator;\n"
                 "0: a tenth of the keys")
      ->check(whole_numbers(0, kMostSamples))
      ->capture_default_str();
  sub.add_option("--temperature", o.plan.setting.temperature, "Temperature tau")->capture_default_str();
  sub.add_option("--scaling", o.scaling, "Divisor of tanh(Wq): inverse-sqrt-dim or none")->capture_default_str();
  sub.add_option("--query-norm", o.query_norm, "Norm of the query; 0: as drawn")->capture_default_str();
  sub.add_option("--needle-cosine", o.plan.family.needle_cosine, "Cosine of the needle to the query")
      ->capture_default_str();
  sub.add_option("--key-norm-spread", o.plan.key_norm_spread, "Deviation of log ||k||, beside what is drawn")
      ->capture_default_str();
  CLI::Option* budget = sub.add_option("--budget", o.plan.setting.budget,
                                       "Keys that exact attention sees (Algorithm 3);\n"
                                       "0: not measured")
                            ->capture_default_str();
  sub.add_option("--density", o.plan.density,
                 "The budget as a share of the keys;\n"
                 "0: as --budget says")
      ->excludes(budget)
      ->capture_default_str();
}

void add_effort(CLI::App& sub, SweepOptions& o) {
  sub.add_option("--trials", o.plan.effort.trials, "Draws of the tables for each value")
      ->check(whole_numbers(2, kMostTrials))
      ->capture_default_str();
  sub.add_option("--draws", o.plan.effort.draws,
                 "Draws of the sampling estimator on each draw\n"
                 "of the tables")
      ->check(whole_numbers(1, kMostTrials))
      ->capture_default_str();
  sub.add_option("--delta", o.plan.delta, "Probability that the paper's bound may fail")->capture_default_str();
  sub.add_option("--family-error", o.plan.family_error,
                 "Probability that any interval of the whole run\n"
                 "misses")
      ->capture_default_str();
}

}  // namespace

void add_sweep_command(CLI::App& app, SharedOptions& shared) {
  const auto options = std::make_shared<SweepOptions>();
  CLI::App& sub = add_subcommand(app, "sweep", "Error against tables, samples, temperature and other axes", shared,
                                 [options, &shared] { return run(*options, shared); });
  options->sub = &sub;
  add_axes(sub, *options);
  add_problem(sub, *options);
  add_effort(sub, *options);
  add_parts_options(sub, options->how);
}

}  // namespace skt
