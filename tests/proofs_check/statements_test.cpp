#include "proofs_check/statements.hpp"

#include <algorithm>
#include <fstream>
#include <iterator>

#include "proofs_check/rows/verdict_rows.hpp"
#include "tests/catch.hpp"
#include "tests/threads.hpp"

namespace skt {
#define SKT_GROUP(folder, name) std::vector<Statement> name##_statements();
#include "proofs_check/groups.def"
#undef SKT_GROUP
}  // namespace skt

using namespace skt;

namespace {

StatementResult with_fault(const std::string& fault, const std::string& id) {
  return run_statements(all_statements(), {.profile = Profile::smoke, .fault = fault, .only = {id}}).front();
}

std::string rows(const std::vector<std::string>& ids, int threads) {
  const Threads of_the_run(threads);
  std::string text;
  for (const StatementResult& r : run_statements(all_statements(), {.profile = Profile::smoke, .only = ids}))
    text += to_row(r).dump() + "\n";
  return text;
}

}  // namespace

TEST_CASE("Every statement says what it claims, and a true one has two lies to refute", "[statement]") {
  for (const Statement& s : all_statements()) {
    INFO(s.id);
    CHECK_FALSE(s.title.empty());
    CHECK_FALSE(s.source.empty());
    CHECK_FALSE(s.scope.empty());
    if (s.expected == Verdict::not_refuted) CHECK(s.mutants.size() >= 2);
    if (s.expected == Verdict::refuted) CHECK_FALSE(s.remark.empty());
  }
}

TEST_CASE("At smoke size every verdict is as expected and every mutant is refuted", "[statement][mutant]") {
  for (const StatementResult& r : run_statements(all_statements(), {.profile = Profile::smoke})) {
    INFO(to_row(r).dump(1));
    CHECK(as_expected(r));
  }
}

TEST_CASE("Each planted fault of the estimators refutes a named statement", "[statement][mutant]") {
  const std::vector<std::pair<std::string, std::vector<std::string>>> noticed_by = {
      {"no-scaling", {"S000-2", "S002-POP", "S002-Q4"}},
      {"little-endian", {"S000-2", "S002-A2b", "S002-POP"}},
      {"reused-table", {"S002-A1-tables", "S002-Q3", "S002-L9-law"}},
      {"strict-sign", {"S000-1"}},
      {"wrong-normaliser", {"S002-E15", "S002-A1-tables", "S000-4"}},
      {"wrong-ties", {"S000-6"}},
      {"uniform-planes", {"S002-SRP", "S002-POP", "S002-Q4"}},
  };
  REQUIRE(noticed_by.size() == fault_names().size());

  for (const auto& [fault, ids] : noticed_by) {
    for (const std::string& id : ids) {
      INFO(fault << " " << id);
      CHECK(with_fault(fault, id).verdict == Verdict::refuted);
    }
  }
}

TEST_CASE("A statement takes at most 150 lines of its file", "[unit]") {
  std::vector<std::pair<std::string, Index>> groups;
#define SKT_GROUP(folder, name) groups.emplace_back(#folder "/" #name, name##_statements().size());
#include "proofs_check/groups.def"
#undef SKT_GROUP

  for (const auto& [name, statements] : groups) {
    INFO(name);
    std::ifstream file(std::string(SKT_SOURCE_DIR) + "/proofs_check/statements/" + name + ".cpp");
    const auto lines = std::count(std::istreambuf_iterator<char>(file), {}, '\n');
    CHECK(lines > 0);
    CHECK(lines <= 150 * statements);
  }
}

TEST_CASE("The same verdict rows for 1, 2 and 16 threads", "[statement]") {
  const std::vector<std::string> ids = {"S002-SRP", "S002-Q4", "S002-L6d", "S002-E21", "S002-VAR", "S002-E39"};

  const std::string one = rows(ids, 1);

  CHECK(rows(ids, 2) == one);
  CHECK(rows(ids, 16) == one);
}
