// A command as a user types it, and the columns of the tables that it left.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <sstream>
#include <string>
#include <vector>

#include "sim/json.hpp"
#include "tests/catch.hpp"
#include "tests/experiments/parsed_command.hpp"
#include "tests/experiments/temporary_folder.hpp"

namespace skt {

inline std::vector<std::string> cells(const std::string& line) {
  std::vector<std::string> all{""};
  for (const char c : line) {
    if (c == ',')
      all.emplace_back();
    else
      all.back() += c;
  }
  return all;
}

// What a command left in its folder.
struct CommandRun {
  std::filesystem::path folder;
  int code;

  std::vector<std::string> column(const std::string& file, const std::string& name) const {
    std::istringstream lines(contents(folder / file));
    std::string line;
    std::getline(lines, line);
    const std::vector<std::string> names = cells(line);
    const auto at = std::find(names.begin(), names.end(), name) - names.begin();
    REQUIRE(at < std::ssize(names));
    std::vector<std::string> column;
    while (std::getline(lines, line)) column.push_back(cells(line).at(at));
    REQUIRE_FALSE(column.empty());
    return column;
  }

  // Which heads its learned instances are of.
  std::string source() const { return Json::parse(contents(folder / "provenance.json")).at("learned_heads"); }
};

// With seed 3, into a folder of `folder` that has the command's name.
inline CommandRun run_command(ParsedCommand::Make make, const std::string& words, const std::filesystem::path& folder) {
  const std::filesystem::path out = folder / words.substr(0, words.find(' '));
  const ParsedCommand command(make, fmt::format("{} --threads 2 --seed 3 --out '{}'", words, out.string()));
  return {out, command.run()};
}

}  // namespace skt
