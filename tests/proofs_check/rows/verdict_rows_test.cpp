#include "proofs_check/rows/verdict_rows.hpp"

#include <cmath>
#include <limits>

#include "proofs_check/evidence.hpp"
#include "sim/require.hpp"
#include "tests/catch.hpp"

using namespace skt;

namespace {

StatementResult example() {
  return {.id = "S002-X",
          .title = "A title with \"quotes\" and an umlaut \u00fc",
          .source = "paper, Lemma 0",
          .kind = Kind::high_probability,
          .scope = "d >= 2",
          .remark = "none",
          .evidence = {exact({"I-ONE", "x"}, 0.1, equals(1.0 / 3, 0.3)),
                       supremum({"I-TWO", "left over right"}, 0.1 + 0.2, 1e-16, 7, 5)},
          .verdict = Verdict::not_refuted,
          .mutants = {{"2 -> 1", {exact({"I-ONE", "x"}, 5e-324, at_least(1))}, Verdict::refuted}}};
}

}  // namespace

TEST_CASE("A row read back is the row that was written", "[unit]") {
  const auto row = to_row(example());

  const auto read = from_row(nlohmann::ordered_json::parse(row.dump()));

  CHECK(to_row(read).dump() == row.dump());
  CHECK(read.evidence[1].observed.lo == 0.1 + 0.2);
  CHECK(read.mutants[0].evidence[0].observed.lo == 5e-324);
}

TEST_CASE("A verdict is recomputed from its row alone", "[unit]") {
  auto row = to_row(example());
  row["verdict"] = "refuted";
  row["mutants"][0]["verdict"] = "inconclusive";

  const StatementResult again = rejudged(from_row(row));

  CHECK(again.verdict == Verdict::not_refuted);
  CHECK(again.mutants[0].verdict == Verdict::refuted);
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

TEST_CASE("Every name reads back as its value", "[unit]") {
  for (const Verdict v : {Verdict::refuted, Verdict::not_refuted, Verdict::inconclusive})
    CHECK(verdict_named(name_of(v)) == v);
  for (const Kind k :
       {Kind::identity, Kind::inequality, Kind::expectation, Kind::high_probability, Kind::limit, Kind::ordering})
    CHECK(kind_named(name_of(k)) == k);
  for (const Relation r : {Relation::equal, Relation::at_most, Relation::at_least})
    CHECK(relation_named(name_of(r)) == r);
  for (const Profile p : {Profile::smoke, Profile::standard, Profile::deep}) CHECK(profile_named(name_of(p)) == p);
}
