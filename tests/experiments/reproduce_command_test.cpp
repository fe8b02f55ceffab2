#include <filesystem>

#include "tests/catch.hpp"
#include "tests/experiments/parsed_command.hpp"
#include "tests/experiments/refusal.hpp"
#include "tests/experiments/temporary_folder.hpp"

using namespace skt;

// Whole runs: smoke_report.cmake.
TEST_CASE("reproduce refuses a profile or a Python that is none before there is a folder", "[unit]") {
  const TemporaryFolder folder;
  const std::filesystem::path out = folder.path / "results";
  const auto refused = [&](const std::string& options) {
    return refusal(
        [&] { ParsedCommand(reproduce_command, "reproduce --out '" + out.string() + "' " + options).run(); });
  };

  CHECK(refused("--profile slow") == "--profile: slow given; allowed are smoke, quick, standard, deep");
  CHECK(
      refused("--python '/no such python'") ==
      "--python /no such python: no Python with matplotlib and jinja2; install python3-matplotlib and python3-jinja2 or name another");
  CHECK(!std::filesystem::exists(out));
}
