// audit as a user types it: what its options refuse before anything is computed.
#include "tests/catch.hpp"
#include "tests/experiments/parsed_command.hpp"
#include "tests/experiments/refusal.hpp"

using namespace skt;

TEST_CASE("audit refuses counts of draws that cannot be kept or addressed", "[unit]") {
  const auto refused = [](const std::string& options) {
    return refusal([&] { ParsedCommand(audit_command, "audit " + options); });
  };

  // 2^24 trials and fresh tables, 2^24 tables, 2^32 - 1 samples (command.hpp).
  CHECK(refused("--trials 16777217") == "--trials: 16777217 given; allowed are whole numbers from 2 to 16777216");
  CHECK(refused("--trials 1") == "--trials: 1 given; allowed are whole numbers from 2 to 16777216");
  CHECK(refused("--tables 16777217") == "--tables: 16777217 given; allowed are whole numbers from 1 to 16777216");
  CHECK(refused("--samples 4294967296") ==
        "--samples: 4294967296 given; allowed are whole numbers from 0 to 4294967295");
  CHECK(refused("--bound-draws 16777217") ==
        "--bound-draws: 16777217 given; allowed are whole numbers from 0 to 16777216");
  CHECK(refused("--fresh-tables 16777217") ==
        "--fresh-tables: 16777217 given; allowed are whole numbers from 40 to 16777216");
  CHECK(refused("--trials 16777216 --tables 16777216").empty());
}
