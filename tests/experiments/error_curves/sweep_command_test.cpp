// sweep as a user types it: its exit code is the verdict of its files.
#include <fmt/format.h>

#include <sstream>

#include "tests/experiments/parsed_command.hpp"
#include "tests/experiments/temporary_folder.hpp"
#include "tests/numbers.hpp"

using namespace skt;

TEST_CASE("sweep ends with 1 where a file of it says refuted, and with 0 where none does", "[unit]") {
  // Intervals that may all together miss nearly surely: of half of the seeds one does.
  const TemporaryFolder folder;
  const std::string problem = "sweep --axis tables --values 64,256 --planes 2 --keys 40 --dim 4 --trials 40";
  std::set<int> seen;
  for (int seed = 1; seed <= 24 && seen.size() < 2; ++seed) {
    const int code = ParsedCommand(sweep_command, fmt::format("{} --family-error 0.999999 --seed {} --force --out '{}'",
                                                              problem, seed, folder.path.string()))
                         .run();

    const std::string files = contents(folder.path / "sweep.csv") + contents(folder.path / "sweep_slopes.csv");
    INFO("seed " << seed);
    CHECK(code == (files.find(",refuted") == std::string::npos ? kAsExpected : kNotAsExpected));
    seen.insert(code);
  }
  CHECK(seen == std::set<int>{kAsExpected, kNotAsExpected});
}

TEST_CASE("What a sweep is asked for stands in its rows", "[unit]") {
  const TemporaryFolder folder;
  ParsedCommand(
      sweep_command,
      "sweep --axis tables --values 2,4 --planes 3 --keys 40 --dim 4 --trials 4 --temperature 0.25 --samples 5 "
      "--seed 9 --out '" +
          folder.path.string() + "'")
      .run();

  std::istringstream file(contents(folder.path / "sweep.csv"));
  const auto next = [&file] {
    std::vector<std::string> cells;
    std::string line, cell;
    std::getline(file, line);
    std::istringstream in(line);
    while (std::getline(in, cell, ',')) cells.push_back(cell);
    return cells;
  };
  const std::vector<std::string> columns = next();
  std::size_t rows = 0;
  for (std::vector<std::string> row = next(); !row.empty(); row = next(), ++rows) {
    for (const auto& [column, value] :
         {std::pair{"planes", "3"}, {"keys", "40"}, {"dim", "4"}, {"temperature", "0.25"}, {"samples", "5"}}) {
      INFO(column);
      CHECK(row.at(std::find(columns.begin(), columns.end(), column) - columns.begin()) == value);
    }
  }
  CHECK(rows >= 2);
}
