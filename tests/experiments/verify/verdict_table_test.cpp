#include "experiments/verify/verdict_table.hpp"

#include "proofs_check/evidence.hpp"
#include "tests/catch.hpp"

using namespace skt;

namespace {

StatementResult kept(const std::string& id) {
  StatementResult result{.statement = {.id = id, .title = "one", .source = "paper", .wording = Wording::reading}};
  result.verdict = Verdict::not_refuted;
  result.evidence = {exact({"I-ONE", "x"}, 1.5, at_most(2, 0.25))};
  return result;
}

StatementResult refuted_as_expected(const std::string& id) {
  StatementResult result = kept(id);
  result.verdict = result.statement.expected = Verdict::refuted;
  result.evidence = {exact({"I-ONE", "x"}, 1.5, at_most(1, 0.25))};
  return result;
}

}  // namespace

TEST_CASE("The table marks what is not as expected and names the lie that survived", "[unit]") {
  StatementResult bad = kept("S2"), worse = kept("S3");
  bad.mutants = {{.name = "a lie", .verdict = Verdict::inconclusive}};
  worse.controls = {{.name = "the truth", .verdict = Verdict::refuted}};

  const std::string table = verdict_table({kept("S1"), bad, worse, refuted_as_expected("S4")});

  CHECK(table ==
        "  id  words    verdict       expected         lies  title\n"
        "  S1  reading  not-refuted   not-refuted       0/0  one\n"
        "! S2  reading  not-refuted   not-refuted       0/1  one\n"
        "      planted lie \"a lie\" is inconclusive\n"
        "! S3  reading  not-refuted   not-refuted       0/0  one\n"
        "      control \"the truth\" is refuted\n"
        "  S4  reading  refuted       refuted           0/0  one\n"
        "      x = 1.5, claimed <= 1 +- 0.2 (I-ONE)\n"
        "4 statements: 3 not refuted, 1 refuted, 0 inconclusive; 2 not as expected\n"
        "0 of 1 planted lies (false variants) refuted; 0 of 1 controls (true ones) passed\n");
}

TEST_CASE("Lies that were left out are not counted as none of none", "[unit]") {
  StatementResult one = kept("S1");
  one.origin.mutants = Mutants::left_out;
  one.controls = {{.name = "the truth", .verdict = Verdict::not_refuted}};

  CHECK(verdict_table({one}) ==
        "  id  words    verdict       expected         lies  title\n"
        "  S1  reading  not-refuted   not-refuted         -  one\n"
        "1 statements: 1 not refuted, 0 refuted, 0 inconclusive; 0 not as expected\n"
        "planted lies left out; 1 of 1 controls (true ones) passed\n");
}

TEST_CASE("Below the table stand the bounds that hold and say nothing at any of their settings", "[unit]") {
  StatementResult always = kept("S1"), once = kept("S2");
  always.evidence[0].bound_over_trivial = 2;
  once.evidence[0].bound_over_trivial = 2;
  once.evidence.push_back(once.evidence[0]);
  once.evidence[1].bound_over_trivial = 0.5;

  const std::string table = verdict_table({always, once, kept("S3")});

  CHECK(table.ends_with(
      "\n1 hold but say nothing at their settings, because the bound is no smaller than the trivial one: S1\n"));
}

TEST_CASE("A machine gets a case for each statement, failed with its lines in full", "[unit]") {
  StatementResult bad = kept("S2");
  bad.statement.title = std::string(200, 't');
  bad.mutants = {{.name = "a lie", .verdict = Verdict::inconclusive}};

  const std::vector<Outcome> outcomes = outcomes_of({kept("S1"), bad, refuted_as_expected("S3")});

  REQUIRE(outcomes.size() == 3);
  CHECK(outcomes[0].group == "paper");
  CHECK(outcomes[0].name == "S1");
  CHECK(outcomes[0].state == OutcomeState::passed);
  CHECK(outcomes[1].state == OutcomeState::failed);
  CHECK(outcomes[1].text == "S2  reading  not-refuted   not-refuted       0/1  " + std::string(200, 't') +
                                "\n      planted lie \"a lie\" is inconclusive");
  CHECK(outcomes[2].state == OutcomeState::passed);  // expected to be refuted
}
