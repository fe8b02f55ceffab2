#include "experiments/files/csv.hpp"

#include <fmt/format.h>

#include <cmath>
#include <iterator>
#include <ranges>
#include <stdexcept>
#include <utility>

namespace skt {
namespace {

std::string quoted(const std::string& text) {
  if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"') out += '"';
    out += c;
  }
  return out + '"';
}

struct CellText {
  std::string operator()(const std::string& text) const { return quoted(text); }
  std::string operator()(double number) const { return std::isnan(number) ? "" : fmt::format("{}", number); }
  std::string operator()(std::int64_t number) const { return fmt::format("{}", number); }
  std::string operator()(std::uint64_t number) const { return fmt::format("{}", number); }
};

}  // namespace

CsvTable::CsvTable(std::vector<std::string> columns) : columns_(std::move(columns)) {}

CsvTable CsvTable::of(std::string_view header) {
  std::vector<std::string> columns;
  for (const auto name : std::views::split(header, ',')) columns.emplace_back(name.begin(), name.end());
  return CsvTable(std::move(columns));
}

void CsvTable::add(std::vector<CsvCell> row) {
  if (row.size() != columns_.size()) {
    throw std::logic_error(fmt::format("CsvTable: {} cells for {} columns", row.size(), columns_.size()));
  }
  rows_.push_back(std::move(row));
}

CsvTable& CsvTable::add_column(const std::string& name, const CsvCell& cell) {
  columns_.push_back(name);
  for (auto& row : rows_) row.push_back(cell);
  return *this;
}

std::string CsvTable::text() const {
  std::string out;
  const auto add_line = [&out](const std::vector<std::string>& cells) {
    fmt::format_to(std::back_inserter(out), "{}\n", fmt::join(cells, ","));
  };
  std::vector<std::string> cells;
  for (const std::string& column : columns_) cells.push_back(quoted(column));
  add_line(cells);
  for (const auto& row : rows_) {
    cells.clear();
    for (const CsvCell& cell : row) cells.push_back(std::visit(CellText{}, cell));
    add_line(cells);
  }
  return out;
}

}  // namespace skt
