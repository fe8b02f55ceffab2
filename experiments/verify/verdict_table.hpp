// How do verdicts read: as lines of a terminal, and as cases for a machine?
//
// A line for each statement, of 120 columns at most; below it the evidence nearest to refutation where it is refuted or
// not as expected. What is cut short there is whole in verdicts.jsonl.
#pragma once

#include <string>
#include <vector>

#include "experiments/files/outcomes.hpp"
#include "proofs_check/run.hpp"

namespace skt {

std::string verdict_table(const std::vector<StatementResult>& results);

// A case for each statement, in the group of its source; failed where it is not as expected, with its lines of the
// table in full.
std::vector<Outcome> outcomes_of(const std::vector<StatementResult>& results);

}  // namespace skt
