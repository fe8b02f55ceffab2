// socketlab audit: what Theorem 3 says at given settings, beside what is so. Table 6 of the paper by default.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>

#include "experiments/command/option_text.hpp"
#include "experiments/command/provenance.hpp"
#include "experiments/command/scaling_option.hpp"
#include "experiments/error_curves/audit_parts.hpp"
#include "experiments/error_curves/audit_rows.hpp"
#include "experiments/families/family_option.hpp"
#include "experiments/files/staged_files.hpp"
#include "experiments/files/wrote_line.hpp"
#include "experiments/parts/journal.hpp"
#include "experiments/parts/run_parts.hpp"
#include "sim/learned_heads.hpp"
#include "sim/require.hpp"

namespace skt {
namespace {

struct AuditOptions {
  FamilyOptions families{{"gaussian"}};
  FamilyRequest of_family;
  std::string scaling = kDefaultScaling;
  std::string part = "all";
  double query_norm = 0;  // 0: as drawn
  AuditPlan plan;
  PartsOptions how;
  const CLI::App* sub = nullptr;
};

const std::vector<UsedBy> kAuditUses = {{"--delta", {"all"}}, {"--target", {"all"}}, {"--trials", {"all"}}};

void refuse_without_effect(const AuditOptions& options) {
  refuse_unused(*options.sub, "--part", options.part, kAuditUses);
  for (const char* option : {"--bound-delta", "--fresh-tables"}) {
    require(options.plan.bound_draws > 0 || options.sub->count(option) == 0,
            "{} is given, which --bound-draws 0 does not use: allowed with --bound-draws of 2 and more", option);
  }
}

int run(AuditOptions options, const SharedOptions& shared) {
  refuse_without_effect(options);
  AuditPlan& plan = options.plan;
  const std::vector<std::string>& families = options.families.families;
  require(families.size() == 1, "--families: {} given: allowed is one; run an audit for each", families.size());
  options.of_family.learned_file = learned_file(options.families);
  const Seed seed{shared.seed};
  plan.family = of_first_trial(with_family(plan.family, families.front(), options.of_family), seed);
  plan.scaling = scaling_named(options.scaling);
  if (options.query_norm != 0) plan.family.query_norm = options.query_norm;
  const AuditPart part = options.part == "bounds" ? AuditPart::bounds : AuditPart::all;
  check(plan, part);
  StagedFiles files(shared.out);
  const auto parts = [&](const WorkSeen& seen) { return audit_parts(plan, part, seed, seen); };
  RunFacts facts{command_text(*options.sub, shared), shared.seed, ""};
  note_learned(plan.family, facts);
  const auto results = run_parts(parts, facts, options.how, shared);
  if (!results) return kAsExpected;
  const Audit audit = assemble_audit(plan, part, seed, *results);
  std::vector<std::string> names;
  const auto add = [&](const char* name, const std::string& text) {
    files.add(name) << text;
    names.emplace_back(name);
  };
  if (part == AuditPart::all) {
    add("audit.csv", audit_table(audit).text());
    add("audit_bounds.csv", audit_bound_table(audit).text());
    add("audit.json", audit_json(audit));
  }
  if (plan.bound_draws > 0) add("bound_ratios.csv", bound_ratio_table(audit).text());
  add("provenance.json", provenance_json(facts));
  files.commit();
  remove_journals(shared.out);
  fmt::print("{}{}", readable(audit), wrote_line(shared.out, names));
  return refuted_bounds(audit) == 0 ? kAsExpected : kNotAsExpected;
}

// In these descriptions a line of the source is a line of --help.
void add_comparison(CLI::App& sub, AuditOptions& o) {
  sub.add_option("--part", o.part,
                 "all, or bounds: compares the printed, the repaired and\n"
                 "our bounds with the true quantile of each error")
      ->check(CLI::IsMember({"all", "bounds"}))
      ->capture_default_str();
  sub.add_option("--bound-delta", o.plan.bound_delta, "Probability delta of each bound compared")
      ->capture_default_str();
  sub.add_option("--bound-draws", o.plan.bound_draws,
                 "Draws of the tables and of T for the true quantiles;\n"
                 "0: no comparison")
      ->check(whole_numbers(0, kMostTrials))
      ->capture_default_str();
  sub.add_option("--fresh-tables", o.plan.fresh_tables,
                 "Tables drawn in addition, to certify the tail of a\n"
                 "single table's error (Corollary 4)")
      ->check(whole_numbers(1, kMostTrials))
      ->capture_default_str();
}

void add_options(CLI::App& sub, AuditOptions& o) {
  add_list(sub, "--planes", o.plan.planes, "Planes P, e.g. 8,10,12 (Table 6)");
  add_list(sub, "--temperatures", o.plan.temperatures, "Temperatures tau, e.g. 0.3,0.5,0.7 (Table 6)");
  sub.add_option("--tables", o.plan.tables, "Tables L")->check(whole_numbers(1, kMostTables))->capture_default_str();
  sub.add_option("--samples", o.plan.samples, "Samples M; 0: a tenth of the keys")
      ->check(whole_numbers(0, kMostSamples))
      ->capture_default_str();
  add_families(sub, o.families,
               "Instance: gaussian, unit-sphere, needle, needles,\n"
               "clustered, anisotropic, rotary-low-rank,\n"
               "attention-sink, clustered-values; learned: a head and\n"
               "query drawn by the seed, or learned-HEAD,\n"
               "learned-HEAD-QUERY (from 0)");
  sub.add_option("--keys", o.of_family.keys, "Keys N, by default 4096; time grows as N^2");
  sub.add_option("--dim", o.of_family.dim, "Dimension d, by default 128");
  sub.add_option("--query-norm", o.query_norm, "Norm of the query; 0: as drawn")->capture_default_str();
  sub.add_option("--needle-cosine", o.plan.family.needle_cosine, "Cosine between needle and query")
      ->capture_default_str();
  sub.add_option("--scaling", o.scaling, "Divisor of tanh(Wq)")
      ->check(CLI::IsMember({"inverse-sqrt-dim", "none"}))
      ->capture_default_str();
  sub.add_option("--delta", o.plan.delta, "Probability that the bound may fail")->capture_default_str();
  sub.add_option("--target", o.plan.target,
                 "Target error as a share of the longest value; reports\n"
                 "the L, M and tau that the theorem needs for it")
      ->capture_default_str();
  sub.add_option("--trials", o.plan.trials, "Draws of the tables")
      ->check(whole_numbers(2, kMostTrials))
      ->capture_default_str();
}

}  // namespace

void add_audit_command(CLI::App& app, SharedOptions& shared) {
  const auto options = std::make_shared<AuditOptions>();
  CLI::App& sub = add_subcommand(app, "audit", "Compares Theorem 3 at given settings with the real errors", shared,
                                 [options, &shared] { return run(*options, shared); });
  options->sub = &sub;
  add_options(sub, *options);
  add_comparison(sub, *options);
  add_parts_options(sub, options->how);
}

}  // namespace skt
