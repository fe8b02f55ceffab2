#include "proofs_check/faults.hpp"

namespace skt {

std::vector<FaultResult> run_faults(const std::vector<Statement>& all, const FaultSettings& settings,
                                    const std::function<void()>& progress) {
  std::vector<Statement> statements = all;
  std::erase_if(statements, [](const Statement& s) { return s.expected != Verdict::not_refuted; });
  for (Statement& s : statements) s.mutants.clear(), s.controls.clear();
  const std::vector<std::string> names = fault_names();
  ErrorBudget budget(settings.family_error, names.size());
  std::vector<FaultResult> results;
  for (const std::string& name : names) {
    FaultResult result{
        name, run_statements(
                  statements,
                  {.seed = settings.seed, .profile = settings.profile, .fault = name, .family_error = budget.take()})};
    std::erase_if(result.noticed_by, [](const StatementResult& r) { return r.verdict != Verdict::refuted; });
    results.push_back(std::move(result));
    if (progress) progress();
  }
  return results;
}

}  // namespace skt
