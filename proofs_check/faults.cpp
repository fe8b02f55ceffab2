#include "proofs_check/faults.hpp"

namespace skt {

FaultResult run_fault(const std::vector<Statement>& all, const std::string& fault, const FaultSettings& settings) {
  std::vector<Statement> statements = all;
  std::erase_if(statements, [](const Statement& s) { return s.expected != Verdict::not_refuted; });
  for (Statement& s : statements) s.mutants.clear(), s.controls.clear();
  const double share = ErrorBudget(settings.family_error, fault_names().size()).take();
  FaultResult result{
      fault,
      run_statements(statements,
                     {.seed = settings.seed, .profile = settings.profile, .fault = fault, .family_error = share})};
  std::erase_if(result.noticed_by, [](const StatementResult& r) { return r.verdict != Verdict::refuted; });
  return result;
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
