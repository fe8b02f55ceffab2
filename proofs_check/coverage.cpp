#include "proofs_check/coverage.hpp"

#include <fmt/format.h>

#include "proofs_check/statements.hpp"

namespace skt {
namespace {

// One line an entry, sorted by id.
const std::vector<CoverageEntry> kNoStatement{
    {"S001-10", "\"50-32 tables\" for 10% density", "document 001, experimental setup", CoverageState::not_checkable,
     "a misprint of the 50-52 in document 000; the numbers come from a language model"},
    {"S002-TAB6", "Settings of the experiments: P = 8 or 10 to 12, L = 60, tau = .3 to .7", "paper, Table 6",
     CoverageState::not_checkable,
     "choices of the authors, not claims; statements on the problem in use (problem_in_use.hpp) use them, and "
     "S002-MEM compares the memory that they cost with Table 1"},
};

}  // namespace

std::string name_of(CoverageState state) {
  switch (state) {
    case CoverageState::checked:
      return "checked";
    case CoverageState::definition:
      return "definition";
    case CoverageState::not_checkable:
      return "not-checkable";
  }
  return "?";
}

std::vector<CoverageEntry> coverage() {
  std::vector<CoverageEntry> list;
  for (const Statement& s : all_statements()) {
    const std::string words = s.quote.empty() ? "" : fmt::format("\"{}\"", s.quote);
    list.push_back({s.id, s.title, s.source, CoverageState::checked, words, s.wording});
  }
  list.insert(list.end(), kNoStatement.begin(), kNoStatement.end());
  return list;
}

}  // namespace skt
