// How are measured rankings written as JSON, so that every number comes back the same?
//
// What the plan says is not written: points, bins and rows of predictions are in the plan's order. The seconds to build
// an index are not either, since no two runs agree in them. A moment in another's place would show in
// rank_results_test.cpp.
#pragma once

#include "experiments/parts/exact_numbers.hpp"
#include "experiments/ranking/curves.hpp"
#include "experiments/ranking/density_table.hpp"
#include "experiments/ranking/prediction.hpp"
#include "experiments/ranking/temperatures.hpp"

namespace skt {

constexpr auto members_of(const RankingPoint*) {
  return std::tuple(&RankingPoint::average, &RankingPoint::worst, &RankingPoint::best, &RankingPoint::lead);
}
constexpr auto members_of(const HistogramBin*) {
  return std::tuple(&HistogramBin::keys);
}
constexpr auto members_of(const RankingCurves*) {
  return std::tuple(&RankingCurves::points, &RankingCurves::histogram, &RankingCurves::cutoff);
}
constexpr auto members_of(const DensityRow*) {
  return std::tuple(&DensityRow::ranker, &DensityRow::size, &DensityRow::density, &DensityRow::bits_per_token,
                    &DensityRow::correlation, &DensityRow::selected, &DensityRow::recall, &DensityRow::mass,
                    &DensityRow::error, &DensityRow::predicted_recall, &DensityRow::lead);
}
constexpr auto members_of(const TemperatureRow*) {
  return std::tuple(&TemperatureRow::planes, &TemperatureRow::temperature, &TemperatureRow::ranker,
                    &TemperatureRow::cut, &TemperatureRow::correlation, &TemperatureRow::precision,
                    &TemperatureRow::predicted, &TemperatureRow::lead);
}
constexpr auto members_of(const PredictionRow*) {
  return std::tuple(&PredictionRow::predicted, &PredictionRow::measured, &PredictionRow::difference);
}

// InputError for what is none of this plan.
RankingCurves curves_from(const Json& json, const CurvePlan& plan);
PredictionResult prediction_from(const Json& json, const PredictionSetting& setting);

// The rows of one family after those that are there.
void add_rows(const Json& json, const NamedFamily& family, DensityTable& table);
void add_rows(const Json& json, const NamedFamily& family, TemperatureTable& table);

}  // namespace skt
