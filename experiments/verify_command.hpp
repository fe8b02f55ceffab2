// socketlab verify: which statements hold, and is every planted lie refuted?
#pragma once

#include <string>
#include <vector>

#include "proofs_check/coverage.hpp"
#include "proofs_check/run.hpp"

namespace skt {

struct VerifyOptions {
  std::vector<std::string> only{};  // ids; empty: all
  std::string profile = "standard";
  std::string fault{};  // a planted fault of the estimators, which some statement must notice
  std::uint64_t seed = 1;
  std::string out = "results";
};

// Runs the statements, prints the table to stdout and writes verdicts.jsonl, kill_matrix.csv and
// provenance.json to `out`.
// Returns kAsExpected if every verdict is the expected one and every mutant is refuted, else kNotAsExpected.
int run_verify(const VerifyOptions& options);

// The lines of the table and of verdicts.jsonl, as text.
std::string verdict_table(const std::vector<StatementResult>& results);
std::string verdict_lines(const std::vector<StatementResult>& results);

// id, state, title and source of every entry of the sources, with what defines it or why it cannot be checked
// here.
std::string coverage_list(const std::vector<CoverageEntry>& entries);

}  // namespace skt
