// The command line as a whole: what every subcommand shares.
#include <sstream>
#include <vector>

#include "tests/catch.hpp"
#include "tests/experiments/run_socketlab.hpp"

using namespace skt;

namespace {

const std::vector<std::string> kCommands = {"attend",    "audit", "certify", "compare", "gpu-bench",
                                            "gpu-check", "judge", "oracle",  "rank",    "reproduce",
                                            "search",    "sweep", "verify"};

}  // namespace

TEST_CASE("the version is the one of CMake's project()", "[unit]") {
  const ProgramRun run = run_socketlab("--version");

  CHECK(run.status == 0);
  CHECK(run.text == "socketlab " SKT_VERSION "\n");
}

TEST_CASE("the help names every subcommand and only these", "[unit]") {
  std::istringstream help(run_socketlab("--help").text);
  std::vector<std::string> named;
  bool reached = false;
  for (std::string line; std::getline(help, line);) {
    if (reached && line.starts_with("  ")) named.push_back(line.substr(2, line.find(' ', 2) - 2));
    reached = reached || line.find("ubcommands:") != std::string::npos;
  }
  std::sort(named.begin(), named.end());

  CHECK(named == kCommands);
}

TEST_CASE("no line of any help is wider than a terminal of 100 columns", "[unit]") {
  for (const std::string& command : kCommands) {
    const ProgramRun run = run_socketlab(command + " --help");
    CHECK(run.status == 0);
    std::istringstream help(run.text);
    for (std::string line; std::getline(help, line);) {
      if (line.find("Usage:") != std::string::npos) continue;  // begins with the program's own path
      INFO(command << ": " << line);
      CHECK(line.size() <= 100);
    }
  }
}

TEST_CASE("the help of attend names each file that it writes, and the help of rank each part", "[unit]") {
  const std::string attend = run_socketlab("attend --help").text;
  const std::size_t files = attend.find("\nWrites to --out, shaped as the queries:\n");
  REQUIRE(files != std::string::npos);
  for (const char* file : {"scores.npy", "selected.npy", "output.npy", "summary.json", "attend_curves.csv"})
    CHECK(attend.find("\n  " + std::string(file) + " ", files) != std::string::npos);

  const std::string rank = run_socketlab("rank --help").text;
  for (const char* words :
       {"curves: Figure 2 against k;", "rankers: every ranker by family", "temperatures: SOCKET at",
        "prediction: recall, missed softmax mass and output", "predicted before tables are drawn and measured"})
    CHECK(rank.find(words) != std::string::npos);
}

TEST_CASE("what is no subcommand is refused in one line with status 2", "[unit]") {
  const std::string allowed =
      "; allowed are gpu-bench, gpu-check, attend, judge, audit, certify, compare, oracle, rank, reproduce, search, sweep, verify\n";
  CHECK(run_socketlab("").text == "socketlab: no subcommand is given" + allowed);
  CHECK(run_socketlab("prove").text == "socketlab: no subcommand prove" + allowed);
  CHECK(run_socketlab("prove").status == 2);
}
