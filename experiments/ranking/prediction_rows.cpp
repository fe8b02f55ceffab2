#include "experiments/ranking/rows.hpp"

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

}  // namespace skt
