#include "experiments/attend/comparison.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace skt {
namespace {

std::vector<Index> sorted(std::vector<Index> keys) {
  std::sort(keys.begin(), keys.end());
  return keys;
}

std::vector<Index> only_in_first(const std::vector<Index>& first, const std::vector<Index>& second) {
  std::vector<Index> alone;
  std::set_difference(first.begin(), first.end(), second.begin(), second.end(), std::back_inserter(alone));
  return alone;
}

std::string mean_of(const Json& rows, const char* key) {
  double sum = 0;
  int count = 0;
  for (const Json& row : rows) {
    if (row[key].is_null()) continue;
    sum += row[key].get<double>();
    ++count;
  }
  return count == 0 ? "-" : fmt::format("{:.6g}", sum / count);
}

}  // namespace

AttendComparison::AttendComparison(const AttendVariant& first, const AttendVariant& second)
    : comparison_{{"first", first.profile}, {"second", second.profile}, {"per_query", Json::array()}} {}

void AttendComparison::add(Index head, const QueryResult& first, const QueryResult& second) {
  const std::vector<Index> a = sorted(first.selected), b = sorted(second.selected);
  const std::vector<Index> only_a = only_in_first(a, b), only_b = only_in_first(b, a);
  const auto common = std::ssize(a) - std::ssize(only_a), either = common + std::ssize(only_a) + std::ssize(only_b);
  Json row = {{"query", comparison_["per_query"].size()},
              {"head", head},
              {"selected_by_both", common},
              {"only_first", only_a},
              {"only_second", only_b}};
  row["jaccard"] = either == 0 ? Json(nullptr) : Json(double(common) / double(either));
  row["output_distance"] = nullptr;
  row["relative_output_distance"] = nullptr;
  if (first.output && second.output && first.output->allFinite() && second.output->allFinite()) {
    const double distance = (*first.output - *second.output).norm(), length = first.output->norm();
    row["output_distance"] = distance;
    if (length > 0) row["relative_output_distance"] = distance / length;
  }
  comparison_["per_query"].push_back(row);
}

std::string AttendComparison::line() const {
  const Json& rows = comparison_["per_query"];
  return fmt::format("{} against {}: mean Jaccard index of the selected sets {}, mean distance of the outputs {}\n",
                     comparison_["first"].get<std::string>(), comparison_["second"].get<std::string>(),
                     mean_of(rows, "jaccard"), mean_of(rows, "output_distance"));
}

}  // namespace skt
