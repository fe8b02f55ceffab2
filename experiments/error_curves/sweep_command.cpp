// socketlab sweep: one axis or two, one family or several. Exit 1 if a measured interval misses its exact centre.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>

#include "experiments/command/option_text.hpp"
#include "experiments/command/provenance.hpp"
#include "experiments/command/scaling_option.hpp"
#include "experiments/error_curves/sweep_parts.hpp"
#include "experiments/error_curves/sweep_request.hpp"
#include "experiments/error_curves/sweep_rows.hpp"
#include "experiments/families/family_option.hpp"
#include "experiments/files/staged_files.hpp"
#include "experiments/files/wrote_line.hpp"
#include "experiments/parts/journal.hpp"
#include "experiments/parts/run_parts.hpp"

namespace skt {
namespace {

struct SweepOptions {
  SweepRequest request;
  FamilyOptions families{request.families};
  std::string scaling = kDefaultScaling;
  PartsOptions how;
  const CLI::App* sub = nullptr;
};

int run(SweepOptions options, const SharedOptions& shared) {
  options.request.plan.setting.scaling = scaling_named(options.scaling);
  options.request.families = options.families.families;
  options.request.of_families.learned_file = learned_file(options.families);
  const Seed seed{shared.seed};
  const std::vector<SweepPlan> plans = plans_of(options.request, seed);
  StagedFiles files(shared.out);
  RunFacts facts{command_text(*options.sub, shared), shared.seed, ""};
  for (const SweepPlan& plan : plans) note_learned(plan.family, facts);
  const auto parts = [&](const WorkSeen& seen) { return sweep_parts(plans, seed, seen); };
  const auto results = run_parts(parts, facts, options.how, shared);
  if (!results) return kAsExpected;
  const std::vector<SweepResult> sweeps = assemble_sweeps(plans, seed, *results);
  files.add("sweep.csv") << sweep_table(sweeps).text();
  files.add("sweep_slopes.csv") << slope_table(sweeps).text();
  files.add("provenance.json") << provenance_json(facts);
  files.commit();
  remove_journals(shared.out);
  for (const SweepResult& sweep : sweeps) fmt::print("{}", readable(sweep));
  fmt::print("{}", wrote_line(shared.out, {"sweep.csv", "sweep_slopes.csv", "provenance.json"}));
  return refuted_intervals(sweeps) == 0 ? kAsExpected : kNotAsExpected;
}

// In these descriptions a line of the source is a line of --help.
void add_axes(CLI::App& sub, SweepOptions& o) {
  sub.add_option("--axis", o.request.axis, "What varies:\n" + comma_list(axis_names(), {.width = 50}))->required();
  add_list(sub, "--values", o.request.plan.values, "Values of the axis, e.g. 16,32,64").required();
  sub.add_option("--axis2", o.request.axis2,
                 "A second axis: a curve for each of its values,\n"
                 "and a heat map");
  add_list(sub, "--values2", o.request.values2, "Values of the second axis");
  add_families(sub, o.families,
               "Families of instances, separated by commas:\n"
               "gaussian, unit-sphere, needle, needles, clustered,\n"
               "anisotropic, rotary-low-rank, attention-sink,\n"
               "clustered-values; learned: a head and query drawn by\n"
               "the seed, or learned-HEAD, learned-HEAD-QUERY (from 0)");
}

void add_problem(CLI::App& sub, SweepOptions& o) {
  sub.add_option("--keys", o.request.of_families.keys, "Keys N, by default 4096");
  sub.add_option("--dim", o.request.of_families.dim, "Dimension d, by default 128");
  sub.add_option("--planes", o.request.plan.setting.planes, "Planes P per table")->capture_default_str();
  sub.add_option("--tables", o.request.plan.setting.tables, "Tables L")
      ->check(whole_numbers(1, kMostTables))
      ->capture_default_str();
  sub.add_option("--samples", o.request.plan.setting.samples,
                 "Samples M of the value-aware estimator;\n"
                 "0: a tenth of the keys")
      ->check(whole_numbers(0, kMostSamples))
      ->capture_default_str();
  sub.add_option("--temperature", o.request.plan.setting.temperature, "Temperature tau")->capture_default_str();
  sub.add_option("--scaling", o.scaling, "Divisor of tanh(Wq): inverse-sqrt-dim or none")->capture_default_str();
  sub.add_option("--query-norm", o.request.query_norm, "Norm of the query; 0: as drawn")->capture_default_str();
  sub.add_option("--needle-cosine", o.request.plan.family.needle_cosine, "Cosine between needle and query")
      ->capture_default_str();
  sub.add_option("--key-norm-spread", o.request.plan.key_norm_spread,
                 "Standard deviation of log ||k||, added to the drawn keys")
      ->capture_default_str();
  CLI::Option* budget = sub.add_option("--budget", o.request.plan.setting.budget,
                                       "Keys that exact attention sees (Algorithm 3);\n"
                                       "0: not measured")
                            ->capture_default_str();
  sub.add_option("--density", o.request.plan.density,
                 "The budget as a fraction of the keys;\n"
                 "0: use --budget")
      ->excludes(budget)
      ->capture_default_str();
}

void add_effort(CLI::App& sub, SweepOptions& o) {
  sub.add_option("--trials", o.request.plan.effort.trials, "Draws of the tables for each value")
      ->check(whole_numbers(2, kMostTrials))
      ->capture_default_str();
  sub.add_option("--draws", o.request.plan.effort.draws,
                 "Draws of the sampling estimator per draw of the\n"
                 "tables")
      ->check(whole_numbers(1, kMostTrials))
      ->capture_default_str();
  sub.add_option("--delta", o.request.plan.delta, "Probability that the paper's bound may fail")->capture_default_str();
  sub.add_option("--family-error", o.request.plan.family_error, "Probability that any interval of the run misses")
      ->capture_default_str();
}

}  // namespace

void add_sweep_command(CLI::App& app, SharedOptions& shared) {
  const auto options = std::make_shared<SweepOptions>();
  CLI::App& sub = add_subcommand(app, "sweep", "Measures the error against tables, samples, temperature and other axes",
                                 shared, [options, &shared] { return run(*options, shared); });
  options->sub = &sub;
  add_axes(sub, *options);
  add_problem(sub, *options);
  add_effort(sub, *options);
  add_parts_options(sub, options->how);
}

}  // namespace skt
