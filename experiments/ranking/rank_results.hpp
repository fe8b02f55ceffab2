// How are measured rankings written as JSON, so that every number comes back the same?
//
// What the plan says is not written: points, bins and rows of predictions are in the plan's order. The seconds to build
// an index are not either, since no two runs agree in them. A moment in another's place would show in
// rank_results_test.cpp.
#pragma once

#include <nlohmann/json.hpp>

#include "experiments/ranking/curves.hpp"
#include "experiments/ranking/density_table.hpp"
#include "experiments/ranking/prediction.hpp"
#include "experiments/ranking/temperatures.hpp"

namespace skt {

nlohmann::ordered_json to_json(const RankingCurves& curves);
nlohmann::ordered_json to_json(const DensityTable& table);
nlohmann::ordered_json to_json(const TemperatureTable& table);
nlohmann::ordered_json to_json(const PredictionResult& result);

// InputError for what is none of this plan.
RankingCurves curves_from(const nlohmann::ordered_json& json, const CurvePlan& plan);
PredictionResult prediction_from(const nlohmann::ordered_json& json, const PredictionSetting& setting);

// The rows of one family after those that are there.
void add_rows(const nlohmann::ordered_json& json, const NamedFamily& family, DensityTable& table);
void add_rows(const nlohmann::ordered_json& json, const NamedFamily& family, TemperatureTable& table);

}  // namespace skt
