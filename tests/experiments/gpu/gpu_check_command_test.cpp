#include "tests/catch.hpp"
#include "tests/experiments/array_file.hpp"
#include "tests/experiments/parsed_command.hpp"
#include "tests/experiments/refusal.hpp"
#include "tests/experiments/temporary_folder.hpp"

using namespace skt;

namespace {

int run(const std::string& options) {
  return ParsedCommand(gpu_check_command, "gpu-check " + options).run();
}

std::string refused(const std::string& options) {
  return refusal([&] { run(options); });
}

// Forbids every key: each score is -infinity, without a computation.
const std::string kForbidden = "--case operation=score-buckets,mask=nothing,keys=5 ";

}  // namespace

TEST_CASE("gpu-check refuses options that contradict each other", "[unit][gpu]") {
  const std::string scores = "--candidate-scores no.npy ";
  CHECK(refused(scores) == "--candidate-scores needs --case: a case.json, or a case as text");
  CHECK(refused("--write-case there") == "--write-case needs --case: a case.json, or a case as text");
  CHECK(refused(scores + kForbidden + "--write-case there") ==
        "--write-case writes the inputs of scores and --candidate-scores checks scores: allowed is one of the two");
  CHECK(refused(scores + kForbidden + "--agreement bitwise") ==
        "--agreement bitwise: allowed with --candidate-scores are derived and own-hash");
  CHECK(refused("--agreement own-hash") ==
        "--agreement own-hash: is for --candidate-scores; allowed are bitwise and derived");
  CHECK(refused(scores + "--case operation=hash-keys") ==
        "--candidate-scores: the case has operation=hash-keys: allowed are score-buckets and score-packed");
}

TEST_CASE("gpu-check refuses to check no case", "[unit][gpu]") {
  const std::string none_left = "--only, --most-keys, --most-buckets: they leave no case of ";
  const std::string allowed = ": allowed are choices that leave one";
  CHECK(refused("--only hash-keys --most-keys 0") == none_left + "--grid quick" + allowed);
  CHECK(refused("--case operation=hash-keys --only value-norms") == none_left + "--case" + allowed);
  CHECK(refused("--only far-index") == none_left + "--grid quick" + allowed + "; far-* are in --grid full");
  CHECK(refused("--case operation=hash-keys --slice 2/2") ==
        "--slice 2/2: this part has none of the cases, 1 in all: allowed are at most as many parts");
}

TEST_CASE("the help of gpu-check has a line for each field of a case", "[unit][gpu]") {
  const std::string help = help_of(gpu_check_command());
  for (const char* field : {"operation", "profile", "inputs", "mask", "type", "batch", "capacity", "planes", "budget",
                            "pages", "page_size", "cache", "query_rows", "temperature", "seed"}) {
    INFO(field);
    CHECK(help.find("\n  " + std::string(field) + " ") != std::string::npos);
  }
  CHECK(help.find("\n  seed         0 or more (1)\n") != std::string::npos);
}

TEST_CASE("a folder in place of a case.json is refused with the name that may be meant", "[unit][gpu]") {
  const TemporaryFolder folder;
  const std::string path = folder.path.string();

  CHECK(refused("--case '" + path + "'") ==
        "--case " + path + ": a folder; allowed is a case.json, such as " + path + "/case.json, or a case as text");
}

TEST_CASE("scores of a case that was written are judged by the command", "[unit][gpu]") {
  const TemporaryFolder folder;
  const std::string there = folder.path.string();
  REQUIRE(run(kForbidden + "--write-case '" + there + "'") == kAsExpected);
  const std::string check = "--case '" + there + "/case.json' --candidate-scores '" + there + "/scores.npy' ";
  std::vector<float> scores(5, -INFINITY);

  write_array(folder.path / "scores.npy", ElementType::f32, {1, 1, 5}, scores);
  CHECK(run(check) == kAsExpected);
  CHECK(run(check + "--agreement own-hash") == kAsExpected);

  scores[3] = 0;  // a forbidden key with a score
  write_array(folder.path / "scores.npy", ElementType::f32, {1, 1, 5}, scores);
  CHECK(run(check) == kNotAsExpected);
}

TEST_CASE("what a candidate's scores came to is written as JUnit's XML, failed with what replays it", "[unit][gpu]") {
  const TemporaryFolder folder;
  const std::string there = folder.path.string();
  REQUIRE(run(kForbidden + "--write-case '" + there + "'") == kAsExpected);
  const std::string check = "--case '" + there + "/case.json' --candidate-scores '" + there + "/scores.npy' --junit '" +
                            there + "/junit.xml' --annotations ";
  std::vector<float> scores(5, -INFINITY);

  write_array(folder.path / "scores.npy", ElementType::f32, {1, 1, 5}, scores);
  CHECK(run(check) == kAsExpected);
  CHECK(contents(folder.path / "junit.xml").find("tests=\"1\" failures=\"0\"") != std::string::npos);

  scores[3] = 0;
  write_array(folder.path / "scores.npy", ElementType::f32, {1, 1, 5}, scores);
  CHECK(run(check) == kNotAsExpected);
  const std::string failed = contents(folder.path / "junit.xml");
  CHECK(failed.find("tests=\"1\" failures=\"1\"") != std::string::npos);
  CHECK(failed.find("<testcase classname=\"score-buckets\" name=\"scores: operation=score-buckets,") !=
        std::string::npos);
  CHECK(failed.find("&#10;  socketlab gpu-check --candidate-scores") != std::string::npos);
}

TEST_CASE("the stages of a candidate's decode step are judged by file, and a lie in each is found", "[unit][gpu]") {
  const TemporaryFolder folder;
  // Zeros in all inputs: every projection is 0, so that every bit is 1; norms and outputs are 0.
  const std::string zeros = "--case operation=score-buckets,inputs=zeros,keys=5,tables=2,planes=4,dim=8,budget=2 ";
  const auto option = [&](const std::string& stage) {
    return "--candidate-" + stage + " '" + (folder.path / (stage + ".npy")).string() + "' ";
  };
  const auto write = [&](const std::string& stage, const std::vector<Index>& shape, const auto& elements) {
    const bool whole = std::is_integral_v<typename std::decay_t<decltype(elements)>::value_type>;
    write_array(folder.path / (stage + ".npy"), whole ? ElementType::i64 : ElementType::f32, shape, elements);
  };
  std::vector<std::int64_t> codes(10, 15), selection = {3, 1};
  std::vector<float> norms(5, 0), output(8, 0);
  write("codes", {1, 1, 2, 5}, codes);
  write("norms", {1, 1, 5}, norms);
  write("selection", {1, 1, 2}, selection);  // of equal scores any two
  write("output", {1, 1, 8}, output);
  const std::string step = option("selection") + option("output");
  CHECK(run(zeros + option("codes") + option("norms") + step) == kAsExpected);

  codes[9] = 14;
  write("codes", {1, 1, 2, 5}, codes);
  CHECK(run(zeros + option("codes")) == kNotAsExpected);
  norms[2] = 1;
  write("norms", {1, 1, 5}, norms);
  CHECK(run(zeros + option("norms")) == kNotAsExpected);
  selection[1] = 3;
  write("selection", {1, 1, 2}, selection);
  CHECK(run(zeros + option("selection")) == kNotAsExpected);
  selection[1] = 1;
  write("selection", {1, 1, 2}, selection);
  output[7] = 0.5;
  write("output", {1, 1, 8}, output);
  CHECK(run(zeros + step) == kNotAsExpected);
}

TEST_CASE("files of stages that do not fit are refused by name", "[unit][gpu]") {
  const TemporaryFolder folder;
  const std::string path = (folder.path / "a.npy").string(), given = " '" + path + "' ";
  write_array(folder.path / "a.npy", ElementType::f32, {1, 1, 5}, std::vector<float>(5));
  CHECK(refused(kForbidden + "--candidate-codes" + given) ==
        path + ": is float32 [1, 1, 5]: allowed is int64 [1, 1, 4, 5]");
  CHECK(refused(kForbidden + "--candidate-selection" + given) ==
        path + ": is float32 [1, 1, 5]: allowed is int64 [1, 1, any]");
  CHECK(refused(kForbidden + "--candidate-output" + given) ==
        "--candidate-output needs --candidate-selection: the keys that it attends to");
  CHECK(refused("--candidate-norms" + given) == "--candidate-norms needs --case: a case.json, or a case as text");
  CHECK(refused("--case operation=score-buckets,profile=hf --candidate-selection" + given)
            .starts_with("--candidate-selection: the case has profile=hf, which lists a key twice"));
}
