// The command line as a whole: what every subcommand shares.
#include <filesystem>
#include <fstream>
#include <sstream>
#include <vector>

#include "tests/catch.hpp"
#include "tests/experiments/run_socketlab.hpp"
#include "tests/experiments/temporary_folder.hpp"

using namespace skt;

namespace {

const std::vector<std::string> kCommands = {"attend",    "audit",     "certify", "choose", "compare",
                                            "gpu-bench", "gpu-check", "judge",   "oracle", "rank",
                                            "reproduce", "search",    "sweep",   "verify"};

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

TEST_CASE("what is no subcommand is refused in one line with status 2", "[unit]") {
  const std::string allowed =
      "; allowed are gpu-bench, gpu-check, attend, judge, audit, certify, choose, compare, oracle, rank, reproduce, search, sweep, verify\n";
  CHECK(run_socketlab("").text == "socketlab: no subcommand is given" + allowed);
  CHECK(run_socketlab("prove").text == "socketlab: no subcommand prove" + allowed);
  CHECK(run_socketlab("prove").status == 2);
}

TEST_CASE("what needs a GPU is handed on, as it was typed, to socketlab-gpu beside the program", "[unit][gpu]") {
  const TemporaryFolder folder;
  const std::filesystem::path program = folder.path / "socketlab", other = folder.path / "socketlab-gpu";
  std::filesystem::copy_file(SKT_SOCKETLAB, program);
  const auto run = [&](const std::string& arguments) { return run_socketlab(arguments, program.string()); };

  for (const std::string command : {"gpu-check", "gpu-bench"}) {
    const ProgramRun missing = run(command);
    CHECK(missing.status == 3);
    CHECK(
        missing.text.starts_with("socketlab: " + command + ": no socketlab-gpu beside this program; `cmake --build "));
    CHECK(is_one_line(missing.text));
  }
  std::ofstream(other) << "#!/bin/sh\necho \"$*\"\nexit 7\n";
  std::filesystem::permissions(other, std::filesystem::perms::owner_all);
  CHECK(run("gpu-check --only hash-keys --each").text == "gpu-check --only hash-keys --each\n");
  CHECK(run("gpu-bench --planes 8").text == "gpu-bench --planes 8\n");
  CHECK(run("gpu-bench --planes 8").status == 7);
  // What needs none is done here.
  CHECK(run("gpu-check --only nothing").status == 2);
  CHECK(run("gpu-bench --help").text.find("--kv-heads") != std::string::npos);
  CHECK(run("oracle --help").status == 0);
}
