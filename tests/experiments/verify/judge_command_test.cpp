#include "experiments/verify/judge_command.hpp"

#include <functional>
#include <sstream>

#include "experiments/command/command.hpp"
#include "experiments/verify/verify_command.hpp"
#include "proofs_check/evidence.hpp"
#include "proofs_check/rows/verdict_rows.hpp"
#include "sim/require.hpp"
#include "tests/catch.hpp"
#include "tests/experiments/refusal.hpp"
#include "tests/json_places.hpp"

using namespace skt;

namespace {

// 300 hits of 1000 and a sum of 3, whatever the profile: claimed at most these.
Measure claims(double frequency_claim, double exact_claim) {
  return [=](const Context& context) -> std::vector<Evidence> {
    return {exact({"I-ONE", "x"}, 3, at_most(exact_claim, 1e-9)),
            frequency({"I-TWO", "share"}, 300, 1000, at_most(frequency_claim), {context.share(1), 1})};
  };
}
Measure claims_exactly(double value) {
  return [=](const Context&) -> std::vector<Evidence> { return {exact({"I-ONE", "x"}, 3, equals(value))}; };
}

std::vector<Statement> list_of_three() {
  return {{.id = "S1",
           .title = "a title",
           .source = "paper, Lemma 1",
           .quote = "at most 4",
           .scope = "all",
           .chance = Chance::random,
           .measure = claims(0.5, 4),
           .mutants = {{"a lie", claims(0.1, 4)}, {"another", claims(0.5, 2)}},
           .no_near_mutant = "a count",
           .remark = "a remark"},
          {.id = "S2",
           .wording = Wording::reading,
           .measure = claims_exactly(2),
           .controls = {{"3 for 2", claims_exactly(3)}},
           .expected = Verdict::refuted},
          {.id = "S3", .measure = claims_exactly(3)}};
}

JudgeSettings settings() {
  return {.all = list_of_three(), .version = "1.2.3", .rerun = Rerun{}};
}
JudgeSettings quick() {
  return {.all = list_of_three(), .version = "1.2.3"};
}
JudgeSettings in_full() {
  return {.all = list_of_three(), .version = "1.2.3", .rerun = Rerun{.share = 1}};
}

std::vector<StatementResult> results(std::uint64_t seed = 1) {
  return run_statements(list_of_three(), {.seed = {seed}, .profile = Profile::smoke, .version = "1.2.3"});
}

std::vector<std::string> objections(const std::string& text, const JudgeSettings& how = settings()) {
  std::istringstream rows(text);
  return judge_rows(rows, "verdicts.jsonl", how).objections;
}
std::vector<std::string> objections(const std::vector<StatementResult>& rows, const JudgeSettings& how = settings()) {
  return objections(verdict_lines(rows), how);
}

using Lines = std::vector<std::string>;

// The file after one value of a row was replaced, nothing else.
std::string altered(std::size_t row, const std::string& place, const Json& value) {
  std::string text;
  for (std::size_t i = 0; i < 3; ++i) {
    Json json = to_row(results()[i]);
    if (i == row) at_place(json, place) = value;
    text += json.dump() + "\n";
  }
  return text;
}

Json another(const Json& value) {
  if (value.is_boolean()) return !value.get<bool>();
  if (value.is_number_unsigned()) return value.get<std::uint64_t>() + 1;
  if (value.is_number()) return value.get<double>() * 1.25 + 0.125;
  return value.is_string() ? Json(value.get<std::string>() + "x") : Json(1);
}

// A file that is refused has its one line too.
std::size_t lines_about(const std::string& file, const JudgeSettings& how) {
  try {
    return objections(file, how).size();
  } catch (const InputError&) {
    return 1;
  }
}

}  // namespace

TEST_CASE("An estimate from many trials, which is one sample, meets no objection, and a wrong count of samples does",
          "[unit]") {
  const auto slope = [](const Context& context) -> std::vector<Evidence> {
    return {normal_estimate({"I-ONE", "slope"}, 3, 0.01, 30, at_most(9), {context.share(1), 1})};
  };
  JudgeSettings how = quick();
  how.all = {{.id = "S1", .scope = "all", .chance = Chance::random, .measure = slope}};
  auto rows = run_statements(how.all, {.seed = {1}, .profile = Profile::smoke, .version = "1.2.3"});

  CHECK(objections(rows, how).empty());
  CHECK(rows[0].evidence[0].trials == 30);

  rows[0].evidence[0].basis.samples.count = 29;
  CHECK(objections({rejudged(rows[0])}, how).size() == 1);
}

TEST_CASE("The file that verify wrote meets no objection, measured again or not", "[unit]") {
  for (const JudgeSettings& how : {quick(), settings(), in_full()}) CHECK(objections(results(), how).empty());

  std::istringstream rows(verdict_lines(results()));
  const Judgement judgement = judge_rows(rows, "verdicts.jsonl", quick());

  CHECK(judgement.statements == 3);
  CHECK(judgement.mutants == 2);
  CHECK(judgement.controls == 1);
  // Of the three measurements with chance each spends its third.
  CHECK(std::abs(judgement.error_spent - kStatementsError) <= 1e-12 * kStatementsError);
}

TEST_CASE("A file without the lies meets no objection, and rows that claim to have none and have one do", "[unit]") {
  const auto without = run_statements(
      settings().all,
      {.seed = {1}, .profile = Profile::smoke, .version = settings().version, .mutants = Mutants::left_out});
  for (const JudgeSettings& how : {quick(), settings(), in_full()}) CHECK(objections(without, how).empty());

  auto with_one = without;
  with_one[0].mutants.push_back(results()[0].mutants[0]);
  CHECK(objections(with_one, quick()) == Lines{"line 1, S1: mutants: 1 in the row, 0 in this program"});
  CHECK(objections({results()[0], without[1], without[2]}, quick()).size() == 2);
}

TEST_CASE("A file that is as measured, and whose verdicts are not as expected, meets an objection for each", "[unit]") {
  JudgeSettings how = settings();
  how.all[0].mutants[1].measure = claims(0.5, 4);  // no lie: not refuted
  how.all[1].controls[0].measure = claims_exactly(2);
  how.all[2].measure = claims_exactly(2);
  const auto rows = run_statements(how.all, {.seed = {1}, .profile = Profile::smoke, .version = "1.2.3"});
  const auto said = [](const std::string& row, const std::string& verdict) {
    return row + ": as_expected: false; expected are " + verdict +
           ", every planted lie refuted and every control not refuted";
  };

  CHECK(objections(rows, how) ==
        Lines{said("line 1, S1", "not-refuted"), said("line 2, S2", "refuted"), said("line 3, S3", "not-refuted")});
}

TEST_CASE("Every value of a row that is replaced is found, in one line", "[unit]") {
  for (std::size_t row = 0; row < 3; ++row) {
    Json whole = to_row(results()[row]);
    for (const std::string& place : places_of(whole)) {
      INFO("row " << row << ", " << place);
      const std::string file = altered(row, place, another(at_place(whole, place)));
      // How many trials stand beside an exact number of a statement with chance: as --help says.
      const bool unnoticed = row == 0 && place.find("/evidence/0/trials") != std::string::npos;

      CHECK(lines_about(file, in_full()) >= 1);
      if (!unnoticed) CHECK(lines_about(file, settings()) >= 1);
      if (place != "/id" && row > 0) CHECK(lines_about(file, settings()) == 1);
    }
  }
}

TEST_CASE("A file of some statements is judged by their ids", "[unit]") {
  JudgeSettings some = settings();
  some.only = {"S1", "S3"};

  CHECK(objections({results()[0], results()[2]}, some).empty());
  CHECK(objections({results()[0]}, some).size() == 1);
}

TEST_CASE("An edit that leaves rows consistent is found in one line, some by measuring again alone", "[unit]") {
  using Rows = std::vector<StatementResult>;
  enum class Found { at_once, measured_again, measured_in_full };
  const std::vector<std::tuple<Found, std::string, std::function<void(Rows&)>>> edits = {
      // rows that are cut, lack one, or have one too many, out of order or of another run
      {Found::at_once, "after the last row: id: expected is S3", [](Rows& r) { r.pop_back(); }},
      {Found::at_once, "after the last row: id: expected is S2", [](Rows& r) { r = {r[0]}; }},
      {Found::at_once, "line 2, S3: id: expected is S2", [](Rows& r) { r = {r[0], r[2]}; }},
      {Found::at_once, "line 4, S4: id: expected is no further row",
       [](Rows& r) {
         r.push_back(r[2]);
         r[3].statement.id = "S4";
       }},
      {Found::at_once, "line 1, S2: id: expected is S1", [](Rows& r) { std::swap(r[0], r[1]); }},
      {Found::at_once, "line 2, S2: made_by: not the run of the first row", [](Rows& r) { r[1] = results(2)[1]; }},
      // what a statement says
      {Found::at_once, "line 1, S1: mutants: 1 in the row, 2 in this program",
       [](Rows& r) { r[0].mutants.erase(r[0].mutants.begin()); }},
      {Found::at_once, "line 1, S1: mutants: 1 in the row, 2 in this program",
       [](Rows& r) { r[0].mutants.pop_back(); }},
      {Found::at_once, "line 2, S2: controls: 0 in the row, 1 in this program", [](Rows& r) { r[1].controls.clear(); }},
      {Found::at_once, "line 2, S2: expected: \"not-refuted\" in the row, \"refuted\" in this program",
       [](Rows& r) { r[1].statement.expected = Verdict::not_refuted; }},
      // intervals that do not follow from their counts
      {Found::at_once, "line 1, S1: evidence/1/observed: [..", [](Rows& r) { r[0].evidence[1].observed.hi = 0.31; }},
      {Found::at_once, "line 1, S1: mutants/0/evidence/1/observed: [..",
       [](Rows& r) { r[0].mutants[0].evidence[1].basis.hits = 290; }},
      {Found::at_once, "line 1, S1: ..", [](Rows& r) { r[0].evidence[1].basis.hits = 1001; }},
      // what no measurement gives
      {Found::at_once, "line 3, S3: failure: out of memory", [](Rows& r) { r[2].failure = "out of memory"; }},
      {Found::at_once, "line 1, S1: evidence/1/trials: 2000 in the row, 1000 by its basis",
       [](Rows& r) { r[0].evidence[1].trials = 2000; }},
      {Found::at_once, "line 1, S1: evidence/1/trials: fewer than trials_in_scope",
       [](Rows& r) { r[0].evidence[1].trials_in_scope = 2000; }},
      {Found::at_once, "line 1, S1: evidence: error shares of 0.000333333, allowed are 0.000166667",
       [](Rows& r) {
         Evidence& e = r[0].evidence[1];
         e.error_share *= 2;
         e.observed = interval_of(e.basis, e.error_share);
       }},
      // claims, and observations without chance
      {Found::measured_again, "line 3, S3: claimed_error: 1.0 in the row, 0.0 when measured again",
       [](Rows& r) { r[2].evidence[0].claimed_error = 1; }},
      {Found::measured_again, "line 1, S1: evidence/1/claimed: 0.4 in the row, 0.5 when measured again",
       [](Rows& r) { r[0].evidence[1].claimed = 0.4; }},
      {Found::measured_again, "line 1, S1: evidence/-: nothing in the row, {\"instance\":\"I-TWO\"..",
       [](Rows& r) { r[0].evidence.pop_back(); }},
      {Found::measured_again, "line 3, S3: ..",
       [](Rows& r) {
         r[2].evidence[0].observed = {2, 2};
         r[2].evidence[0].basis.samples.mean = 2;
         r[2].evidence[0].claimed = 2;
       }},
      {Found::measured_in_full, "line 1, S1: ..", [](Rows& r) {
         Evidence& e = r[0].evidence[1];
         e.basis.hits = 299;
         e.observed = interval_of(e.basis, e.error_share);
       }}};
  for (const auto& [found, said, edit] : edits) {
    INFO(said);
    Rows rows = results();
    edit(rows);
    for (StatementResult& r : rows) r = rejudged(r);  // verdicts and summaries follow
    const auto one_line = [&](const JudgeSettings& how) {
      const Lines lines = objections(rows, how);
      const bool more = said.ends_with("..");
      return lines.size() == 1 && (more ? lines[0].starts_with(said.substr(0, said.size() - 2)) : lines[0] == said);
    };
    CHECK(objections(rows, in_full()).size() == 1);
    CHECK(one_line(settings()) == (found != Found::measured_in_full));
    CHECK(one_line(quick()) == (found == Found::at_once));
    if (found != Found::at_once) CHECK(objections(rows, quick()).empty());  // as --help says
    if (found == Found::measured_in_full) CHECK(objections(rows).empty());
  }
}

TEST_CASE("Of a deep run only what is asked for is measured in full", "[unit]") {
  StatementResult deep = results()[2];
  deep.origin.profile = Profile::deep;
  StatementResult random = results()[0];

  CHECK(measured_again(deep, {.share = 0}) == Again::nothing);
  CHECK(measured_again(deep, {.share = 1}) == Again::everything);
  CHECK(measured_again(results()[2], {.share = 0}) == Again::everything);
  CHECK(measured_again(random, {.share = 0}) == Again::claims);
  CHECK(measured_again(random, {.share = 1}) == Again::everything);
  CHECK_NOTHROW(judge_command().fields.set("rerun", {"1"}));
}

TEST_CASE("Fields that no measurement gives are found without measuring again", "[unit]") {
  // evidence/0 of S1 is a point, evidence/1 a proportion.
  const std::vector<std::tuple<int, std::string, Json, std::string>> planted = {
      {0, "error_share", -1, "evidence/0/error_share: -1, allowed are 0 to 0"},
      {0, "error_share", 0.5, "evidence/0/error_share: 0.5, allowed are 0 to 0"},
      {1, "error_share", -1, "evidence/1/error_share: -1, allowed are 0 to 1"},
      {1, "error_share", nullptr, "evidence/1/error_share: no number"},
      {0, "resolution", 1e9, "evidence/0/resolution: 1000000000, allowed are 0 to 0"},
      {1, "resolution", 1e9, "evidence/1/resolution: 1000000000, allowed are 0 to 1"},
      {1, "resolution", -0.5, "evidence/1/resolution: -0.5, allowed are 0 to 1"},
      {0, "claimed_error", -2, "evidence/0/claimed_error: -2, allowed are 0 to inf"},
      {1, "bound_over_quantile", -3, "evidence/1/bound_over_quantile: -3, allowed are 0 to inf"},
      {1, "bound_over_trivial", -2, "evidence/1/bound_over_trivial: -2, allowed are 0 to inf"},
      {1, "observed", Json::array({0.5, 0.25}), "evidence/1/observed: [0.5, 0.25]"}};
  for (const auto& [piece, field, value, said] : planted) {
    INFO(field << " " << value);
    const std::string file = altered(0, fmt::format("/evidence/{}/{}", piece, field), value);
    CHECK(objections(file, quick()) == Lines{"line 1, S1: " + said});
  }
}

TEST_CASE("A resolution that every interval passes is found, of each law", "[unit]") {
  const auto found = [](const IntervalBasis& basis, double resolution) {
    std::vector<StatementResult> list = results();
    Evidence& e = list[0].evidence[1];
    e.basis = basis;
    e.observed = interval_of(basis, e.error_share);
    e.trials = e.trials_in_scope = basis.samples.count;
    e.resolution = resolution;
    list[0] = rejudged(list[0]);
    const Lines said = objections(list, quick());
    return !said.empty() && said[0].starts_with("line 1, S1: evidence/1/resolution: ");
  };
  // A mean of 0.25 with deviation 0.5; the largest of both and the claim of 0.5 is 0.5.
  const SampleSummary samples{.count = 1000, .mean = 0.25, .variance = 0.25};

  CHECK(found({.law = IntervalLaw::bounded, .samples = samples, .scale = 2}, 2.5));
  CHECK_FALSE(found({.law = IntervalLaw::bounded, .samples = samples, .scale = 2}, 1.5));
  CHECK(found({.law = IntervalLaw::student, .samples = samples}, 501));
  CHECK_FALSE(found({.law = IntervalLaw::student, .samples = samples}, 499));
  CHECK(found({.law = IntervalLaw::known_deviation, .samples = samples, .scale = 0.5}, 501));
  CHECK_FALSE(found({.law = IntervalLaw::known_deviation, .samples = samples, .scale = 0.5}, 499));
}

TEST_CASE("Rows of another version or of another list of statements are refused", "[unit]") {
  JudgeSettings newer = quick(), longer = quick();
  newer.version = "1.3.0";
  longer.all[0].mutants[0].name = "a smaller lie";

  const std::string of_version = refusal([&] { objections(results(), newer); });
  const std::string of_list = refusal([&] { objections(results(), longer); });

  CHECK(of_version.starts_with("verdicts.jsonl, line 1: made_by: version \"1.2.3\" with the statements "));
  CHECK(of_version.find("allowed are rows of this program, version \"1.3.0\"") != std::string::npos);
  CHECK(of_list.starts_with("verdicts.jsonl, line 1: made_by: version \"1.2.3\" with the statements "));
}

TEST_CASE("Lines that are no rows of verdicts are refused with their number", "[unit]") {
  const std::string good = to_row(results()[0]).dump() + "\n";
  const auto second = [&](const std::string& place, const Json& value) {
    Json row = to_row(results()[1]);
    at_place(row, place) = value;
    return row.dump() + "\n";
  };

  for (const std::string& bad : {std::string("{\"id\": \"S1\""),
                                 std::string("[]"),
                                 std::string("null"),
                                 std::string("\n"),
                                 std::string("NaN"),
                                 good.substr(0, good.size() / 2),
                                 second("/evidence", "x"),
                                 second("/evidence", nullptr),
                                 second("/evidence", Json::object()),
                                 second("/evidence/0/observed", 0.1),
                                 second("/evidence/0/observed", Json::array({0.1})),
                                 second("/evidence/0/claimed", "0.1"),
                                 second("/evidence/0/claimed", true),
                                 second("/evidence/0/trials", -1),
                                 second("/evidence/0/trials", 0.5),
                                 second("/evidence/0/relation", "<"),
                                 second("/verdict", "proved"),
                                 second("/severity", "grave"),
                                 second("/mutants", 3),
                                 second("/controls/0", Json::array()),
                                 second("/made_by", "me"),
                                 second("/id", 7),
                                 good}) {
    INFO(bad);
    CHECK(refusal([&] { objections(good + bad); }).starts_with("verdicts.jsonl, line 2: "));
  }
  CHECK_THROWS_AS(objections(""), InputError);
  CHECK_THROWS_AS(run_judge("/no such file", quick()), InputError);
}
