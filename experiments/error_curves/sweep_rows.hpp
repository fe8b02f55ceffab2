// How is a sweep written down? sweep.csv: one row for each value of the axis and error term; sweep_slopes.csv: one row
// for each fitted slope; and a short table for the reader at the terminal. plots/ reads the two files and nothing else.
#pragma once

#include <string>
#include <vector>

#include "experiments/error_curves/sweep.hpp"
#include "experiments/files/csv.hpp"

namespace skt {

CsvTable sweep_table(const std::vector<SweepResult>& sweeps);
CsvTable slope_table(const std::vector<SweepResult>& sweeps);

std::string readable(const SweepResult& sweep);

}  // namespace skt
