#include "experiments/ranking/rank_results.hpp"

#include "sim/require.hpp"

namespace skt {

namespace {

// Into items that the plan knows, in its order.
template <class Item>
void read_all(const Json& json, std::vector<Item>& items) {
  read(array_of(json, items.size()), items);
}

template <class Table>
void add_rows_of(const Json& json, const NamedFamily& family, Table& table) {
  auto rows = from_json<decltype(table.rows)>(json);
  for (auto& row : rows) row.family = family.name;
  table.rows.insert(table.rows.end(), rows.begin(), rows.end());
}

}  // namespace

RankingCurves curves_from(const Json& json, const CurvePlan& plan) {
  RankingCurves curves = empty_curves(plan);
  read_all(array_of(json, 3)[0], curves.points);
  read_all(json[1], curves.histogram);
  read(json[2], curves.cutoff);
  return curves;
}

void add_rows(const Json& json, const NamedFamily& family, DensityTable& table) {
  add_rows_of(json, family, table);
}

void add_rows(const Json& json, const NamedFamily& family, TemperatureTable& table) {
  add_rows_of(json, family, table);
}

PredictionResult prediction_from(const Json& json, const PredictionSetting& setting) {
  PredictionResult result = empty_result(setting);
  read_all(json, result.rows);
  return result;
}

}  // namespace skt
