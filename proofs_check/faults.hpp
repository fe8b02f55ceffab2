// Which statements notice a broken estimator?
//
// Every statement, without its mutants and controls, is run once for each planted fault (estimators_under_test.hpp); those that a
// fault refutes have noticed it. A fault that nobody notices is a hole in the suite. It would be wrong if a statement
// were named that the real estimators refute as well: those expected to be refuted do not count.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "proofs_check/run.hpp"

namespace skt {

struct FaultResult {
  std::string fault{};
  std::vector<StatementResult> noticed_by{};
};

struct FaultSettings {
  Seed seed{1};
  Profile profile = Profile::smoke;
  double family_error = kFaultsError;  // that any statement refutes a fault which it cannot see
};

// Those of `all` that the real estimators do not refute, without mutants and controls.
std::vector<Statement> statements_of_faults(const std::vector<Statement>& all);
// Each fault has an equal share of the error.
RunSettings settings_of_fault(const std::string& fault, const FaultSettings& settings);
// From the results of these statements by these settings.
FaultResult noticed(const std::string& fault, std::vector<StatementResult> results);

FaultResult run_fault(const std::vector<Statement>& all, const std::string& fault, const FaultSettings& settings);

// One result for each of fault_names(), in that order. `progress` is called after each fault.
std::vector<FaultResult> run_faults(const std::vector<Statement>& all, const FaultSettings& settings,
                                    const std::function<void()>& progress = {});

}  // namespace skt
