#include <nlohmann/json.hpp>

#include "tests/catch.hpp"
#include "tests/experiments/array_file.hpp"
#include "tests/experiments/parsed_command.hpp"
#include "tests/experiments/refusal.hpp"
#include "tests/experiments/temporary_folder.hpp"

using namespace skt;

namespace {

int run(const std::string& options) {
  return ParsedCommand(add_gpu_check_command, "gpu-check " + options).run();
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
  CHECK(
      refused(scores + kForbidden + "--write-case there") ==
      "--write-case: writes what scores are computed from, --candidate-scores checks them: allowed is one of the two");
  CHECK(refused(scores + kForbidden + "--agreement bitwise") ==
        "--agreement bitwise: of --candidate-scores allowed are derived and own-hash");
  CHECK(refused("--agreement own-hash") ==
        "--agreement own-hash: is for --candidate-scores; allowed are bitwise and derived");
  CHECK(refused(scores + "--case operation=hash-keys") ==
        "--candidate-scores: the case has operation=hash-keys: allowed are score-buckets and score-packed");
}

TEST_CASE("gpu-check refuses words that are none of an option's", "[unit][gpu]") {
  for (const char* option : {"--grid", "--only", "--memory", "--agreement"}) {
    INFO(option);
    CHECK(refused(std::string(option) + " other").starts_with(std::string(option) + ": other not in {"));
  }
  CHECK(refused("--case-limit 0") == "--case-limit: 0 given; allowed are whole numbers from 1 to 86400");
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
  CHECK(failed.find("<testcase classname=\"score-buckets\" name=\"operation=score-buckets,") != std::string::npos);
  CHECK(failed.find("&#10;  socketlab gpu-check --candidate-scores") != std::string::npos);
}
