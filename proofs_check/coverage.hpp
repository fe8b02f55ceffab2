// Is every statement of the five sources accounted for?
//
// Each is a checked statement (all_statements), or a definition with the test that fixes it, or not checkable here with
// the reason. tests/proofs_check/coverage_test.cpp compares the list with the table of all entries,
// tests/proofs_check/source_entries.txt: an entry left out, an unknown id or a test that does not exist fails there.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "proofs_check/statement.hpp"

namespace skt {

enum class CoverageState { checked, definition, not_checkable };

struct CoverageEntry {
  std::string id;  // "S004-9"; a statement that belongs to an entry adds to its id: "S004-9-corrected"
  std::string title;
  std::string source;  // "document 000, section 7"
  CoverageState state = CoverageState::checked;
  // Of a checked one the source's words, in quotes, if they are what is judged; of a definition "FILE: NAME" of the test
  // case; of the not checkable ones why.
  std::string detail;
  std::optional<Wording> wording{};  // of a checked one: whose words it judges
};

std::string name_of(CoverageState state);  // "checked", "definition", "not-checkable"

// The checked statements in the order of the report, then the entries that are no statement.
std::vector<CoverageEntry> coverage();

}  // namespace skt
