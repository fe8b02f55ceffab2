// How is a verdict written down, so that it can be recomputed from its row alone, and measured again from it?
//
// One JSON object a statement (a line of verdicts.jsonl). First what the statement says; then the piece of evidence that
// worst_evidence names; then verdicts, the factors that the evidence refutes (power.hpp) and how near the lies are;
// "command" runs the row again and "made_by" says which program made it. "evidence", "mutants" and "controls" hold every
// number that judge saw. Where the lies were left out, "made_by" says so and "mutants" is empty.
//
// It would be wrong if a row read back gave another verdict, or if the command gave another row:
// tests/proofs_check/rows/verdict_rows_test.cpp, tests/experiments/verify/verify_command_test.cpp.
#pragma once

#include <istream>
#include <string>

#include "proofs_check/run.hpp"
#include "sim/json.hpp"

namespace skt {

// "socketlab verify --only S002-L9 --profile standard --seed 1": makes the same row, to the byte.
std::string command_of(const StatementResult& result);

Json to_row(const StatementResult& result);

// Reads a row; verdicts are those written in it. InputError says which field is missing or of the wrong type.
StatementResult from_row(const Json& row);

// A line of a verdicts.jsonl.
struct VerdictRow {
  std::size_t line = 0;
  Json json{};
  StatementResult result{};
};

// InputError with the number of the line for one that is no row or that `accept` refuses, and for an id that appears
// twice; also for a file without rows. `name` is how messages call the file.
std::vector<VerdictRow> read_rows(std::istream& lines, const std::string& name,
                                  const std::function<void(const StatementResult&)>& accept = {});

// The same result with every verdict judged anew from the evidence.
StatementResult rejudged(StatementResult result);

}  // namespace skt
