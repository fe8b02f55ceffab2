// How is an audit written down? audit.csv: one row for each setting; audit_bounds.csv: one for each setting and reading
// of the occupancy; bound_ratios.csv: one for each setting and bound that is compared with the true quantile;
// audit.json: all of them, nested; and a text for the reader at the terminal. Thresholds of the temperature that no
// temperature exceeds are "inf" in the CSV and null in the JSON.
#pragma once

#include <string>

#include "experiments/error_curves/audit.hpp"
#include "experiments/files/csv.hpp"

namespace skt {

CsvTable audit_table(const Audit& audit);
CsvTable audit_bound_table(const Audit& audit);
CsvTable bound_ratio_table(const Audit& audit);  // where bounds were compared
std::string audit_json(const Audit& audit);

std::string readable(const Audit& audit);

}  // namespace skt
