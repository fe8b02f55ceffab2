// socketlab audit: what Theorem 3 says at given settings, beside what is so. Table 6 of the paper by default.
#include <fmt/format.h>

#include <memory>

#include "experiments/command/option_text.hpp"
#include "experiments/command/provenance.hpp"
#include "experiments/command/scaling_option.hpp"
#include "experiments/error_curves/audit_rows.hpp"
#include "experiments/files/staged_files.hpp"
#include "sim/require.hpp"

namespace skt {
namespace {

struct AuditOptions {
  std::string family = "gaussian", scaling = kDefaultScaling;
  double query_norm = 0;  // 0: as drawn
  AuditPlan plan;
  const CLI::App* sub = nullptr;
};

int run(AuditOptions options, const SharedOptions& shared) {
  AuditPlan& plan = options.plan;
  plan.family.family = instance_family(options.family);
  plan.scaling = scaling_named(options.scaling);
  if (options.query_norm != 0) plan.family.query_norm = options.query_norm;
  StagedFiles files(shared.out);
  const Audit audit = run_audit(plan, Seed{shared.seed});
  files.add("audit.csv") << audit_table(audit).text();
  files.add("audit_bounds.csv") << audit_bound_table(audit).text();
  files.add("audit.json") << audit_json(audit);
  files.add("provenance.json") << provenance_json({command_text(*options.sub, shared), shared.seed, ""});
  files.commit();
  fmt::print("{}", readable(audit));
  return kAsExpected;
}

// In these descriptions a line of the source is a line of --help.
void add_options(CLI::App& sub, AuditOptions& o) {
  add_list(sub, "--planes", o.plan.planes, "Planes P, e.g. 8,10,12 (Table 6)");
  add_list(sub, "--temperatures", o.plan.temperatures, "Temperatures tau, e.g. 0.3,0.5,0.7 (Table 6)");
  sub.add_option("--tables", o.plan.tables, "Tables L")->check(whole_numbers(1, kMostTables))->capture_default_str();
  sub.add_option("--samples", o.plan.samples, "Samples M; 0: a tenth of the keys")
      ->check(whole_numbers(0, kMostSamples))
      ->capture_default_str();
  sub.add_option("--family", o.family,
                 "Instance: gaussian, unit-sphere, needle, clustered,\n"
                 "anisotropic, rotary-low-rank, attention-sink,\n"
                 "clustered-values")
      ->capture_default_str();
  sub.add_option("--keys", o.plan.family.keys, "Keys N; the time is quadratic in them")->capture_default_str();
  sub.add_option("--dim", o.plan.family.dim, "Dimension d")->capture_default_str();
  sub.add_option("--query-norm", o.query_norm, "Norm of the query; 0: as drawn")->capture_default_str();
  sub.add_option("--needle-cosine", o.plan.family.needle_cosine, "Cosine of the needle to the query")
      ->capture_default_str();
  sub.add_option("--scaling", o.scaling, "Divisor of tanh(Wq)")
      ->check(CLI::IsMember({"inverse-sqrt-dim", "none"}))
      ->capture_default_str();
  sub.add_option("--delta", o.plan.delta, "Probability that the bound may fail")->capture_default_str();
  sub.add_option("--target", o.plan.target,
                 "Wanted error over the longest value; the search says\n"
                 "from which L, M and tau on it is kept")
      ->capture_default_str();
  sub.add_option("--trials", o.plan.trials, "Draws of the tables")
      ->check(whole_numbers(2, kMostTrials))
      ->capture_default_str();
}

}  // namespace

void add_audit_command(CLI::App& app, SharedOptions& shared) {
  const auto options = std::make_shared<AuditOptions>();
  CLI::App& sub = add_subcommand(app, "audit", "What Theorem 3 says at given settings, beside the real errors", shared,
                                 [options, &shared] { return run(*options, shared); });
  options->sub = &sub;
  add_options(sub, *options);
}

}  // namespace skt
