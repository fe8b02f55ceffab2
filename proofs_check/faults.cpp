#include "proofs_check/faults.hpp"

#include <map>
#include <utility>

namespace skt {

std::string asked_first(const std::string& fault) {
  static const std::map<std::string, std::string> statements = {
      {"no-scaling", "S000-2"},       {"little-endian", "S000-2"}, {"reused-table", "S001-4"},
      {"strict-sign", "S000-1"},      {"wrong-ties", "S000-6"},    {"uniform-planes", "S002-R7f-corrected"},
      {"wrong-normaliser", "S000-4"},
  };
  const auto found = statements.find(fault);
  return found == statements.end() ? "" : found->second;
}

std::vector<Statement> statements_of_faults(const std::vector<Statement>& all) {
  std::vector<Statement> statements = all;
  std::erase_if(statements, [](const Statement& s) { return s.expected != Verdict::not_refuted; });
  for (Statement& s : statements) s.mutants.clear(), s.controls.clear();
  return statements;
}

RunSettings settings_of_fault(const std::string& fault, const FaultSettings& settings) {
  const double share = ErrorBudget(settings.family_error, fault_names().size()).take();
  return {.seed = settings.seed, .profile = settings.profile, .fault = fault, .family_error = share};
}

FaultResult noticed(const std::string& fault, std::vector<StatementResult> results) {
  std::erase_if(results, [](const StatementResult& r) { return r.verdict != Verdict::refuted; });
  return {fault, std::move(results)};
}

FaultResult run_fault(const std::vector<Statement>& all, const std::string& fault, const FaultSettings& settings) {
  return noticed(fault, run_statements(statements_of_faults(all), settings_of_fault(fault, settings)));
}

std::vector<FaultResult> run_faults(const std::vector<Statement>& all, const FaultSettings& settings,
                                    const std::function<void()>& progress) {
  std::vector<FaultResult> results;
  for (const std::string& name : fault_names()) {
    results.push_back(run_fault(all, name, settings));
    if (progress) progress();
  }
  return results;
}

}  // namespace skt
