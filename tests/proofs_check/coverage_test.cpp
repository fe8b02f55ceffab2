#include "proofs_check/coverage.hpp"

#include <filesystem>
#include <fstream>
#include <sstream>

#include "tests/numbers.hpp"

using namespace skt;

namespace {

std::string contents(const std::string& path) {
  std::ifstream file(std::filesystem::path(SKT_SOURCE_DIR) / path);
  REQUIRE(file.good());
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

std::vector<std::string> source_entries() {
  std::istringstream lines(contents("tests/proofs_check/source_entries.txt"));
  std::vector<std::string> ids;
  for (std::string id; std::getline(lines, id);) ids.push_back(id);
  return ids;
}

// "S004-9" covers itself and "S004-9-corrected".
bool covers(const std::string& id, const std::string& entry) {
  return id == entry || id.starts_with(entry + "-");
}

}  // namespace

TEST_CASE("Every entry of the sources is checked, defined by a test or listed with a reason", "[statement]") {
  const std::vector<CoverageEntry> list = coverage();

  for (const std::string& entry : source_entries()) {
    INFO(entry);
    CHECK(std::any_of(list.begin(), list.end(), [&](const CoverageEntry& c) { return covers(c.id, entry); }));
  }
}

TEST_CASE("No entry appears twice, and one that is in no source says that it is derived or proved here",
          "[statement]") {
  const std::vector<std::string> entries = source_entries();
  std::set<std::string> seen;

  for (const CoverageEntry& c : coverage()) {
    INFO(c.id);
    CHECK(seen.insert(c.id).second);
    const bool in_source =
        std::any_of(entries.begin(), entries.end(), [&](const std::string& e) { return covers(c.id, e); });
    CHECK((in_source || c.source.starts_with("derived") || c.source.starts_with("docs/bounds/")));
  }
}

TEST_CASE("A checked entry says whose words it judges, and stands with them", "[statement]") {
  for (const CoverageEntry& c : coverage()) {
    INFO(c.id);
    CHECK(c.wording.has_value() == (c.state == CoverageState::checked));
    if (c.state == CoverageState::checked) CHECK((c.detail.empty() || (c.detail.size() > 2 && c.detail[0] == '"')));
  }
}

TEST_CASE("A definition names a test that exists, an entry that cannot be checked a reason", "[statement]") {
  for (const CoverageEntry& c : coverage()) {
    INFO(c.id);
    if (c.state == CoverageState::not_checkable) CHECK(c.detail.size() > 20);
    if (c.state != CoverageState::definition) continue;
    const std::size_t colon = c.detail.find(": ");
    REQUIRE(colon != std::string::npos);
    CHECK(contents(c.detail.substr(0, colon)).find("TEST_CASE(\"" + c.detail.substr(colon + 2) + "\"") !=
          std::string::npos);
  }
}
