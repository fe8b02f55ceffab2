// socketlab judge: is a file of verdicts what this program's statements give?
//
// Nothing in the file is trusted: rows are compared with the compiled list, and what can be measured again in
// seconds is (row_objections.hpp). Of edits it lets pass only those of random counts and moments, together with
// the interval that follows from them, and these too where --rerun measures them again.
#pragma once

#include <istream>
#include <optional>
#include <string>
#include <vector>

#include "experiments/verify/row_objections.hpp"
#include "proofs_check/run.hpp"

namespace skt {

struct JudgeSettings {
  std::vector<Statement> all{};     // the compiled list
  std::string version{};            // of this program
  std::vector<std::string> only{};  // ids that the file should hold; empty: all
  std::optional<Rerun> rerun{};     // none: nothing is measured
};

struct Judgement {
  std::size_t statements = 0;
  std::size_t mutants = 0;
  std::size_t controls = 0;
  double error_spent = 0;  // sum of the error shares of all evidence
  // One line each, a row at most once: "line 7, S002-L9: expected: ..". None: the file is as this program makes it.
  std::vector<std::string> objections{};
};

// Judges the lines of a verdicts.jsonl. InputError with the number of the line for one that is no row of verdicts, for
// a row of another version or of another list of statements, for an id that appears twice, and for a file without rows.
// `name` is how messages call the file.
Judgement judge_rows(std::istream& lines, const std::string& name, const JudgeSettings& settings);

// Prints the judgement of a file. kAsExpected without objections, else kNotAsExpected.
int run_judge(const std::string& path, const JudgeSettings& settings);

}  // namespace skt
