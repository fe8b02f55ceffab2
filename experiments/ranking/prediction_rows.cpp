#include "experiments/ranking/prediction_rows.hpp"

#include <fmt/format.h>

namespace skt {

CsvTable prediction_table(const std::vector<PredictionResult>& results) {
  CsvTable table({"setting", "family", "keys", "dim", "planes", "tables", "temperature", "score", "k", "quantity",
                  "predicted_value", "measured_value", "difference", "difference_deviation", "instances"});
  for (const PredictionResult& result : results) {
    const PredictionSetting& setting = result.setting;
    for (const PredictionRow& row : result.rows) {
      table.add({setting.name, name_of(setting.family.family), std::int64_t{setting.family.keys},
                 std::int64_t{setting.family.dim}, std::int64_t{setting.hash.planes}, std::int64_t{setting.hash.tables},
                 setting.hash.socket.temperature, name_of(row.score), std::int64_t{row.cut}, name_of(row.quantity),
                 row.predicted_value(), row.measured_value(), row.difference_value(), row.difference_deviation(),
                 row.difference.count()});
    }
  }
  return table;
}

std::string readable(const std::vector<PredictionResult>& results) {
  std::string text = fmt::format(
      "\nPredicted without tables, and measured (an approximation)\n  {:<17}{:>6}{:>4}{:>5} "
      "{:<16}{:>6} {:<13}{:>10}{:>10}{:>18}\n",
      "setting", "keys", "P", "tau", "score", "k", "quantity", "predicted", "measured", "difference");
  for (const PredictionResult& result : results) {
    const PredictionSetting& setting = result.setting;
    for (const PredictionRow& row : result.rows) {
      text +=
          fmt::format("  {:<17}{:>6}{:>4}{:>5g} {:<16}{:>6} {:<13}{:>10.4f}{:>10.4f}{:>+10.4f} ± {:.4f}{}\n",
                      setting.name, setting.family.keys, setting.hash.planes, setting.hash.socket.temperature,
                      name_of(row.score), row.cut, name_of(row.quantity), row.predicted_value(), row.measured_value(),
                      row.difference_value(), row.difference_deviation(), row.within_claim() ? "" : "  outside");
    }
  }
  return text;
}

}  // namespace skt
