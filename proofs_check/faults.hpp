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

// A statement that notices the fault at any seed and takes milliseconds; empty for a fault that names none.
std::string asked_first(const std::string& fault);

// Which statements are run on a fault: all, or the one of asked_first and then the others until one notices it.
enum class Ask { all, until_noticed };

struct FaultSettings {
  Seed seed{1};
  Profile profile = Profile::smoke;
  double family_error = kFaultsError;  // that any statement refutes a fault which it cannot see
  Ask ask = Ask::all;                  // in parts (experiments/verify/verify_parts.hpp); run_faults asks all
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
