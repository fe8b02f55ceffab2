// socketlab audit: what Theorem 3 says at given settings, beside what is so. Table 6 of the paper by default.
#include <fmt/format.h>

#include "experiments/command/command.hpp"
#include "experiments/error_curves/audit_parts.hpp"
#include "experiments/error_curves/audit_rows.hpp"
#include "experiments/error_curves/requests.hpp"
#include "experiments/families/family_option.hpp"
#include "experiments/parts/run_parts.hpp"

namespace skt {
namespace {

int run_audit_command(Job<AuditRequest>& job, const SharedOptions& shared) {
  job.of_family.learned_file = learned_file(job.families, job.of_family.learned_file);
  const Seed seed{shared.seed};
  const AuditPlan plan = plan_of(job, seed);
  const AuditPart part = job.part;
  const auto parts = [&](const WorkSeen& seen) { return audit_parts(plan, part, seed, seen); };
  RunFacts facts{shared.command, shared.seed, ""};
  note_learned(plan.family, facts);
  const auto results = run_parts(parts, facts, job.how, shared);
  if (!results) return kAsExpected;
  const Audit audit = assemble_audit(plan, part, seed, *results);
  FileTexts files;
  if (part == AuditPart::all)
    files = {{"audit.csv", audit_table(audit).text()},
             {"audit_bounds.csv", audit_bound_table(audit).text()},
             {"audit.json", audit_json(audit)}};
  if (plan.bound_draws > 0) files.emplace_back("bound_ratios.csv", bound_ratio_table(audit).text());
  const std::string wrote = write_results_of_parts(shared, files, facts);
  fmt::print("{}{}", readable(audit), wrote);
  return refuted_bounds(audit) == 0 ? kAsExpected : kNotAsExpected;
}

}  // namespace

Command audit_command() {
  return make_command<Job<AuditRequest>>("audit", "Compares Theorem 3 at given settings with the real errors",
                                         run_audit_command);
}

}  // namespace skt
