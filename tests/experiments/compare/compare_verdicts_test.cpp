#include "experiments/compare/compare_verdicts.hpp"

#include <sstream>

#include "proofs_check/evidence.hpp"
#include "proofs_check/rows/verdict_rows.hpp"
#include "tests/catch.hpp"
#include "tests/experiments/refusal.hpp"

using namespace skt;

namespace {

// 300 hits of 1000: an interval around 0.3 of a width below 0.2. A sum of 3, known up to 0.25.
std::vector<StatementResult> before() {
  StatementResult s1{.statement = {.id = "S1"}, .verdict = Verdict::not_refuted},
      s2{.statement = {.id = "S2"}, .verdict = Verdict::refuted};
  s1.evidence = {exact({"I-ONE", "x"}, 3, at_most(4, 0.25)),
                 frequency({"I-TWO", "share"}, 300, 1000, at_most(0.5), {1e-4, 1})};
  s1.mutants = {{"a lie", s1.evidence, Verdict::refuted}};
  s1.controls = {{"the truth", {}, Verdict::not_refuted}};
  s2.statement.expected = Verdict::refuted;
  return {s1, s2};
}

using Lines = std::vector<std::string>;

// "! kind: where: what" of each difference.
Lines differences(const std::vector<StatementResult>& first, const std::vector<StatementResult>& second) {
  Lines lines;
  for (const Difference& d : compare_verdicts(first, second).differences)
    lines.push_back((d.weight == Weight::worse ? "! " : "  ") + d.kind + ": " + d.where + ": " + d.what);
  return lines;
}

Evidence frequency_of(std::uint64_t hits) {
  return frequency({"I-TWO", "share"}, hits, 1000, at_most(0.5), {1e-4, 1});
}

}  // namespace

TEST_CASE("A run does not differ from itself, and everything that has a verdict is compared", "[unit]") {
  const RunComparison comparison = compare_verdicts(before(), before());

  CHECK(comparison.differences.empty());
  CHECK(comparison.compared == 4);  // two statements, a mutant, a control
}

TEST_CASE("Lies that one run left out have not vanished, and the rest is compared", "[unit]") {
  auto without = before();
  for (StatementResult& row : without) row.mutants.clear(), row.origin.mutants = Mutants::left_out;
  const Lines told{"  lies: planted lies: left out of one run, so not compared"};

  CHECK(differences(before(), without) == told);
  CHECK(differences(without, before()) == told);
  CHECK(differences(without, without).empty());
  CHECK(compare_verdicts(before(), without).compared == 3);  // two statements, a control

  without[0].controls[0].verdict = Verdict::refuted;
  CHECK(differences(before(), without).size() == 2);
}

TEST_CASE("A verdict that changed is worse where it was as expected, and told otherwise", "[unit]") {
  auto after = before();
  after[0].verdict = Verdict::inconclusive;
  CHECK(differences(before(), after) ==
        Lines{"! verdict: S1: not-refuted (expected not-refuted), then inconclusive (expected not-refuted)"});
  CHECK(differences(after, before()) ==
        Lines{"  verdict: S1: inconclusive (expected not-refuted), then not-refuted (expected not-refuted)"});

  after = before();
  after[0].mutants[0].verdict = Verdict::not_refuted;
  after[1].verdict = after[1].statement.expected = Verdict::not_refuted;  // another list, which expects what comes out
  CHECK(differences(before(), after) ==
        Lines{"! verdict: S1, planted lie \"a lie\": refuted (expected refuted), then not-refuted (expected refuted)",
              "  verdict: S2: refuted (expected refuted), then not-refuted (expected not-refuted)"});
}

TEST_CASE("A verdict that was wrong and is otherwise wrong now is told", "[unit]") {
  auto wrong = before(), otherwise = before();
  wrong[0].verdict = Verdict::inconclusive;
  otherwise[0].verdict = Verdict::refuted;
  CHECK(differences(wrong, otherwise) ==
        Lines{"  verdict: S1: inconclusive (expected not-refuted), then refuted (expected not-refuted)"});
}

TEST_CASE("Intervals that no longer meet are found, also at another seed, and those that overlap are not", "[unit]") {
  auto after = before();
  after[0].origin.seed = 2;
  after[0].evidence[1] = frequency_of(330);
  CHECK(differences(before(), after).empty());

  after[0].evidence[1] = frequency_of(450);
  const Lines found = differences(before(), after);
  REQUIRE(found.size() == 1);
  CHECK(found[0].starts_with("! interval: S1: share on I-TWO: [0.24"));
  CHECK(found[0].find("], then [0.38") != std::string::npos);
  CHECK(differences(after, before()).size() == 1);
}

TEST_CASE("Numbers without chance may differ by their errors, and are compared of the same draws only", "[unit]") {
  const auto with = [](double value, std::uint64_t seed, Profile profile) {
    auto list = before();
    list[0].evidence[0] = exact({"I-ONE", "x"}, value, at_most(4, 0.25));
    list[0].origin.seed = seed;
    list[0].origin.profile = profile;
    return list;
  };
  const auto count = [&](double value, std::uint64_t seed, Profile profile) {
    return differences(with(3, 1, Profile::smoke), with(value, seed, profile)).size();
  };
  CHECK(count(3.5, 1, Profile::smoke) == 0);  // 0.25 on either side
  CHECK(count(3.5625, 1, Profile::smoke) == 1);
  CHECK(count(2.4375, 1, Profile::smoke) == 1);
  CHECK(count(3.5625, 2, Profile::smoke) == 0);
  CHECK(count(3.5625, 1, Profile::standard) == 0);
}

TEST_CASE("Evidence that vanished between runs of the same draws is worse", "[unit]") {
  auto after = before();
  after[0].evidence.pop_back();
  after[0].mutants[0].evidence[0].quantity = "y";
  CHECK(differences(before(), after) ==
        Lines{"! vanished: S1: share on I-TWO", "! vanished: S1, planted lie \"a lie\": x on I-ONE"});

  after[0].origin.seed = 2;
  CHECK(differences(before(), after).empty());
}

TEST_CASE("What vanished is worse, and what came is told where it is as expected", "[unit]") {
  auto after = before();
  after[0].mutants[0].name = "a smaller lie";
  after[0].controls.clear();
  after[1].statement.id = "S3";

  CHECK(differences(before(), after) == Lines{"! vanished: S1, planted lie \"a lie\": it was refuted",
                                              "! vanished: S1, control \"the truth\": it was not-refuted",
                                              "! vanished: S2: it was refuted",
                                              "  new: S1, planted lie \"a smaller lie\": refuted (expected refuted)",
                                              "  new: S3: refuted (expected refuted)"});
  after[1].verdict = Verdict::inconclusive;
  CHECK(differences(before(), after).back() == "! new: S3: inconclusive (expected refuted)");
}

TEST_CASE("A file to compare whose lines are no rows of verdicts is refused with the number of the line", "[unit]") {
  const std::string good = to_row(before()[0]).dump() + "\n";
  const auto refused = [](const std::string& text) {
    return refusal([&] {
      std::istringstream lines(text);
      read_verdicts(lines, "a.jsonl");
    });
  };
  CHECK(refused(good).empty());
  CHECK(refused("") == "a.jsonl: no rows; allowed is a file that verify wrote");
  CHECK(refused(good + good) == "a.jsonl, line 2: S1 appears a second time");
  for (const std::string bad : {"{", "[]", "x,y", "{\"id\": 3}"})
    CHECK(refused(good + bad).starts_with("a.jsonl, line 2: "));
}
