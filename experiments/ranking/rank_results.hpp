// How are measured rankings written as JSON, so that every number comes back the same?
//
// What the plan says is not written: points, bins and rows of predictions are in the plan's order. The seconds to build
// an index are not either, since no two runs agree in them. A moment in another's place would show in
// rank_results_test.cpp.
#pragma once

#include "experiments/ranking/curves.hpp"
#include "experiments/ranking/density_table.hpp"
#include "experiments/ranking/prediction.hpp"
#include "experiments/ranking/temperatures.hpp"
#include "sim/json.hpp"

namespace skt {

Json to_json(const RankingCurves& curves);
Json to_json(const DensityTable& table);
Json to_json(const TemperatureTable& table);
Json to_json(const PredictionResult& result);

// InputError for what is none of this plan.
RankingCurves curves_from(const Json& json, const CurvePlan& plan);
PredictionResult prediction_from(const Json& json, const PredictionSetting& setting);

// The rows of one family after those that are there.
void add_rows(const Json& json, const NamedFamily& family, DensityTable& table);
void add_rows(const Json& json, const NamedFamily& family, TemperatureTable& table);

}  // namespace skt
