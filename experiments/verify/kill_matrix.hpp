// Which piece of evidence refutes each planted lie, and how small a lie would it have refuted?
//
// One row for each statement as claimed and one for each of its mutants: the decisive piece of evidence
// (worst_evidence), how far the observation lies from the claim, and the smallest deviation that this piece shows with
// probability 0.99 (proofs_check/power.hpp). A lie whose distance exceeds that deviation is refuted at nearly every
// seed. It would be wrong if a row did not follow from verdicts.jsonl.
#pragma once

#include <string>
#include <vector>

#include "proofs_check/faults.hpp"
#include "proofs_check/run.hpp"

namespace skt {

// The text of kill_matrix.csv.
std::string kill_matrix(const std::vector<StatementResult>& results);

// The text of faults.csv: the same for broken estimators, one row for each statement that notices one; a fault that
// none notices has one row without a statement.
std::string fault_matrix(const std::vector<FaultResult>& results);

}  // namespace skt
