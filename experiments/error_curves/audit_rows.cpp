#include "experiments/error_curves/audit_rows.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <nlohmann/json.hpp>

#include "sim/statistics/intervals.hpp"

namespace skt {
namespace {

constexpr double kIntervalError = 0.05;

using Cell = std::pair<std::string, CsvCell>;
using Row = std::vector<Cell>;

// Root mean square over the trivial bound with its interval.
void add_measured(Row& row, const std::string& name, const Moments& squares, double trivial) {
  const Interval interval = student(squares, kIntervalError);
  row.emplace_back(name, std::sqrt(squares.mean()) / trivial);
  row.emplace_back(name + "_lo", std::sqrt(std::max(0.0, interval.lo)) / trivial);
  row.emplace_back(name + "_hi", std::sqrt(interval.hi) / trivial);
}

void add_thresholds(Row& row, const std::string& name, const Thresholds& t) {
  row.emplace_back(name + "_tables", t.tables);
  row.emplace_back(name + "_samples", t.samples);
  row.emplace_back(name + "_temperature", t.temperature);
}

Row setting_cells(const Audit& audit, const SettingAudit& at) {
  const auto& [plan, setting] = std::tie(audit.plan, at.setting);
  return {{"family", name_of(plan.family.family)},  {"keys", std::int64_t{plan.family.keys}},
          {"dim", std::int64_t{plan.family.dim}},   {"planes", std::int64_t{setting.planes}},
          {"tables", std::int64_t{setting.tables}}, {"samples", std::int64_t{setting.samples}},
          {"temperature", setting.temperature},     {"query_norm", audit.query_norm}};
}

Row setting_row(const Audit& audit, const SettingAudit& at) {
  Row row = setting_cells(audit, at);
  row.insert(row.end(), {{"bits_per_token", at.bits_per_token()},
                         {"epsilon", at.centre.epsilon},
                         {"population_mass", at.centre.population_mass},
                         {"angular_mass", at.centre.angular_mass},
                         {"trivial_bound_value_units", at.trivial},
                         {"saturated_planes", at.saturated_planes},
                         {"keys_never_hit", at.tables.keys_never_hit.mean()},
                         {"keys_never_hit_exact", at.keys_never_hit},
                         {"distinct_scores_effective", at.tables.distinct_scores.mean()},
                         {"distinct_hard_counts_effective", at.tables.distinct_hard_counts.mean()},
                         {"angular_deviation_from_mean", at.angular_deviation},
                         {"population_deviation_from_mean", at.population_deviation},
                         {"recovered_deviation", at.recovered},
                         {"sampling_error_exact", at.sampling},
                         {"finite_tables_error_exact", at.finite_tables},
                         {"bias_exact", at.bias}});
  add_measured(row, "sampling_error", at.measured.sampling, at.trivial);
  add_measured(row, "finite_tables_error", at.measured.finite_tables, at.trivial);
  add_measured(row, "total_error", at.measured.total, at.trivial);
  row.emplace_back("target_error", audit.plan.target);
  add_thresholds(row, "error_alone_needs", at.needs.alone);
  add_thresholds(row, "error_together_needs", at.needs.together);
  return row;
}

Row bound_row(const std::string& reading, const BoundAudit& bound) {
  Row row{{"reading", reading},
          {"occupancy_keys", std::int64_t{bound.occupancy}},
          {"required_tables", bound.required_tables},
          {"sampling_bound", bound.over_trivial.sampling},
          {"finite_tables_bound", bound.over_trivial.finite_table},
          {"bias_bound", bound.over_trivial.bias},
          {"total_bound", bound.over_trivial.total()}};
  add_thresholds(row, "alone_needs", bound.alone);
  add_thresholds(row, "together_needs", bound.together);
  return row;
}

void add(std::unique_ptr<CsvTable>& table, const Row& row) {
  std::vector<std::string> names;
  std::vector<CsvCell> cells;
  for (const auto& [name, cell] : row) {
    names.push_back(name);
    cells.push_back(cell);
  }
  if (!table) table = std::make_unique<CsvTable>(names);
  table->add(std::move(cells));
}

nlohmann::ordered_json as_json(const Row& row) {
  nlohmann::ordered_json object;
  for (const auto& [name, cell] : row) std::visit([&](const auto& value) { object[name] = value; }, cell);
  return object;
}

std::string temperature_text(double temperature) {
  return std::isinf(temperature) ? "any tau" : fmt::format("tau <= {:.3g}", temperature);
}

std::string needs(const Thresholds& t) {
  return fmt::format("L >= {:.3g}, M >= {:.3g}, {}", t.tables, t.samples, temperature_text(t.temperature));
}

std::string readable(const Audit& audit, const SettingAudit& at) {
  const auto percent = [](double share) { return fmt::format("{:.3g}%", 100 * share); };
  std::string out = fmt::format(
      "\nP={} L={} tau={}: {:.0f} bits per token, epsilon {:.4f}, Z_tau {:.4g}, Z {:.4g}\n"
      "  planes with |tanh| >= 0.99: {}; keys that no table brings to the query: {} (exact {})\n"
      "  effective number of distinct scores: soft {:.4g}, hard {:.3g}\n"
      "  from the plain mean: y* {:.3g}, y_tau {:.3g}; recovered {} of the way to y*\n",
      at.setting.planes, at.setting.tables, at.setting.temperature, at.bits_per_token(), at.centre.epsilon,
      at.centre.population_mass, at.centre.angular_mass, percent(at.saturated_planes),
      percent(at.tables.keys_never_hit.mean()), percent(at.keys_never_hit), at.tables.distinct_scores.mean(),
      at.tables.distinct_hard_counts.mean(), at.angular_deviation, at.population_deviation, percent(at.recovered));
  const auto rms = [&](const Moments& squares) { return std::sqrt(squares.mean()) / at.trivial; };
  out += fmt::format("  {:<12}{:>9}{:>11}{:>12}{:>12}{:>12}\n", "", "B", "required L", "sampling", "tables", "bias");
  for (const auto& [reading, b] : at.bounds.named()) {
    out += fmt::format("  {:<12}{:>9}{:>11.4g}{:>12.4g}{:>12.4g}{:>12.4g}\n", reading, b.occupancy, b.required_tables,
                       b.over_trivial.sampling, b.over_trivial.finite_table, b.over_trivial.bias);
  }
  out += fmt::format("  {:<32}{:>12.4g}{:>12.4g}{:>12.4g}\n  {:<32}{:>12.4g}{:>12.4g}{:>12}   total {:.4g}\n",
                     "exact error", at.sampling, at.finite_tables, at.bias, "measured", rms(at.measured.sampling),
                     rms(at.measured.finite_tables), "", rms(at.measured.total));
  out += "  the bound is below the longest value where\n";
  for (const auto& [reading, b] : at.bounds.named()) {
    out += fmt::format("    {:<12}each term alone: {}\n    {:<12}all together:    {}\n", reading, needs(b.alone), "",
                       needs(b.together));
  }
  out +=
      fmt::format("  the error is below {} of it where\n    {:<12}each term alone: {}\n    {:<12}all together:    {}\n",
                  audit.plan.target, "", needs(at.needs.alone), "", needs(at.needs.together));
  return out;
}

}  // namespace

CsvTable audit_table(const Audit& audit) {
  std::unique_ptr<CsvTable> table;
  for (const SettingAudit& at : audit.settings) add(table, setting_row(audit, at));
  return *table;
}

CsvTable audit_bound_table(const Audit& audit) {
  std::unique_ptr<CsvTable> table;
  for (const SettingAudit& at : audit.settings) {
    for (const auto& [reading, bound] : at.bounds.named()) {
      Row row = setting_cells(audit, at);
      const Row more = bound_row(reading, bound);
      row.insert(row.end(), more.begin(), more.end());
      add(table, row);
    }
  }
  return *table;
}

std::string audit_json(const Audit& audit) {
  nlohmann::ordered_json settings = nlohmann::ordered_json::array();
  for (const SettingAudit& at : audit.settings) {
    nlohmann::ordered_json object = as_json(setting_row(audit, at));
    object["bounds_over_trivial_bound"] = nlohmann::ordered_json::array();
    for (const auto& [reading, bound] : at.bounds.named())
      object["bounds_over_trivial_bound"].push_back(as_json(bound_row(reading, bound)));
    settings.push_back(std::move(object));
  }
  return settings.dump(1) + "\n";
}

std::string readable(const Audit& audit) {
  const FamilyParameters& family = audit.plan.family;
  std::string out = fmt::format("{}: {} keys, dim {}, |q| {:.4g}; errors and bounds over the longest value\n",
                                name_of(family.family), family.keys, family.dim, audit.query_norm);
  for (const SettingAudit& at : audit.settings) out += readable(audit, at);
  return out;
}

}  // namespace skt
