// How are rankings written down? ranking_curves.csv (Figure 2 against k), ranking_histogram.csv (its part (d)) and
// rankers.csv (every ranker by family, density and memory); intervals are Student's at 95% over instances. plots/ reads
// these files and nothing else. The tables for the reader at the terminal say in words what came out, and hold the
// seconds to build an index, which no file holds: they are not reproducible.
#pragma once

#include <string>
#include <vector>

#include "experiments/files/csv.hpp"
#include "experiments/ranking/curves.hpp"
#include "experiments/ranking/density_table.hpp"

namespace skt {

CsvTable curve_table(const std::vector<RankingCurves>& curves);
CsvTable histogram_table(const std::vector<RankingCurves>& curves);
CsvTable ranker_table(const DensityTable& ranked);

std::string readable(const RankingCurves& curves);
std::string readable(const DensityTable& table);

}  // namespace skt
