#include "experiments/error_curves/audit_rows.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>

#include "experiments/families/family_word.hpp"
#include "sim/json.hpp"
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
  return {{"family", name_of(plan.family)},     {"keys", plan.family.keys},      {"dim", plan.family.dim},
          {"planes", setting.planes},           {"tables", setting.tables},      {"samples", setting.samples},
          {"temperature", setting.temperature}, {"query_norm", audit.query_norm}};
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
          {"occupancy_keys", bound.occupancy},
          {"required_tables", bound.required_tables},
          {"sampling_bound", bound.over_trivial.sampling},
          {"finite_tables_bound", bound.over_trivial.finite_table},
          {"bias_bound", bound.over_trivial.bias},
          {"total_bound", bound.over_trivial.total()}};
  add_thresholds(row, "alone_needs", bound.alone);
  add_thresholds(row, "together_needs", bound.together);
  return row;
}

Row compared_row(const AuditPlan& plan, const BoundComparison& compared, const ComparedBound& bound) {
  return {{"term", name_of(bound.term)},
          {"bound", bound.name},
          {"guarantee", name_of(bound.guarantee)},
          {"delta", plan.bound_delta},
          {"draws", plan.bound_draws},
          {"fresh_tables", plan.fresh_tables},
          {"drawn_occupancy_keys", compared.occupancy},
          {"sure_occupancy_keys", compared.sure_occupancy},
          {"occupied_miss_keys", compared.occupied_miss},
          {"error_quantile_value_units", bound.quantile},
          {"error_quantile_lo_value_units", bound.quantile_interval.lo},
          {"error_quantile_hi_value_units", bound.quantile_interval.hi},
          {"bound_value_units", bound.radius},
          {"bound_over_quantile", bound.ratio()},
          {"misses", bound.misses},
          {"miss_rate_lo", bound.miss_rate.lo},
          {"miss_rate_hi", bound.miss_rate.hi},
          {"verdict", std::string(refuted(bound, plan.bound_delta) ? "refuted" : "not-refuted")}};
}

std::string readable(const BoundComparison& compared, const AuditPlan& plan) {
  std::string out =
      fmt::format("  at delta = {}, {} draws, in the unit of the values\n", plan.bound_delta, plan.bound_draws);
  out += fmt::format("  {:<15}{:<18}{:<11}{:>11}{:>15}{:>10}{:>8}\n", "term", "bound", "", "bound", "true quantile",
                     "ratio", "misses");
  for (const ComparedBound& b : compared.bounds) {
    out += fmt::format("  {:<15}{:<18}{:<11}{:>11.4g}{:>15.4g}{:>10.4g}{:>8}\n", name_of(b.term), b.name,
                       name_of(b.guarantee), b.radius, b.quantile, b.ratio(), b.misses);
  }
  return out;
}

Row joined(Row row, const Row& more) {
  row.insert(row.end(), more.begin(), more.end());
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

Json as_json(const Row& row) {
  Json object;
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
      "  planes with |tanh| >= 0.99: {}; keys that share no bucket with the query: {} (exact {})\n"
      "  effective number of distinct scores: soft {:.4g}, hard {:.3g}\n"
      "  distance from the plain mean of the values: y* {:.3g}, y_tau {:.3g}; y_tau goes {} of the way to y*\n",
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
  out += fmt::format(
      "  the error is below {} of the longest value where\n    {:<12}each term alone: {}\n    {:<12}all together:    {}\n",
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
      add(table, joined(setting_cells(audit, at), bound_row(reading, bound)));
    }
  }
  return *table;
}

CsvTable bound_ratio_table(const Audit& audit) {
  std::unique_ptr<CsvTable> table;
  for (const SettingAudit& at : audit.settings) {
    for (const ComparedBound& bound : at.compared.bounds) {
      Row row = joined(setting_cells(audit, at), compared_row(audit.plan, at.compared, bound));
      row.emplace_back("trivial_bound_value_units", at.trivial);
      add(table, row);
    }
  }
  return *table;
}

std::string audit_json(const Audit& audit) {
  Json settings = Json::array();
  for (const SettingAudit& at : audit.settings) {
    Json object = as_json(setting_row(audit, at));
    object["bounds_over_trivial_bound"] = Json::array();
    for (const auto& [reading, bound] : at.bounds.named())
      object["bounds_over_trivial_bound"].push_back(as_json(bound_row(reading, bound)));
    object["bounds_over_true_quantile"] = Json::array();
    for (const ComparedBound& bound : at.compared.bounds)
      object["bounds_over_true_quantile"].push_back(as_json(compared_row(audit.plan, at.compared, bound)));
    settings.push_back(std::move(object));
  }
  return settings.dump(1) + "\n";
}

std::string readable(const Audit& audit) {
  const FamilyParameters& family = audit.plan.family;
  std::string out = fmt::format(
      "{}: {} keys, dim {}, |q| {:.4g}; errors and bounds over the longest value, which no output exceeds\n",
      name_of(family), family.keys, family.dim, audit.query_norm);
  if (audit.part == AuditPart::all)
    out +=
        "B is the most keys of one bucket (Assumption 2): realised in one draw, a quantile of draws, or almost sure at least\n";
  for (const SettingAudit& at : audit.settings) {
    out += audit.part == AuditPart::all
               ? readable(audit, at)
               : fmt::format("\nP={} L={} tau={}\n", at.setting.planes, at.setting.tables, at.setting.temperature);
    if (audit.plan.bound_draws > 0) out += readable(at.compared, audit.plan);
  }
  return out;
}

}  // namespace skt
