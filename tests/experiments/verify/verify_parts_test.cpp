#include "experiments/verify/verify_parts.hpp"

#include "experiments/verify/kill_matrix.hpp"
#include "experiments/verify/verify_command.hpp"
#include "proofs_check/statements.hpp"
#include "tests/experiments/parts/toy_parts.hpp"
#include "tests/numbers.hpp"

using namespace skt;
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

TEST_CASE("Faults in parts are noticed by the same statements, with the same evidence", "[unit]") {
  const std::vector<std::string> ids = {"S000-1", "S002-SRP", "S001-9"};  // exact, random, refuted without a fault
  std::vector<Statement> all = all_statements();
  std::erase_if(all, [&](const Statement& s) { return std::find(ids.begin(), ids.end(), s.id) == ids.end(); });
  REQUIRE(all.size() == ids.size());
  const FaultSettings settings{{3}, Profile::smoke};

  const std::vector<Part> parts = fault_parts(all, settings);
  const std::vector<FaultResult> in_parts = fault_results(all, settings, run_backwards(parts));
  const std::vector<FaultResult> whole = run_faults(all, settings);

  CHECK(parts.size() == 2);  // the statements that are not refuted
  REQUIRE(in_parts.size() == fault_names().size());
  std::string lines;
  for (std::size_t i = 0; i < whole.size(); ++i) {
    CHECK(in_parts[i].fault == fault_names()[i]);
    CHECK(verdict_lines(in_parts[i].noticed_by) == verdict_lines(whole[i].noticed_by));
    lines += verdict_lines(in_parts[i].noticed_by);
  }
  CHECK(lines.find("S000-1") != std::string::npos);
  CHECK(lines.find("S002-SRP") != std::string::npos);
  CHECK(lines.find("S001-9") == std::string::npos);
}

TEST_CASE("Asked until noticed, a fault has the row of the first statement that notices it", "[unit]") {
  const std::vector<Statement> all = all_statements();
  const FaultSettings settings{.seed = {3}, .profile = Profile::smoke, .ask = Ask::until_noticed};

  const std::vector<FaultResult> first = fault_results(all, settings, run_backwards(fault_parts(all, settings)));

  REQUIRE(first.size() == fault_names().size());
  for (std::size_t i = 0; i < first.size(); ++i) {
    const std::string fault = fault_names()[i];
    INFO(fault);
    CHECK(first[i].fault == fault);
    REQUIRE(first[i].noticed_by.size() == 1);
    CHECK(first[i].noticed_by.front().statement.id == asked_first(fault));
  }
  CHECK(verdict_lines(first[3].noticed_by) == verdict_lines(run_fault(all, "strict-sign", settings).noticed_by));
}

TEST_CASE("A fault whose first statement is missing or does not notice it is put to the others", "[unit]") {
  const FaultSettings settings{.seed = {3}, .profile = Profile::smoke, .ask = Ask::until_noticed};
  const auto who = [&](const std::vector<std::string>& ids) {
    std::vector<Statement> some = all_statements();
    std::erase_if(some, [&](const Statement& s) { return std::ranges::find(ids, s.id) == ids.end(); });
    const std::vector<FaultResult> faults = fault_results(some, settings, run_backwards(fault_parts(some, settings)));
    return faults.front().noticed_by.empty() ? "" : faults.front().noticed_by.front().statement.id;
  };

  CHECK(fault_names().front() == "no-scaling");
  CHECK(who({"S000-1", "S000-2", "S002-A2"}) == "S000-2");
  CHECK(who({"S000-1", "S002-A2"}) == "S002-A2");
  CHECK(who({"S000-1"}).empty());
}
