// Which piece of evidence refutes each planted lie, and how small a lie would it have refuted?
//
// One row for each statement as claimed, one for each of its mutants and of its controls: the decisive piece of evidence
// (worst_evidence), how far the observation lies from the claim, and the smallest deviation that this piece shows with
// probability 0.99 (proofs_check/power.hpp). A lie whose distance exceeds that deviation is refuted at nearly every
// seed. For evidence without chance the deviation is the rounding on the instances that were tried: the column
// `deviation_is` says which. The factors are those by which the claimed values could be multiplied and be refuted, of
// all pieces together. It would be wrong if a row did not follow from verdicts.jsonl.
#pragma once

#include <string>
#include <vector>

#include "experiments/files/csv.hpp"
#include "proofs_check/faults.hpp"
#include "proofs_check/run.hpp"

namespace skt {

CsvTable kill_table(const std::vector<StatementResult>& results);

// The text of kill_matrix.csv.
inline std::string kill_matrix(const std::vector<StatementResult>& results) {
  return kill_table(results).text();
}

// The text of faults.csv: the same for broken estimators, one row for each statement that notices one; a fault that
// none notices has one row without a statement. `command` makes the file again.
std::string fault_matrix(const std::vector<FaultResult>& results, const std::string& command);

}  // namespace skt
