// socketlab judge: do the verdicts of a file follow from its evidence?
#pragma once

#include <istream>
#include <string>
#include <vector>

namespace skt {

// What a file of verdicts says beside what its evidence gives.
struct Judgement {
  std::size_t statements = 0;
  std::size_t mutants = 0;
  double error_spent = 0;               // sum of the error shares of all evidence
  std::vector<std::string> objections;  // one line each; none: every verdict follows and is as expected
};

// Judges every statement and mutant anew from the lines of verdicts.jsonl and compares. InputError with the number of
// the line for one that is no row of verdicts, for an id that appears twice, and for a file without rows. `name` is how
// messages call the file.
Judgement judge_rows(std::istream& rows, const std::string& name);

// Prints the judgement of a file. kAsExpected without objections, else kNotAsExpected.
int run_judge(const std::string& path);

}  // namespace skt
