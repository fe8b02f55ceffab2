#include "experiments/verify/verify_parts.hpp"

#include <algorithm>
#include <set>

#include "experiments/verify/kill_matrix.hpp"
#include "experiments/verify/verify_command.hpp"
#include "proofs_check/statements.hpp"
#include "tests/catch.hpp"

using namespace skt;
using Json = nlohmann::ordered_json;

namespace {

// Each part runs on its own, last first; results as a journal gives them back.
std::vector<Json> run_backwards(const std::vector<Part>& parts) {
  std::vector<Json> results(parts.size());
  for (Index i = std::ssize(parts) - 1; i >= 0; --i) results[i] = Json::parse(parts[i].run().dump());
  return results;
}

}  // namespace

TEST_CASE("Statements in parts give the rows of statements run whole", "[unit]") {
  const std::vector<Statement> all = all_statements();
  // With and without chance, with controls and without.
  const RunSettings settings{.seed = {7}, .profile = Profile::smoke, .only = {"S002-EPS", "S002-SRP", "S002-E20"}};

  const std::vector<Part> parts = statement_parts(all, settings);
  const auto rows = statement_results(all, settings, run_backwards(parts));

  CHECK(verdict_lines(rows) == verdict_lines(run_statements(all, settings)));
  CHECK(kill_matrix(rows) == kill_matrix(run_statements(all, settings)));
}

TEST_CASE("Every measurement of every statement is a part with a name of its own and a weight", "[unit]") {
  const std::vector<Statement> all = all_statements();
  std::size_t expected = 0;
  for (const Statement& s : all) expected += 1 + s.mutants.size() + s.controls.size();

  std::set<std::string> names;
  for (const Part& part : statement_parts(all, {})) {
    names.insert(part.name);
    CHECK(part.weight > 0);
  }
  CHECK(names.size() == expected);
}

TEST_CASE("What a measurement throws reaches the row, and is a part that is not kept", "[unit]") {
  const Measure fails = [](const Context&) -> std::vector<Evidence> { throw std::runtime_error("no memory"); };
  const Measure nothing = [](const Context&) { return std::vector<Evidence>{}; };
  const std::vector<Statement> all{{.id = "S1", .measure = nothing, .mutants = {{"a lie", fails}}}};

  const std::vector<Json> results = run_backwards(statement_parts(all, {}));
  const auto rows = statement_results(all, {}, results);

  CHECK(!results[0].contains("failure"));
  CHECK(results[1].at("failure") == "no memory");
  CHECK(rows.front().failure == "no memory");
  CHECK(rows.front().failure == run_statements(all, {}).front().failure);
}

TEST_CASE("Faults in parts are noticed by the same statements", "[unit]") {
  std::vector<Statement> all = all_statements();
  std::erase_if(all, [](const Statement& s) { return s.id != "S000-1" && s.id != "S000-2"; });
  const FaultSettings settings{{3}, Profile::smoke};

  const std::string parts =
      fault_matrix(fault_results(all, settings, run_backwards(fault_parts(all, settings))), "command");

  CHECK(parts == fault_matrix(run_faults(all, settings), "command"));
  CHECK(parts.find("S000-1") != std::string::npos);
}
