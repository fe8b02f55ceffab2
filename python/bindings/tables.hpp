// How does a table of results become a dictionary of columns?
#pragma once

#include <cmath>

#include "experiments/files/csv.hpp"
#include "python/bindings/arrays.hpp"

namespace skt::python {

// A double that is whole is an int, as its text in the file reads; what is empty there is None.
inline nb::object python_of(const CsvCell& cell) {
  if (const auto* text = std::get_if<std::string>(&cell)) return text->empty() ? nb::none() : nb::cast(*text);
  if (const auto* count = std::get_if<std::int64_t>(&cell)) return nb::cast(*count);
  if (const auto* count = std::get_if<std::uint64_t>(&cell)) return nb::cast(*count);
  const double number = std::get<double>(cell);
  if (std::isnan(number)) return nb::none();
  return std::trunc(number) == number && std::abs(number) < 1e16 ? nb::cast(static_cast<std::int64_t>(number))
                                                                 : nb::cast(number);
}

inline nb::dict columns_of(const CsvTable& table) {
  nb::dict columns;
  for (std::size_t i = 0; i < table.columns().size(); ++i) {
    nb::list cells;
    for (const std::vector<CsvCell>& row : table.rows()) cells.append(python_of(row[i]));
    columns[table.columns()[i].c_str()] = cells;
  }
  return columns;
}

}  // namespace skt::python
