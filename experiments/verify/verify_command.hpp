// socketlab verify: which statements hold, and is every planted lie refuted?
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "experiments/command/outcome_options.hpp"
#include "experiments/parts/run_parts.hpp"
#include "experiments/verify/kept_trials_rows.hpp"
#include "proofs_check/coverage.hpp"
#include "proofs_check/faults.hpp"
#include "proofs_check/run.hpp"

namespace skt {

struct VerifyOptions {
  std::vector<std::string> only{};  // ids; empty: all
  std::string profile = "standard";
  std::string fault{};  // a planted fault of the estimators, which some statement must notice
  std::uint64_t seed = 1;
  std::string out = "results-verify";
  bool force = false;
  bool no_lies = false;      // the planted lies are not measured
  bool keep_trials = false;  // trials.csv and laws.csv of the statements that keep their trials
  OutcomeOptions outcomes{};
};

// Runs the statements, prints the table to stdout and writes verdicts.jsonl, kill_matrix.csv and provenance.json to
// `out`. Returns kAsExpected if every result is as_expected (proofs_check/run.hpp), else kNotAsExpected; kAsExpected
// where another process assembles the results.
int run_verify(const VerifyOptions& options, const PartsOptions& how = {});

// Runs the statements once for each planted fault, prints who notices which and writes faults.csv and provenance.json.
// Of the options `only` and `fault` are not used. Returns kAsExpected if some statement notices each.
int run_all_faults(const VerifyOptions& options, const PartsOptions& how = {});

// What these do when all is measured, but for provenance.json: `reproduce` does both in one run.
int write_verdicts(const std::vector<StatementResult>& results, const std::filesystem::path& folder);
// trials.csv and laws.csv, where trials were kept.
void write_kept(const std::vector<KeptOf>& kept, const std::filesystem::path& folder);
int write_faults(const std::vector<FaultResult>& faults, const VerifyOptions& options, Ask ask = Ask::all);

// The program's version, the profile and the seed, and what else a statement needs. InputError for an unknown profile,
// fault or statement.
RunSettings settings_of(const VerifyOptions& options, const std::vector<Statement>& all);

// How long a deep run takes, from the seconds that a smoke and a standard run took: a fixed part, and one that grows
// with the trials.
double deep_seconds(double smoke, double standard);

// The lines of verdicts.jsonl, as text.
std::string verdict_lines(const std::vector<StatementResult>& results);

// id, state, wording, title and source of every entry of the sources; behind it the words that are judged, what defines
// it, or why it cannot be checked here.
std::string coverage_list(const std::vector<CoverageEntry>& entries);

}  // namespace skt
