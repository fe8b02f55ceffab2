#include "experiments/compare/compare_times.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <vector>

#include "sim/require.hpp"

namespace skt {
namespace {

// What names a row, in the order of the columns of gpu-bench.
const std::vector<std::string> kNames = {"stage",  "batch",  "heads",  "kv_heads", "keys",
                                         "tables", "planes", "budget", "sink",     "window"};
const std::vector<std::string> kTimeColumns = {"median_us", "fastest_us", "slowest_us"};

// gpu-bench writes no cell that needs quotes.
std::vector<std::string> cells_of(std::string line) {
  if (line.ends_with('\r')) line.pop_back();
  std::vector<std::string> cells{""};
  for (const char c : line) {
    if (c == ',')
      cells.emplace_back();
    else
      cells.back() += c;
  }
  return cells;
}

double number_from(const std::string& text, const std::string& place) {
  double number = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, failure] = std::from_chars(text.data(), end, number);
  if (failure != std::errc() || stop != end || !std::isfinite(number) || number < 0)
    refuse("{}: {} is no time; allowed are finite numbers from 0 on", place, text.empty() ? "nothing" : text);
  return number;
}

class Columns {
 public:
  Columns(const std::string& line, std::string name) : names_(cells_of(line)), name_(std::move(name)) {
    for (const auto* needed : {&kNames, &kTimeColumns})
      for (const std::string& column : *needed) place_of(column);
  }

  std::size_t count() const { return names_.size(); }
  const std::string& cell(const std::vector<std::string>& row, const std::string& column) const {
    return row[place_of(column)];
  }

 private:
  std::size_t place_of(const std::string& column) const {
    const auto found = std::find(names_.begin(), names_.end(), column);
    if (found == names_.end()) refuse("{}: no column {}; allowed is a file that gpu-bench wrote", name_, column);
    return found - names_.begin();
  }

  std::vector<std::string> names_;
  std::string name_;
};

std::string shape_of(const Columns& columns, const std::vector<std::string>& row) {
  std::vector<std::string> parts;
  for (const std::string& name : kNames) {
    const std::string& cell = columns.cell(row, name);
    parts.push_back(name == "stage" ? cell : fmt::format("{}={}", name, cell));
  }
  return fmt::format("{}", fmt::join(parts, " "));
}

std::string in_words(const StageTime& time) {
  return fmt::format("{:.1f} us [{:.1f}, {:.1f}]", time.median_us, time.fastest_us, time.slowest_us);
}

}  // namespace

std::map<std::string, StageTime> read_times(std::istream& lines, const std::string& name) {
  std::string line;
  if (!std::getline(lines, line)) refuse("{}: empty; allowed is a file that gpu-bench wrote", name);
  const Columns columns(line, name);
  std::map<std::string, StageTime> times;
  for (std::size_t number = 2; std::getline(lines, line); ++number) {
    const std::string place = fmt::format("{}, line {}", name, number);
    const std::vector<std::string> row = cells_of(line);
    if (row.size() != columns.count())
      refuse("{}: {} cells; allowed are {}, one for each column", place, row.size(), columns.count());
    const auto time = [&](const char* column) { return number_from(columns.cell(row, column), place); };
    const StageTime stage{time("median_us"), time("fastest_us"), time("slowest_us")};
    require(stage.fastest_us <= stage.slowest_us, "{}: fastest_us above slowest_us; allowed is at most that", place);
    const std::string shape = shape_of(columns, row);
    if (!times.emplace(shape, stage).second) refuse("{}: {} appears a second time", place, shape);
  }
  if (times.empty()) refuse("{}: no rows; allowed is a file that gpu-bench wrote", name);
  return times;
}

RunComparison compare_times(const std::map<std::string, StageTime>& first,
                            const std::map<std::string, StageTime>& second) {
  RunComparison comparison;
  for (const auto& [shape, before] : first) {
    const auto found = second.find(shape);
    if (found == second.end()) {
      comparison.differences.push_back({"vanished", shape, "it took " + in_words(before), Weight::worse});
      continue;
    }
    ++comparison.compared;
    const StageTime& after = found->second;
    const bool slower = after.fastest_us > before.slowest_us, faster = after.slowest_us < before.fastest_us;
    if (slower || faster)
      comparison.differences.push_back({"time", shape, fmt::format("{}, then {}", in_words(before), in_words(after)),
                                        slower ? Weight::worse : Weight::told});
  }
  for (const auto& [shape, after] : second) {
    if (!first.contains(shape))
      comparison.differences.push_back({"new", shape, "takes " + in_words(after), Weight::told});
  }
  return comparison;
}

}  // namespace skt
