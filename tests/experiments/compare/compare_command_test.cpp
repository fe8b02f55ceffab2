#include "experiments/files/result_file.hpp"
#include "proofs_check/rows/verdict_rows.hpp"
#include "tests/catch.hpp"
#include "tests/experiments/parsed_command.hpp"
#include "tests/experiments/printed_text.hpp"
#include "tests/experiments/refusal.hpp"
#include "tests/experiments/temporary_folder.hpp"

using namespace skt;

namespace {

const std::string kTimes =
    "batch,heads,kv_heads,keys,tables,planes,budget,sink,window,stage,median_us,fastest_us,slowest_us\n"
    "1,32,8,1024,60,10,100,0,0,decode-step,";

struct TwoRuns {
  TemporaryFolder folder;
  TwoRuns() {
    for (const char* name : {"a", "b"}) std::filesystem::create_directory(folder.path / name);
    verdict("a", Verdict::not_refuted);
    verdict("b", Verdict::not_refuted);
  }
  void write(const std::string& name, const std::string& text) const { write_result(folder.path / name, text); }
  void verdict(const std::string& run, Verdict verdict) const {
    write(run + "/verdicts.jsonl",
          to_row(StatementResult{.statement = {.id = "S1"}, .verdict = verdict}).dump() + "\n");
  }
  int compare(const std::string& first, const std::string& second) const {
    const auto path = [&](const std::string& name) { return " '" + (folder.path / name).string() + "'"; };
    return ParsedCommand(compare_command, "compare" + path(first) + path(second)).run();
  }
};

}  // namespace

TEST_CASE("compare ends with 0 where the second run is not worse, and with 1 where it is", "[unit]") {
  const TwoRuns runs;
  CHECK(runs.compare("a", "b") == kAsExpected);
  CHECK(runs.compare("a", "a/verdicts.jsonl") == kAsExpected);
  runs.verdict("b", Verdict::refuted);
  CHECK(runs.compare("a", "b") == kNotAsExpected);
  CHECK(runs.compare("b", "a") == kAsExpected);
  CHECK(runs.compare("a/verdicts.jsonl", "b/verdicts.jsonl") == kNotAsExpected);
}

TEST_CASE("compare marks what became worse, and nothing else", "[unit]") {
  const TwoRuns runs;
  runs.verdict("b", Verdict::refuted);
  const auto lines = [&](const std::string& first, const std::string& second) {
    return printed([&] { runs.compare(first, second); });
  };

  CHECK(lines("a", "a") == "verdicts.jsonl: 1 compared, 0 differ, 0 worse\n");
  CHECK(lines("a", "b").starts_with("! verdict  S1: "));
  CHECK(lines("a", "b").ends_with("\nverdicts.jsonl: 1 compared, 1 differ, 1 worse\n"));
  CHECK(lines("b", "a").starts_with("  verdict  S1: "));
  CHECK(lines("b", "a").ends_with("\nverdicts.jsonl: 1 compared, 1 differ, 0 worse\n"));
}

TEST_CASE("compare reads times beside verdicts, or alone", "[unit]") {
  const TwoRuns runs;
  runs.write("a/gpu_bench.csv", kTimes + "10,9,12\n");
  runs.write("b/gpu_bench.csv", kTimes + "20,19,22\n");
  CHECK(runs.compare("a", "b") == kNotAsExpected);
  CHECK(runs.compare("b", "a") == kAsExpected);
  CHECK(runs.compare("a/gpu_bench.csv", "b/gpu_bench.csv") == kNotAsExpected);
}

TEST_CASE("compare refuses what is not there, and two runs of different kinds", "[unit]") {
  const TwoRuns runs;
  const std::string there = runs.folder.path.string();
  CHECK(refusal([&] { runs.compare("a", "c"); }) == there + "/c: there is no such file or folder");
  runs.write("a/gpu_bench.csv", kTimes + "10,9,12\n");
  CHECK(refusal([&] { runs.compare("a", "b"); }) ==
        there + "/b: has no gpu_bench.csv, but " + there + "/a has one; allowed are two runs of the same kind");
  std::filesystem::create_directory(runs.folder.path / "d");
  CHECK(refusal([&] {
          runs.compare("d", "d");
        }).starts_with(there + "/d: holds neither verdicts.jsonl nor gpu_bench.csv;"));
}
