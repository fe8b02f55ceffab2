#include "experiments/command/finished_parts.hpp"

#include <fstream>

#include "experiments/verify/verify_command.hpp"
#include "tests/catch.hpp"
#include "tests/experiments/temporary_folder.hpp"

using namespace skt;

TEST_CASE("The same run finds its finished parts, but for one that was cut short", "[unit]") {
  const TemporaryFolder folder;
  const RunFacts facts{"socketlab reproduce --seed 1", 1, "smoke"};
  {
    FinishedParts parts(folder.path, facts);
    CHECK(parts.empty());
    parts.add("one", {{"x", 0.1}});
    parts.add("two", {{"x", 0.2}});
  }
  std::ofstream(folder.path / "unfinished.jsonl", std::ios::app) << R"({"part":"three","resu)";

  FinishedParts again(folder.path, facts);
  REQUIRE(again.find("one"));
  CHECK(again.find("one")->at("x").get<double>() == 0.1);
  CHECK(again.find("two"));
  CHECK(!again.find("three"));
  again.add("three", 3);
  {
    const FinishedParts third(folder.path, facts);  // interrupted again, it still has what the first run finished
    for (const char* part : {"one", "two", "three"}) CHECK(third.find(part));
  }

  again.remove();
  CHECK(files_in(folder.path) == 0);
}

TEST_CASE("Another seed, profile or command finds nothing", "[unit]") {
  const TemporaryFolder folder;
  for (const RunFacts& other : {RunFacts{"socketlab reproduce", 2, "smoke"}, RunFacts{"socketlab reproduce", 1, "deep"},
                                RunFacts{"socketlab verify", 1, "smoke"}}) {
    FinishedParts(folder.path, {"socketlab reproduce", 1, "smoke"}).add("one", 1);
    CHECK(FinishedParts(folder.path, other).empty());
  }
}

TEST_CASE("Statements that are kept give the same bytes as statements that are run", "[unit]") {
  const TemporaryFolder folder;
  const RunFacts facts{"socketlab verify", 1, "smoke"};
  const auto verified = [&](const char* name, FinishedParts* finished) {
    run_verify({.only = {"S002-EPS", "S002-SRP"}, .profile = "smoke", .out = folder.path / name}, finished);
    return contents(folder.path / name / "verdicts.jsonl") + contents(folder.path / name / "kill_matrix.csv");
  };
  const std::string whole = verified("whole", nullptr);
  {
    FinishedParts interrupted(folder.path, facts);
    run_verify({.only = {"S002-SRP"}, .profile = "smoke", .out = folder.path / "part"}, &interrupted);
  }
  FinishedParts resumed(folder.path, facts);
  REQUIRE(resumed.find("S002-SRP"));
  CHECK(verified("resumed", &resumed) == whole);
  CHECK(verified("kept", &resumed) == whole);

  // A kept result is used and not measured again.
  nlohmann::ordered_json other = *resumed.find("S002-EPS");
  other["title"] = "kept";
  resumed.add("S002-EPS", other);
  CHECK(verified("changed", &resumed).find("\"title\":\"kept\"") != std::string::npos);
}
