// How are rankings written down? ranking_curves.csv (Figure 2 against k), ranking_histogram.csv (its part (d)),
// rankers.csv (every ranker by family, density and memory) and ranking_temperatures.csv (SOCKET by temperature and
// query norm). The intervals of values are Student's at 95% over instances, each by itself; those of SOCKET's leads hold
// together over the whole file (lead_intervals.hpp), each at the error in the column lead_error. plots/ reads these files
// and nothing else.
#pragma once

#include <vector>

#include "experiments/files/csv.hpp"
#include "experiments/ranking/curves.hpp"
#include "experiments/ranking/density_table.hpp"
#include "experiments/ranking/prediction.hpp"
#include "experiments/ranking/temperatures.hpp"

namespace skt {

CsvTable curve_table(const std::vector<RankingCurves>& curves);
CsvTable histogram_table(const std::vector<RankingCurves>& curves);
CsvTable ranker_table(const DensityTable& ranked, const DensityPlan& plan);  // of the plan: the size of a row's keys
CsvTable temperature_rows(const TemperatureTable& ranked);

// ranking_prediction.csv: a row to each setting, score, k and quantity, with the predicted and the measured number, their
// difference (relative for the output error) and its standard error over instances. A difference that is not that of the
// two columns before it, or not their ratio less one, would show; for the ratio to first order.
CsvTable prediction_table(const std::vector<PredictionResult>& results);

}  // namespace skt
