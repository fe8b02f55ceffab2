#include "experiments/ranking/rank_results.hpp"

#include "experiments/parts/exact_numbers.hpp"
#include "sim/require.hpp"

namespace skt {
namespace {

// What an item holds of its trials, in the order of its row.
constexpr Moments RankingPoint::* kOfPoint[] = {&RankingPoint::average, &RankingPoint::worst, &RankingPoint::best,
                                                &RankingPoint::lead};
constexpr Moments HistogramBin::* kOfBin[] = {&HistogramBin::keys};
constexpr Moments DensityRow::* kOfRanker[] = {&DensityRow::selected, &DensityRow::recall,           &DensityRow::mass,
                                               &DensityRow::error,    &DensityRow::predicted_recall, &DensityRow::lead};
constexpr Moments TemperatureRow::* kOfTemperature[] = {&TemperatureRow::precision, &TemperatureRow::predicted,
                                                        &TemperatureRow::lead};
constexpr Moments PredictionRow::* kOfPrediction[] = {&PredictionRow::predicted, &PredictionRow::measured,
                                                      &PredictionRow::difference};

template <class Item, std::size_t count>
Json moments_of(const Item& item, Moments Item::* const (&members)[count]) {
  Json array = Json::array();
  for (const auto member : members) array.push_back(to_json(item.*member));
  return array;
}

template <class Item, std::size_t count>
void read_moments(const Json& json, Moments Item::* const (&members)[count], Item& item) {
  if (!json.is_array() || json.size() != count) refuse("{}: allowed are {} moments", json.dump(), count);
  for (std::size_t i = 0; i < count; ++i) item.*members[i] = moments_from(json[i]);
}

template <class Item, std::size_t count>
Json moments_of_all(const std::vector<Item>& items, Moments Item::* const (&members)[count]) {
  Json array = Json::array();
  for (const Item& item : items) array.push_back(moments_of(item, members));
  return array;
}

// Of items that the plan knows, in its order.
template <class Item, std::size_t count>
void read_all(const Json& json, Moments Item::* const (&members)[count], std::vector<Item>& items) {
  if (!json.is_array() || json.size() != items.size())
    refuse("{} results: allowed are the {} of the plan", json.size(), items.size());
  for (std::size_t i = 0; i < items.size(); ++i) read_moments(json[i], members, items[i]);
}

}  // namespace

Json to_json(const RankingCurves& curves) {
  return {{"points", moments_of_all(curves.points, kOfPoint)},
          {"histogram", moments_of_all(curves.histogram, kOfBin)},
          {"cutoff", to_json(curves.cutoff)}};
}

RankingCurves curves_from(const Json& json, const CurvePlan& plan) {
  RankingCurves curves = empty_curves(plan);
  read_all(json.at("points"), kOfPoint, curves.points);
  read_all(json.at("histogram"), kOfBin, curves.histogram);
  curves.cutoff = moments_from(json.at("cutoff"));
  return curves;
}

Json to_json(const DensityTable& table) {
  Json rows = Json::array();
  for (const DensityRow& row : table.rows) {
    rows.push_back({{"ranker", row.ranker},
                    {"size", row.size},
                    {"density", to_json(row.density)},
                    {"bits_per_token", to_json(row.bits_per_token)},
                    {"correlation", to_json(row.correlation)},
                    {"moments", moments_of(row, kOfRanker)}});
  }
  return rows;
}

void add_rows(const Json& json, const NamedFamily& family, DensityTable& table) {
  for (const Json& row : json) {
    DensityRow& added = table.rows.emplace_back();
    added.family = family.name;
    added.ranker = row.at("ranker").get<std::string>();
    added.size = row.at("size").get<Index>();
    added.density = double_from(row.at("density"));
    added.bits_per_token = double_from(row.at("bits_per_token"));
    added.correlation = double_from(row.at("correlation"));
    read_moments(row.at("moments"), kOfRanker, added);
  }
}

Json to_json(const TemperatureTable& table) {
  Json rows = Json::array();
  for (const TemperatureRow& row : table.rows) {
    rows.push_back({{"planes", row.planes},
                    {"temperature", to_json(row.temperature)},
                    {"ranker", row.ranker},
                    {"cut", row.cut},
                    {"correlation", to_json(row.correlation)},
                    {"moments", moments_of(row, kOfTemperature)}});
  }
  return rows;
}

void add_rows(const Json& json, const NamedFamily& family, TemperatureTable& table) {
  for (const Json& row : json) {
    TemperatureRow& added = table.rows.emplace_back();
    added.family = family.name;
    added.planes = row.at("planes").get<Index>();
    added.temperature = double_from(row.at("temperature"));
    added.ranker = row.at("ranker").get<std::string>();
    added.cut = row.at("cut").get<Index>();
    added.correlation = double_from(row.at("correlation"));
    read_moments(row.at("moments"), kOfTemperature, added);
  }
}

Json to_json(const PredictionResult& result) {
  return moments_of_all(result.rows, kOfPrediction);
}

PredictionResult prediction_from(const Json& json, const PredictionSetting& setting) {
  PredictionResult result = empty_result(setting);
  read_all(json, kOfPrediction, result.rows);
  return result;
}

}  // namespace skt
