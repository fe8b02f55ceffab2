#include "experiments/ranking/rows.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "experiments/ranking/lead_intervals.hpp"
#include "sim/require.hpp"

namespace skt {
namespace {

constexpr double kIntervalError = 0.05;

void append(std::vector<CsvCell>& cells, double centre, const Interval& interval) {
  cells.insert(cells.end(), {centre, interval.lo, interval.hi});
}

// Mean and interval as three cells; NaN, which a file leaves empty, where the moments are not known.
void append(std::vector<CsvCell>& cells, const Moments& moments) {
  append(cells, moments.mean(), student(moments, kIntervalError));
}

// The same of a lead, and the error of its interval; empty where nothing was compared.
void append_lead(std::vector<CsvCell>& cells, const Moments& lead, const LeadIntervals& intervals) {
  append(cells, lead.count() == 0 ? kUnknown : lead.mean(), intervals.of(lead));
  cells.push_back(intervals.error());
}

double mean_or_unknown(const Moments& moments) {
  return moments.count() == 0 ? kUnknown : moments.mean();
}

std::string size_text(Index size) {
  return size == kPublishedSize ? std::string("published") : fmt::format("{}", size);
}

// A row of a family that is not in the plan is a mistake of the caller.
const FamilyParameters& family_of(const DensityRow& row, const DensityPlan& plan) {
  const auto found = std::find_if(plan.families.begin(), plan.families.end(),
                                  [&](const NamedFamily& family) { return family.name == row.family; });
  require(found != plan.families.end(), "rankers.csv: family {} is not one of the plan", row.family);
  return found->parameters;
}

}  // namespace

CsvTable curve_table(const std::vector<RankingCurves>& curves) {
  CsvTable table = CsvTable::of(
      "setting,truth,ranker,k,metric,value,value_lo,value_hi,worst_tie_order,best_tie_order,"
      "socket_lead,socket_lead_lo,socket_lead_hi,lead_error,keys,dim,planes,tables,temperature,"
      "instances");
  const LeadIntervals intervals = intervals_of(curves);
  for (const RankingCurves& curve : curves) {
    const CurvePlan& plan = curve.plan;
    for (const RankingPoint& point : curve.points) {
      std::vector<CsvCell> cells{plan.setting, name_of(point.truth), point.ranker, point.cut, name_of(point.metric)};
      append(cells, point.average);
      cells.insert(cells.end(), {point.worst.mean(), point.best.mean()});
      append_lead(cells, point.lead, intervals);
      cells.insert(cells.end(), {plan.family.keys, plan.family.dim, plan.hash.planes, plan.hash.tables,
                                 plan.hash.socket.temperature, plan.trials});
      table.add(std::move(cells));
    }
  }
  return table;
}

CsvTable histogram_table(const std::vector<RankingCurves>& curves) {
  CsvTable table = CsvTable::of(
      "setting,ranker,k,score_low_query_norms,score_high_query_norms,keys,keys_lo,keys_hi,"
      "cutoff_query_norms");
  for (const RankingCurves& curve : curves) {
    for (const HistogramBin& bin : curve.histogram) {
      std::vector<CsvCell> cells{curve.plan.setting, bin.ranker, curve.plan.histogram_cut, bin.low,
                                 bin.low + kBinWidth};
      append(cells, bin.keys);
      cells.push_back(curve.cutoff.mean());
      table.add(std::move(cells));
    }
  }
  return table;
}

CsvTable ranker_table(const DensityTable& ranked, const DensityPlan& plan) {
  CsvTable table = CsvTable::of(
      "family,density,ranker,size,bits_per_token,selected,recall,recall_lo,recall_hi,mass,mass_lo,"
      "mass_hi,relative_error,relative_error_lo,relative_error_hi,predicted_recall,correlation,"
      "socket_lead,socket_lead_lo,socket_lead_hi,lead_error,keys,dim,planes,tables,temperature,"
      "instances");
  const LeadIntervals intervals = intervals_of(ranked);
  for (const DensityRow& row : ranked.rows) {
    const FamilyParameters& family = family_of(row, plan);
    std::vector<CsvCell> cells{row.family,          row.density,        row.ranker,
                               size_text(row.size), row.bits_per_token, row.selected.mean()};
    append(cells, row.recall);
    append(cells, row.mass);
    append(cells, row.error);
    cells.insert(cells.end(), {mean_or_unknown(row.predicted_recall), row.correlation});
    append_lead(cells, row.lead, intervals);
    cells.insert(cells.end(), {family.keys, family.dim, plan.hash.planes, plan.hash.tables,
                               plan.hash.socket.temperature, row.recall.count()});
    table.add(std::move(cells));
  }
  return table;
}

CsvTable temperature_rows(const TemperatureTable& ranked) {
  CsvTable table = CsvTable::of(
      "family,planes,temperature,ranker,k,precision,precision_lo,precision_hi,predicted_precision,"
      "correlation,socket_lead,socket_lead_lo,socket_lead_hi,lead_error,instances");
  const LeadIntervals intervals = intervals_of(ranked);
  for (const TemperatureRow& row : ranked.rows) {
    std::vector<CsvCell> cells{row.family, row.planes, row.temperature, row.ranker, row.cut};
    append(cells, row.precision);
    cells.insert(cells.end(), {row.predicted.mean(), row.correlation});
    append_lead(cells, row.lead, intervals);
    cells.push_back(row.precision.count());
    table.add(std::move(cells));
  }
  return table;
}

CsvTable prediction_table(const std::vector<PredictionResult>& results) {
  CsvTable table = CsvTable::of(
      "setting,family,keys,dim,planes,tables,temperature,score,k,quantity,predicted_value,"
      "measured_value,difference,difference_deviation,instances");
  for (const PredictionResult& result : results) {
    const PredictionSetting& setting = result.setting;
    for (const PredictionRow& row : result.rows) {
      table.add({setting.name, name_of(setting.family.family), setting.family.keys, setting.family.dim,
                 setting.hash.planes, setting.hash.tables, setting.hash.socket.temperature, name_of(row.score), row.cut,
                 name_of(row.quantity), row.predicted_value(), row.measured_value(), row.difference_value(),
                 row.difference_deviation(), row.difference.count()});
    }
  }
  return table;
}

}  // namespace skt
