// socketlab sweep: one axis, one family. Exit 1 if a measured interval misses its exact centre.
#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "experiments/command_text.hpp"
#include "experiments/provenance.hpp"
#include "experiments/result_file.hpp"
#include "experiments/sweep_rows.hpp"
#include "sim/input_error.hpp"

namespace skt {
namespace {

// As typed; what is left out gets a value that depends on the rest.
struct SweepOptions {
  std::string axis;
  std::string family = "gaussian";
  std::string scaling = "inverse-sqrt-dim";
  double query_norm = 0;  // 0: as drawn
  Index samples = 0;      // 0: a tenth of the keys
  SweepPlan plan;
  const CLI::App* sub = nullptr;
};

Scaling scaling_named(const std::string& name) {
  if (name == "inverse-sqrt-dim") return Scaling::inverse_sqrt_dim;
  if (name == "none") return Scaling::none;
  throw InputError(fmt::format("--scaling {}: allowed are inverse-sqrt-dim, none", name));
}

int run(SweepOptions options, const SharedOptions& shared) {
  SweepPlan& plan = options.plan;
  plan.axis = axis_named(options.axis);
  plan.family.family = instance_family(options.family);
  plan.setting.scaling = scaling_named(options.scaling);
  if (options.query_norm != 0) plan.family.query_norm = options.query_norm;
  plan.setting.samples = options.samples != 0 ? options.samples : std::max<Index>(1, plan.family.keys / 10);
  make_folder(shared.out);
  const SweepResult result = run_sweep(plan, Seed{shared.seed});
  write_sweeps(shared.out, {result});
  write_provenance(shared.out, {command_text(*options.sub, shared), shared.seed, ""});
  fmt::print("{}", readable(result));
  const auto all = verdicts(result);
  return std::count(all.begin(), all.end(), Verdict::refuted) == 0 ? kAsExpected : kNotAsExpected;
}

void add_options(CLI::App& sub, SweepOptions& o) {
  sub.add_option("--axis", o.axis, "tables, samples or temperature")->required();
  sub.add_option("--values", o.plan.values, "Values of the axis, e.g. 16,32,64")->required()->delimiter(',');
  sub.add_option("--family", o.family, "gaussian, unit-sphere, needle, clustered, anisotropic, ...")
      ->capture_default_str();
  sub.add_option("--keys", o.plan.family.keys, "Keys N")->capture_default_str();
  sub.add_option("--dim", o.plan.family.dim, "Dimension d")->capture_default_str();
  sub.add_option("--planes", o.plan.setting.planes, "Planes P to a table")->capture_default_str();
  sub.add_option("--tables", o.plan.setting.tables, "Tables L")->capture_default_str();
  sub.add_option("--samples", o.samples, "Samples M of the value-aware estimator; 0: a tenth of the keys")
      ->capture_default_str();
  sub.add_option("--temperature", o.plan.setting.temperature, "Temperature tau")->capture_default_str();
  sub.add_option("--scaling", o.scaling, "Divisor of tanh(Wq): inverse-sqrt-dim or none")->capture_default_str();
  sub.add_option("--query-norm", o.query_norm, "Norm of the query; 0: as drawn")->capture_default_str();
  sub.add_option("--needle-cosine", o.plan.family.needle_cosine, "Cosine of the needle to the query")
      ->capture_default_str();
  sub.add_option("--trials", o.plan.effort.trials, "Draws of the tables for each value")->capture_default_str();
  sub.add_option("--draws", o.plan.effort.draws, "Draws of the sampling estimator on each draw of the tables")
      ->capture_default_str();
  sub.add_option("--delta", o.plan.delta, "Probability that the paper's bound may fail")->capture_default_str();
  sub.add_option("--family-error", o.plan.family_error, "Probability that any interval of the sweep misses")
      ->capture_default_str();
}

}  // namespace

void add_sweep_command(CLI::App& app, SharedOptions& shared) {
  const auto options = std::make_shared<SweepOptions>();
  CLI::App& sub = add_subcommand(app, "sweep", "Error against tables, samples or temperature", shared,
                                 [options, &shared] { return run(*options, shared); });
  options->sub = &sub;
  add_options(sub, *options);
}

}  // namespace skt
