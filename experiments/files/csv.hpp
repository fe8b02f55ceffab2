// A table of results as CSV: a header row, then one line for each row, numbers in the shortest form that reads back to
// the same double, so that a file is a pure function of its numbers.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace skt {

using CsvCell = std::variant<std::string, double, std::int64_t, std::uint64_t>;

class CsvTable {
 public:
  explicit CsvTable(std::vector<std::string> columns);
  static CsvTable of(std::string_view header);  // names with commas between

  // As many cells as columns; otherwise std::logic_error.
  void add(std::vector<CsvCell> row);

  // One more column, with the same cell in every row there is.
  CsvTable& add_column(const std::string& name, const CsvCell& cell);

  // Text is quoted where it holds a comma, a quote or a line break (RFC 4180); NaN is an empty cell (not known).
  std::string text() const;

  const std::vector<std::string>& columns() const { return columns_; }
  const std::vector<std::vector<CsvCell>>& rows() const { return rows_; }

 private:
  std::vector<std::string> columns_;
  std::vector<std::vector<CsvCell>> rows_;
};

}  // namespace skt
