// rank as a user types it: what stays in the folder behind it.
#include "experiments/command/command.hpp"

#include <filesystem>

#include "tests/experiments/parsed_command.hpp"
#include "tests/experiments/temporary_folder.hpp"
#include "tests/numbers.hpp"

using namespace skt;

TEST_CASE("rank leaves its tables and where they are from, and no journal to go on with", "[unit]") {
  const TemporaryFolder folder;
  ParsedCommand(rank_command, "rank --part curves --keys 60 --dim 4 --planes 3 --tables 4 --trials 2 --seed 1 --out '" +
                                  folder.path.string() + "'")
      .run();

  std::set<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(folder.path)) names.insert(entry.path().filename());
  CHECK(names == std::set<std::string>{"provenance.json", "ranking_curves.csv", "ranking_histogram.csv"});
}
