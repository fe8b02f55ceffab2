// How are predicted selections written down beside the measured ones?
//
// ranking_prediction.csv: a row to each setting, score, k and quantity, with both numbers, their difference (relative
// for the output error) and its standard error over instances. A difference that is not that of the two columns before
// it, or not their ratio less one, would show; for the ratio to first order.
#pragma once

#include <vector>

#include "experiments/files/csv.hpp"
#include "experiments/ranking/prediction.hpp"

namespace skt {

CsvTable prediction_table(const std::vector<PredictionResult>& results);

}  // namespace skt
