// Of which parts are verify and its planted faults made, and how do results come from them?
//
// Each statement as claimed, each of its mutants and each of its controls is a part, and so is each claim with all planted
// faults, or each planted fault. A part holds what was measured and no verdict: judging is done when all is there. It would be wrong if the rows
// differed from those of run_statements (proofs_check/run.hpp), which tests/experiments/verify/verify_parts_test.cpp
// compares.
#pragma once

#include <span>
#include <vector>

#include "experiments/parts/part.hpp"
#include "experiments/verify/kept_trials_rows.hpp"
#include "proofs_check/faults.hpp"
#include "proofs_check/run.hpp"
#include "sim/json.hpp"

namespace skt {

// Of the statements that settings.only names, in the order of the list. The parts refer to `all`, which must outlive them.
std::vector<Part> statement_parts(const std::vector<Statement>& all, const RunSettings& settings);

// What run_statements returns, from the results of these parts in their order.
std::vector<StatementResult> statement_results(const std::vector<Statement>& all, const RunSettings& settings,
                                               std::span<const Json> results);

// What these parts kept, in their order.
std::vector<KeptOf> kept_of(const std::vector<Statement>& all, const RunSettings& settings,
                            std::span<const Json> results);

// The same for the planted faults, each of which runs the claims of statements_of_faults: what run_faults returns. Asked
// until noticed, each fault is a part, and its result names one statement at most, with the evidence that it has there.
std::vector<Part> fault_parts(const std::vector<Statement>& all, const FaultSettings& settings);
std::vector<FaultResult> fault_results(const std::vector<Statement>& all, const FaultSettings& settings,
                                       std::span<const Json> results);

}  // namespace skt
