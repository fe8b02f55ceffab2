// What does a reader at the terminal see of a ranking run? Some dozens of lines a part; the files have every number.
//
// A line for each ranker or setting, with the k, families or quantities in columns, and for SOCKET's leads on how many of
// them the interval lies above or below 0 (lead_intervals.hpp). The rankers also show the seconds to build an index,
// which no file holds: they are not reproducible. A column that stood under another's name would show in
// summary_test.cpp.
#pragma once

#include <string>
#include <vector>

#include "experiments/ranking/curves.hpp"
#include "experiments/ranking/density_table.hpp"
#include "experiments/ranking/prediction.hpp"
#include "experiments/ranking/temperatures.hpp"

namespace skt {

// Precision against q.k by k, a block of lines for each setting.
std::string summary(const std::vector<RankingCurves>& curves);

// Recall at published sizes by family, at the middle one of the densities.
std::string summary(const DensityTable& table);

// Precision by family, at the largest k.
std::string summary(const TemperatureTable& table);

// The largest difference over k of each quantity, and those outside the claimed distance.
std::string summary(const std::vector<PredictionResult>& results);

}  // namespace skt
