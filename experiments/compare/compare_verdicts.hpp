// Do two files of verdicts agree? Which verdicts changed, which intervals no longer meet, which statements, lies,
// controls or pieces of evidence vanished, which came?
//
// Two intervals that contain the same quantity meet, but for the errors of both, which are shares of each run's one error
// (proofs_check/run.hpp). Numbers without chance are compared where both runs have seed and profile in common: on other
// instances they are other numbers. They may differ by the errors stated for them, and by rounding.
// Worse is: what was as expected and is not, an interval apart, and what vanished.
#pragma once

#include <istream>
#include <string>
#include <vector>

#include "experiments/compare/difference.hpp"
#include "proofs_check/run.hpp"

namespace skt {

// The rows of a verdicts.jsonl. InputError with the number of the line, and for an id that appears twice.
std::vector<StatementResult> read_verdicts(std::istream& lines, const std::string& name);

RunComparison compare_verdicts(const std::vector<StatementResult>& first, const std::vector<StatementResult>& second);

}  // namespace skt
