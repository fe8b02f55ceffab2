#include "proofs_check/rows/verdict_rows.hpp"

#include "proofs_check/evidence.hpp"
#include "tests/numbers.hpp"

using namespace skt;

namespace {

StatementResult example() {
  return {
      .statement =
          {.id = "S002-X",
           .title = "A title with \"quotes\" and an umlaut \u00fc",
           .source = "paper, Lemma 0",
           .wording = Wording::reading,
           .quote = "with probability at least 1 - delta",
           .kind = Kind::high_probability,
           .scope = "d >= 2",
           .chance = Chance::random,
           .no_near_mutant = "a yes or no",
           .severity = Severity::wrong_step,
           .remark = "none",
           .group = {.question = "Which?", .notes = "a\n b", .method = "By sums.", .power = "Exact.", .area = "snr"},
           .place = "proofs_check/statements/snr/which.cpp:7"},
      .evidence = {exact({"I-ONE", "x"}, 0.1, equals(1.0 / 3, 0.3)),
                   supremum({"I-TWO", "left over right"}, 0.1 + 0.2, 1e-16, 7, 5)},
      .verdict = Verdict::not_refuted,
      .mutants = {{"2 -> 1", {exact({"I-ONE", "x"}, 5e-324, at_least(1))}, Verdict::refuted}},
      .controls = {{"2 for 1", {exact({"I-ONE", "x"}, 1, at_least(1))}, Verdict::not_refuted}},
      .origin = {"1.2.3", "0123456789abcdef", 7, Profile::deep, "wrong-ties"}};
}

}  // namespace

TEST_CASE("A row read back is the row that was written", "[unit]") {
  const auto row = to_row(example());

  const auto read = from_row(Json::parse(row.dump()));

  CHECK(to_row(read).dump() == row.dump());
  CHECK(read.evidence[1].observed.lo == 0.1 + 0.2);
  CHECK(read.mutants[0].evidence[0].observed.lo == 5e-324);
  CHECK(read.statement.wording == Wording::reading);
  CHECK(read.statement.quote == "with probability at least 1 - delta");
  CHECK(read.statement.chance == Chance::random);
  CHECK(read.statement.severity == Severity::wrong_step);
  CHECK(read.statement.no_near_mutant == "a yes or no");
  CHECK(read.controls[0].name == "2 for 1");
  CHECK(read.origin == example().origin);
}

TEST_CASE("A row says where its statement stands and how its group measures, and is read without it too", "[unit]") {
  auto row = to_row(example());

  CHECK(row["area"] == "snr");
  CHECK(row["place"] == "proofs_check/statements/snr/which.cpp:7");
  CHECK(row["question"] == "Which?");
  CHECK(row["notes"] == "a\n b");
  CHECK(row["method"] == "By sums.");
  CHECK(row["power"] == "Exact.");
  CHECK(from_row(row).statement.group.method == "By sums.");

  row.erase("method");
  row.erase("place");
  CHECK(from_row(row).statement.group.method.empty());
  row["method"] = 3;
  CHECK_THROWS_AS(from_row(row), InputError);
}

TEST_CASE("A row says the command that makes it again", "[unit]") {
  StatementResult result = example();
  CHECK(to_row(result)["command"] == "socketlab verify --only S002-X --profile deep --seed 7 --fault wrong-ties");

  result.origin.fault = "";

  CHECK(to_row(result)["command"] == "socketlab verify --only S002-X --profile deep --seed 7");
}

TEST_CASE("A row says which factors its evidence refutes, and whether a lie is near", "[unit]") {
  StatementResult result = example();
  result.evidence = {exact({"I-ONE", "x"}, 3, at_most(4)), exact({"I-ONE", "y"}, 3, at_least(2))};

  const auto far = to_row(result);
  result.mutants = {{"2 -> 1.9", {exact({"I-ONE", "x"}, 2, at_most(1.9))}, Verdict::refuted}};

  CHECK(far["refuted_factors"]["below"] == 0.75);
  CHECK(far["refuted_factors"]["above"] == 1.5);
  CHECK(far["near_mutant"] == false);
  CHECK(far["why_no_near_mutant"] == "a yes or no");
  CHECK(to_row(result)["near_mutant"] == true);
  CHECK(to_row(result)["why_no_near_mutant"].get<std::string>().empty());
}

TEST_CASE("A row counts the settings where a bound says nothing, where it is known of any", "[unit]") {
  StatementResult result = example();
  CHECK_FALSE(to_row(result).contains("bound_settings"));

  result.evidence[0].bound_over_trivial = 3;
  result.evidence[1].bound_over_trivial = 0.5;

  CHECK(to_row(result)["bound_settings"] == Json::parse(R"({"vacuous":1,"of":2})"));
}

TEST_CASE("A verdict is recomputed from its row alone", "[unit]") {
  auto row = to_row(example());
  row["verdict"] = "refuted";
  row["mutants"][0]["verdict"] = "inconclusive";
  row["controls"][0]["verdict"] = "refuted";

  const StatementResult again = rejudged(from_row(row));

  CHECK(again.verdict == Verdict::not_refuted);
  CHECK(again.mutants[0].verdict == Verdict::refuted);
  CHECK(again.controls[0].verdict == Verdict::not_refuted);
}

TEST_CASE("A number that is not finite is written as null and stays inconclusive", "[unit]") {
  StatementResult result = example();
  result.evidence[0].observed.hi = std::numeric_limits<double>::infinity();
  result.verdict = judge(result.evidence);

  const auto row = to_row(result);
  const StatementResult again = rejudged(from_row(row));

  CHECK(row["evidence"][0]["observed"][1].is_null());
  CHECK(result.verdict == Verdict::inconclusive);
  CHECK(again.verdict == Verdict::inconclusive);
  CHECK(std::isnan(again.evidence[0].observed.hi));
}

TEST_CASE("A row without the lies says so, and its command leaves them out", "[unit]") {
  StatementResult result{.statement = {.id = "S1"}, .origin = {.seed = 3, .profile = Profile::smoke}};
  CHECK_FALSE(to_row(result)["made_by"].contains("mutants"));
  result.origin.mutants = Mutants::left_out;
  const auto row = to_row(result);

  CHECK(row["made_by"]["mutants"] == "left out");
  CHECK(row["command"] == "socketlab verify --only S1 --profile smoke --seed 3 --no-lies");
  CHECK(row["near_mutant"] == false);
  CHECK(row["why_no_near_mutant"] == "The planted lies were left out of this run.");
  CHECK(from_row(row).origin == result.origin);

  auto other = row;
  other["made_by"]["mutants"] = "some";
  CHECK_THROWS_WITH(from_row(other),
                    Catch::Matchers::ContainsSubstring("mutants is \"some\": allowed is \"left out\""));
}

TEST_CASE("No number that is not finite is read as one that decides", "[mutant]") {
  // Each would be not refuted with 0 in the place of what is not finite.
  const Observed x{"I-ONE", "x"};
  Evidence wide = exact(x, 1, at_most(2)), uncertain = wide;
  wide.resolution = kInfinity;
  uncertain.claimed_error = kInfinity;
  for (const Evidence& one : {exact(x, kInfinity, at_most(1)), exact(x, 1, at_least(-kInfinity)),
                              exact(x, std::nan(""), equals(0)), wide, uncertain}) {
    StatementResult result = example();
    result.evidence = {one};

    CHECK(rejudged(from_row(to_row(result))).verdict == Verdict::inconclusive);
  }
}

TEST_CASE("The summary at the top is the worst piece of evidence", "[unit]") {
  const auto row = to_row(example());

  CHECK(row["instance"] == "I-ONE");
  CHECK(row["claimed"] == 1.0 / 3);
  CHECK(row["verdict"] == "not-refuted");
  CHECK(row["expected"] == "not-refuted");
  CHECK(row["as_expected"] == true);
}

TEST_CASE("A row without a field, or with an unknown verdict, is refused", "[unit]") {
  auto missing = to_row(example());
  missing.erase("evidence");
  auto unknown = to_row(example());
  unknown["verdict"] = "proved";

  CHECK_THROWS_AS(from_row(missing), InputError);
  CHECK_THROWS_AS(from_row(unknown), InputError);
}
