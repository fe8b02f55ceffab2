#include "experiments/verify/verify_command.hpp"

#include <filesystem>
#include <fstream>

#include "experiments/command/command.hpp"
#include "proofs_check/rows/verdict_rows.hpp"
#include "proofs_check/statements.hpp"
#include "sim/json.hpp"
#include "sim/require.hpp"
#include "tests/catch.hpp"
#include "tests/experiments/parsed_command.hpp"
#include "tests/experiments/printed_text.hpp"
#include "tests/experiments/temporary_folder.hpp"

using namespace skt;

namespace {

std::vector<StatementResult> read_rows(const std::filesystem::path& folder) {
  std::ifstream file(folder / "verdicts.jsonl");
  std::vector<StatementResult> results;
  for (std::string line; std::getline(file, line);) results.push_back(from_row(Json::parse(line)));
  return results;
}

}  // namespace

TEST_CASE("With --keep-trials the trials of what keeps them are written, and the rows are the same without it",
          "[unit]") {
  const TemporaryFolder folder;
  const std::filesystem::path kept = folder.path / "kept", summed = folder.path / "summed";
  VerifyOptions options{.only = {"S000-1", "S002-L9-law"}, .profile = "smoke", .out = summed};
  CHECK(run_verify(options) == kAsExpected);
  options.out = kept;
  options.keep_trials = true;

  CHECK(run_verify(options) == kAsExpected);

  CHECK(contents(kept / "verdicts.jsonl") == contents(summed / "verdicts.jsonl"));
  CHECK_FALSE(std::filesystem::exists(summed / "trials.csv"));
  const std::string laws = contents(kept / "laws.csv");
  CHECK(laws.find("S002-L9-law,claim,") != std::string::npos);
  CHECK(laws.find("S002-L9-law,one table used L times,") != std::string::npos);
  CHECK(laws.find("S000-1") == std::string::npos);
  CHECK(contents(kept / "trials.csv").find("S002-L9-law,claim,") != std::string::npos);
}

TEST_CASE("With --keep-trials statements that keep none are refused before there is a folder", "[unit]") {
  const TemporaryFolder temporary;
  const std::filesystem::path folder = temporary.path / "none kept";

  CHECK_THROWS_WITH(run_verify({.only = {"S000-1"}, .profile = "smoke", .out = folder, .keep_trials = true}),
                    Catch::Matchers::ContainsSubstring(
                        "--keep-trials: none of the chosen statements keeps its trials: allowed are") &&
                        Catch::Matchers::ContainsSubstring("S002-L9-law"));
  CHECK_FALSE(std::filesystem::exists(folder));
}

TEST_CASE("With --no-lies statements and controls get the same evidence, bit for bit", "[unit]") {
  const TemporaryFolder folder;
  const std::vector<Statement> all = all_statements();
  // With and without chance, with controls and without, and one that keeps its trials.
  VerifyOptions options{.only = {"S000-1", "S002-EPS", "S002-SRP", "S002-E20", "S002-L9-law"}, .profile = "smoke"};
  const RunSettings with = settings_of(options, all);
  options.no_lies = true;
  const RunSettings without = settings_of(options, all);

  const auto whole = run_statements(all, with), results = run_statements(all, without);

  REQUIRE(results.size() == whole.size());
  for (std::size_t i = 0; i < results.size(); ++i) {
    const Json row = to_row(results[i]), expected = to_row(whole[i]);
    INFO(results[i].statement.id);
    CHECK(row.at("mutants").empty());
    CHECK_FALSE(expected.at("mutants").empty());
    for (const char* field : {"evidence", "controls", "verdict", "expected", "as_expected", "refuted_factors"})
      CHECK(row.at(field).dump() == expected.at(field).dump());
  }
}

TEST_CASE("A run without the lies is another run: its command says so, and slices of the two are not merged",
          "[unit]") {
  const TemporaryFolder folder;
  VerifyOptions options{.only = {"S000-1"}, .profile = "smoke", .out = (folder.path / "run").string()};
  options.no_lies = true;
  CHECK(run_verify(options, {.slice = "1/2"}) == kAsExpected);
  options.no_lies = false;
  CHECK_THROWS_WITH(run_verify(options, {.slice = "2/2"}), Catch::Matchers::ContainsSubstring("another command"));
  CHECK_THROWS_WITH(run_verify(options, {.merge = true}), Catch::Matchers::ContainsSubstring("another command"));
  options.no_lies = true;

  CHECK(run_verify(options, {.slice = "2/2"}) == kAsExpected);
  CHECK(run_verify(options, {.merge = true}) == kAsExpected);

  const std::filesystem::path out = options.out;
  CHECK(contents(out / "provenance.json").find("--no-lies") != std::string::npos);
  CHECK(contents(out / "kill_matrix.csv").find(",mutant,") ==
        contents(out / "kill_matrix.csv").find(",mutant,verdict"));
}

TEST_CASE("The command of a row makes the same row, to the byte, whatever ran beside it", "[unit]") {
  const TemporaryFolder folder;
  const std::filesystem::path together = folder.path / "together", alone = folder.path / "alone";
  run_verify({.only = {"S000-1", "S002-SRP", "S002-E20"}, .profile = "smoke", .seed = 5, .out = together});

  const auto results = read_rows(together);
  REQUIRE(results.size() == 3);
  for (const StatementResult& r : results) {
    const std::string command = command_of(r);
    INFO(command);
    REQUIRE(command.starts_with("socketlab "));
    ParsedCommand(verify_command, command.substr(10) + " --force --out '" + alone.string() + "'").run();
    CHECK(contents(together / "verdicts.jsonl").find(contents(alone / "verdicts.jsonl")) != std::string::npos);
    CHECK(contents(alone / "provenance.json").find("\"" + command + "\"") != std::string::npos);
  }
}

TEST_CASE("verify returns 1 when a planted fault is noticed, and still writes the rows", "[mutant]") {
  const TemporaryFolder temporary;
  const std::filesystem::path folder = temporary.path / "fault";

  for (const auto& [fault, id] : {std::pair{"no-scaling", "S000-2"}, std::pair{"little-endian", "S000-2"},
                                  std::pair{"reused-table", "S002-L9-law"}, std::pair{"strict-sign", "S000-1"}}) {
    INFO(fault);
    CHECK(run_verify({.only = {id}, .profile = "smoke", .fault = fault, .out = folder}) == kNotAsExpected);
    REQUIRE(read_rows(folder).size() == 1);
    CHECK(read_rows(folder).front().origin.fault == fault);
    CHECK(Json::parse(contents(folder / "provenance.json")).at("fault") == fault);
    CHECK(contents(folder / "kill_matrix.csv").find(std::string(",") + fault + ",") != std::string::npos);
  }
}

TEST_CASE("verify --all-faults ends with 0 where each fault is noticed, and with 1 where one is not", "[mutant]") {
  const TemporaryFolder folder;
  const VerifyOptions options{.profile = "smoke", .out = folder.path.string()};
  const FaultResult seen{"a fault", {StatementResult{.statement = {.id = "S1"}}}}, unseen{"another", {}};
  const auto code = [&](const std::vector<FaultResult>& faults) { return write_faults(faults, options); };

  CHECK(code({seen, seen}) == 0);
  CHECK(code({seen, unseen}) == 1);
  CHECK(code({unseen, seen}) == 1);
  CHECK(code({unseen}) == 1);
  const std::string said = printed([&] { write_faults({seen, unseen}, options, Ask::until_noticed); });
  CHECK(said ==
        "  a fault           noticed first by S1\n"
        "! another           noticed by no statement\n");
}

TEST_CASE("A fault that no statement notices is marked in what is printed, and has its row", "[mutant]") {
  const TemporaryFolder folder;
  const std::vector<Statement> all = all_statements();
  const std::vector<const Statement*> one = chosen_statements(all, {"S000-1"});  // on hashing: deaf to the scaling
  const FaultSettings settings{{3}, Profile::smoke};
  int code = kAsExpected;

  const std::string said = printed([&] {
    code = write_faults(
        {run_fault({*one.front()}, "strict-sign", settings), run_fault({*one.front()}, "no-scaling", settings)},
        {.profile = "smoke", .seed = 3, .out = folder.path.string()});
  });

  CHECK(code == kNotAsExpected);
  CHECK(said ==
        "  strict-sign       noticed by 1: S000-1\n"
        "! no-scaling        noticed by no statement\n");
  const std::string rows = contents(folder.path / "faults.csv");
  CHECK(rows.find("\nstrict-sign,S000-1,socketlab verify --all-faults --profile smoke --seed 3,") != std::string::npos);
  CHECK(rows.find("\nno-scaling,,socketlab verify --all-faults --profile smoke --seed 3,") != std::string::npos);
}

TEST_CASE("The time of a deep run is extrapolated along the trials", "[unit]") {
  CHECK(deep_seconds(5, 5) == 5);        // nothing grows with the trials
  CHECK(deep_seconds(2.5, 10) == 1000);  // everything does
  CHECK(deep_seconds(3.5, 11) == 1001);  // one second does not
  CHECK(deep_seconds(6, 5) == 5);        // a disturbed measurement gives no negative time
}

TEST_CASE("verify refuses an unknown statement, profile or fault and leaves nothing behind", "[unit]") {
  const TemporaryFolder temporary;
  const std::filesystem::path folder = temporary.path / "refused";

  CHECK_THROWS_AS(run_verify({.only = {"S002-L99"}, .profile = "smoke", .out = folder}), InputError);
  CHECK_THROWS_AS(run_verify({.profile = "quick", .out = folder}), InputError);
  CHECK_THROWS_AS(run_verify({.profile = "smoke", .fault = "none", .out = folder}), InputError);
  CHECK_FALSE(std::filesystem::exists(folder));
}

TEST_CASE("The list says whose words an entry judges, and which", "[unit]") {
  const std::string text =
      coverage_list({{"S1", "a title", "paper, Lemma 1", CoverageState::checked, "\"at most 2\"", Wording::printed},
                     {"S2", "another", "derived from Lemma 1", CoverageState::checked, "", Wording::ours},
                     {"S3", "a third", "paper, Table 1", CoverageState::not_checkable, "why"}});

  CHECK(text ==
        "S1                      checked        printed  a title (paper, Lemma 1): \"at most 2\"\n"
        "S2                      checked        ours     another (derived from Lemma 1)\n"
        "S3                      not-checkable           a third (paper, Table 1): why\n");
}

TEST_CASE("verify writes JUnit's XML, the same bytes again, and annotates what is not as expected", "[unit]") {
  const TemporaryFolder folder;
  const std::string junit = folder.path / "junit.xml", words = "verify --only S000-1,S000-2 --profile smoke --out '" +
                                                               (folder.path / "out").string() + "' --junit '" + junit +
                                                               "'";
  CHECK(ParsedCommand(verify_command, words).run() == kAsExpected);
  const std::string text = contents(junit);
  CHECK(ParsedCommand(verify_command, words).run() == kAsExpected);

  CHECK(contents(junit) == text);
  CHECK(text.find("tests=\"2\" failures=\"0\"") != std::string::npos);
  CHECK(text.find(" name=\"S000-2\"/>") != std::string::npos);
  CHECK(text.find("time") == std::string::npos);

  CHECK(ParsedCommand(verify_command, words + " --force --annotations --fault strict-sign").run() == kNotAsExpected);
  CHECK(contents(junit).find("failures=\"1\"") != std::string::npos);
  CHECK(contents(junit).find("<failure message=\"S000-1  printed  refuted") != std::string::npos);
}

TEST_CASE("A place for JUnit's XML that cannot be written is refused before any work", "[unit]") {
  const TemporaryFolder folder;
  const std::string junit = folder.path / "none" / "junit.xml";

  CHECK_THROWS_WITH(run_verify({.profile = "smoke", .out = folder.path / "out", .outcomes = {.junit = junit}}),
                    "--junit " + junit + ": allowed is a file in a folder with write permission");
  CHECK_FALSE(std::filesystem::exists(folder.path / "out"));
}
