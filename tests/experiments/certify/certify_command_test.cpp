// certify as a user types it: the tables and planes that are asked for are those of the certificate. What its numbers
// are is checked against NumPy by certify_test.py.
#include <fmt/format.h>

#include <filesystem>

#include "experiments/certify/certify_queries.hpp"
#include "sim/json.hpp"
#include "tests/catch.hpp"
#include "tests/experiments/certify/two_heads.hpp"
#include "tests/experiments/parsed_command.hpp"

using namespace skt;

TEST_CASE("certify's plan has the tables and planes that were asked for, or those of Table 6", "[unit]") {
  const TwoHeads problem;
  const AttendFiles files = problem.files();
  const std::filesystem::path folder = std::filesystem::path(files.queries).parent_path() / "certified";
  const auto plan_of = [&](const std::string& options) {
    ParsedCommand(
        certify_command,
        fmt::format("certify --queries '{}' --keys '{}' --values '{}' --budget 2 --pairs none {} --force --out '{}'",
                    files.queries, files.keys, files.values, options, folder.string()))
        .run();
    return Json::parse(contents(folder / "certificate.json")).at("plan");
  };

  const auto asked = plan_of("--tables 6 --planes 3");
  CHECK(asked.at("tables") == 6);
  CHECK(asked.at("planes") == 3);
  const auto unasked = plan_of("");
  CHECK(unasked.at("tables") == 60);
  CHECK(unasked.at("planes") == 10);
}
