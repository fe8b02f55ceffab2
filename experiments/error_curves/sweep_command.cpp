// socketlab sweep: one axis or two, one family or several. Exit 1 if a measured interval misses its exact centre.
#include <fmt/format.h>

#include "experiments/command/command.hpp"
#include "experiments/error_curves/requests.hpp"
#include "experiments/error_curves/sweep_parts.hpp"
#include "experiments/error_curves/sweep_rows.hpp"
#include "experiments/families/family_option.hpp"
#include "experiments/parts/run_parts.hpp"

namespace skt {
namespace {

int run_sweep_command(Job<SweepRequest>& job, const SharedOptions& shared) {
  job.of_families.learned_file = learned_file(job.families, job.of_families.learned_file);
  const Seed seed{shared.seed};
  const std::vector<SweepPlan> plans = plans_of(job, seed);
  RunFacts facts{shared.command, shared.seed, ""};
  for (const SweepPlan& plan : plans) note_learned(plan.family, facts);
  const auto parts = [&](const WorkSeen& seen) { return sweep_parts(plans, seed, seen); };
  const auto results = run_parts(parts, facts, job.how, shared);
  if (!results) return kAsExpected;
  const std::vector<SweepResult> sweeps = assemble_sweeps(plans, seed, *results);
  const std::string wrote = write_results_of_parts(
      shared, {{"sweep.csv", sweep_table(sweeps).text()}, {"sweep_slopes.csv", slope_table(sweeps).text()}}, facts);
  for (const SweepResult& sweep : sweeps) fmt::print("{}", readable(sweep));
  fmt::print("{}", wrote);
  return refuted_intervals(sweeps) == 0 ? kAsExpected : kNotAsExpected;
}

}  // namespace

Command sweep_command() {
  return make_command<Job<SweepRequest>>(
      "sweep", "Measures the error against tables, samples, temperature and other axes", run_sweep_command);
}

}  // namespace skt
