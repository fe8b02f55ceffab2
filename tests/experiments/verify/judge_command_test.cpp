#include "experiments/verify/judge_command.hpp"

#include <nlohmann/json.hpp>
#include <sstream>

#include "experiments/verify/verify_command.hpp"
#include "proofs_check/evidence.hpp"
#include "proofs_check/rows/verdict_rows.hpp"
#include "sim/require.hpp"
#include "tests/catch.hpp"

using namespace skt;

namespace {

using Json = nlohmann::ordered_json;

// A row of each kind: exact and random evidence, a statement expected to be refuted.
std::vector<StatementResult> results() {
  StatementResult holds{.id = "S1", .verdict = Verdict::not_refuted};
  holds.evidence = {exact({"I-ONE", "x"}, 0.1, equals(0.1, 1e-9)),
                    frequency({"I-TWO", "share"}, 30, 100, at_most(0.5), {1e-4, 1})};
  holds.mutants = {{"a lie", {exact({"I-ONE", "x"}, 0.1, equals(0.2, 1e-9))}, Verdict::refuted}};
  StatementResult false_as_printed{.id = "S2", .verdict = Verdict::refuted, .expected = Verdict::refuted};
  false_as_printed.evidence = {exact({"I-ONE", "x"}, 3, at_most(2))};
  return {holds, false_as_printed};
}

Judgement judged(const std::string& text) {
  std::istringstream rows(text);
  return judge_rows(rows, "verdicts.jsonl");
}

// The text of the file after one value of the first row was replaced.
std::string altered(const std::string& pointer, const Json& value) {
  Json row = to_row(results()[0]);
  row[Json::json_pointer(pointer)] = value;
  return row.dump() + "\n";
}

}  // namespace

TEST_CASE("Verdicts that follow from their evidence meet no objection", "[unit]") {
  const Judgement judgement = judged(verdict_lines(results()));

  CHECK(judgement.objections.empty());
  CHECK(judgement.statements == 2);
  CHECK(judgement.mutants == 1);
  CHECK(judgement.error_spent == 1e-4);
}

TEST_CASE("One altered interval, verdict, claim or summary meets an objection", "[unit]") {
  for (const auto& [pointer, value] :
       std::vector<std::pair<std::string, Json>>{{"/evidence/0/observed", {0.2, 0.2}},
                                                 {"/evidence/0/observed/0", nullptr},
                                                 {"/evidence/1/observed", {0.51, 0.52}},
                                                 {"/evidence/1/trials_in_scope", 0},
                                                 {"/mutants/0/evidence/0/observed", {0.2, 0.2}},
                                                 {"/evidence/0/claimed", 0.11},
                                                 {"/verdict", "refuted"},
                                                 {"/expected", "refuted"},
                                                 {"/mutants/0/verdict", "not-refuted"},
                                                 {"/as_expected", false},
                                                 {"/observed", {0, 1}},
                                                 {"/evidence/1/error_share", 2e-3}}) {
    INFO(pointer);
    CHECK_FALSE(judged(altered(pointer, value)).objections.empty());
  }
}

TEST_CASE("Lines that are no rows of verdicts are refused with their number", "[unit]") {
  const std::string good = to_row(results()[1]).dump() + "\n";

  for (const std::string& bad : {std::string("{\"id\": \"S1\""),
                                 std::string("[]"),
                                 std::string("null"),
                                 std::string("\n"),
                                 std::string("NaN"),
                                 good.substr(0, good.size() / 2),
                                 altered("/evidence", "x"),
                                 altered("/evidence", nullptr),
                                 altered("/evidence", Json::object()),
                                 altered("/evidence/0/observed", 0.1),
                                 altered("/evidence/0/observed", Json::array({0.1})),
                                 altered("/evidence/0/claimed", "0.1"),
                                 altered("/evidence/0/claimed", true),
                                 altered("/evidence/0/trials", -1),
                                 altered("/evidence/0/trials", 0.5),
                                 altered("/evidence/0/relation", "<"),
                                 altered("/verdict", "proved"),
                                 altered("/mutants", 3),
                                 altered("/mutants/0", Json::array()),
                                 altered("/id", 7),
                                 good}) {
    INFO(bad);
    try {
      judged(good + bad);
      FAIL("accepted");
    } catch (const InputError& error) {
      CHECK(std::string(error.what()).find("verdicts.jsonl, line 2: ") == 0);
    }
  }
  CHECK_THROWS_AS(judged(""), InputError);
  CHECK_THROWS_AS(run_judge("/no such file"), InputError);
}
