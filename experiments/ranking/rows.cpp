#include "experiments/ranking/rows.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "experiments/ranking/lead_intervals.hpp"

namespace skt {
namespace {

constexpr double kIntervalError = 0.05;
constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();

CsvCell count_cell(std::int64_t count) {
  return count;
}

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

std::string mean_and_half_width(const Moments& moments) {
  return fmt::format("{:.3f}±{:.3f}", moments.mean(), student(moments, kIntervalError).width() / 2);
}

std::string lead_in_words(const Moments& lead, const LeadIntervals& intervals) {
  return fmt::format("{:+.3f}±{:.3f}  {}", lead.mean(), intervals.of(lead).width() / 2, intervals.in_words(lead));
}

bool has_rival(const std::string& ranker) {
  return ranker != curve_rankers().front();
}

LeadIntervals intervals_of(const std::vector<RankingCurves>& curves) {
  std::size_t leads = 0;
  for (const RankingCurves& curve : curves)
    leads += std::count_if(curve.points.begin(), curve.points.end(),
                           [](const RankingPoint& point) { return has_rival(point.ranker); });
  return LeadIntervals(leads);
}

LeadIntervals intervals_of(const DensityTable& table) {
  return LeadIntervals(
      std::count_if(table.rows.begin(), table.rows.end(), [](const DensityRow& row) { return row.lead.count() > 0; }));
}

LeadIntervals intervals_of(const TemperatureTable& table) {
  return LeadIntervals(std::count_if(table.rows.begin(), table.rows.end(),
                                     [](const TemperatureRow& row) { return has_rival(row.ranker); }));
}

std::string size_text(Index size) {
  return size == kPublishedSize ? std::string("published") : fmt::format("{}", size);
}

std::string readable(const RankingCurves& curves, const LeadIntervals& intervals) {
  std::string text =
      fmt::format("\n{}: precision against q.k, tie-averaged, and SOCKET's paired lead\n", curves.plan.setting);
  for (const RankingPoint& point : curves.points) {
    if (point.truth != Truth::dot_product || point.metric != RankingMetric::precision) continue;
    text += fmt::format("  k={:<5} {:<17} {}  ties {:.3f}..{:.3f}", point.cut, point.ranker,
                        mean_and_half_width(point.average), point.worst.mean(), point.best.mean());
    if (has_rival(point.ranker)) text += "  lead " + lead_in_words(point.lead, intervals);
    text += '\n';
  }
  return text;
}

}  // namespace

CsvTable curve_table(const std::vector<RankingCurves>& curves) {
  CsvTable table({"setting",         "truth",          "ranker",      "k",
                  "metric",          "value",          "value_lo",    "value_hi",
                  "worst_tie_order", "best_tie_order", "socket_lead", "socket_lead_lo",
                  "socket_lead_hi",  "lead_error",     "keys",        "dim",
                  "planes",          "tables",         "temperature", "instances"});
  const LeadIntervals intervals = intervals_of(curves);
  for (const RankingCurves& curve : curves) {
    const CurvePlan& plan = curve.plan;
    for (const RankingPoint& point : curve.points) {
      std::vector<CsvCell> cells{plan.setting, name_of(point.truth), point.ranker, std::int64_t{point.cut},
                                 name_of(point.metric)};
      append(cells, point.average);
      cells.insert(cells.end(), {point.worst.mean(), point.best.mean()});
      append_lead(cells, point.lead, intervals);
      cells.insert(cells.end(),
                   {std::int64_t{plan.family.keys}, std::int64_t{plan.family.dim}, std::int64_t{plan.hash.planes},
                    std::int64_t{plan.hash.tables}, plan.hash.socket.temperature, count_cell(plan.trials)});
      table.add(std::move(cells));
    }
  }
  return table;
}

CsvTable histogram_table(const std::vector<RankingCurves>& curves) {
  CsvTable table({"setting", "ranker", "k", "score_low_query_norms", "score_high_query_norms", "keys", "keys_lo",
                  "keys_hi", "cutoff_query_norms"});
  for (const RankingCurves& curve : curves) {
    for (const HistogramBin& bin : curve.histogram) {
      std::vector<CsvCell> cells{curve.plan.setting, bin.ranker, std::int64_t{curve.plan.histogram_cut}, bin.low,
                                 bin.low + kBinWidth};
      append(cells, bin.keys);
      cells.push_back(curve.cutoff.mean());
      table.add(std::move(cells));
    }
  }
  return table;
}

CsvTable ranker_table(const DensityTable& ranked) {
  CsvTable table({"family",
                  "density",
                  "ranker",
                  "size",
                  "bits_per_token",
                  "selected",
                  "recall",
                  "recall_lo",
                  "recall_hi",
                  "mass",
                  "mass_lo",
                  "mass_hi",
                  "relative_error",
                  "relative_error_lo",
                  "relative_error_hi",
                  "predicted_recall",
                  "correlation",
                  "socket_lead",
                  "socket_lead_lo",
                  "socket_lead_hi",
                  "lead_error",
                  "instances"});
  const LeadIntervals intervals = intervals_of(ranked);
  for (const DensityRow& row : ranked.rows) {
    std::vector<CsvCell> cells{row.family,          row.density,        row.ranker,
                               size_text(row.size), row.bits_per_token, row.selected.mean()};
    append(cells, row.recall);
    append(cells, row.mass);
    append(cells, row.error);
    cells.insert(cells.end(), {mean_or_unknown(row.predicted_recall), row.correlation});
    append_lead(cells, row.lead, intervals);
    cells.push_back(count_cell(row.recall.count()));
    table.add(std::move(cells));
  }
  return table;
}

CsvTable temperature_rows(const TemperatureTable& ranked) {
  CsvTable table({"family", "planes", "temperature", "ranker", "k", "precision", "precision_lo", "precision_hi",
                  "predicted_precision", "correlation", "socket_lead", "socket_lead_lo", "socket_lead_hi", "lead_error",
                  "instances"});
  const LeadIntervals intervals = intervals_of(ranked);
  for (const TemperatureRow& row : ranked.rows) {
    std::vector<CsvCell> cells{row.family, std::int64_t{row.planes}, row.temperature, row.ranker,
                               std::int64_t{row.cut}};
    append(cells, row.precision);
    cells.insert(cells.end(), {row.predicted.mean(), row.correlation});
    append_lead(cells, row.lead, intervals);
    cells.push_back(count_cell(row.precision.count()));
    table.add(std::move(cells));
  }
  return table;
}

std::string readable(const std::vector<RankingCurves>& curves) {
  const LeadIntervals intervals = intervals_of(curves);
  std::string text;
  for (const RankingCurves& curve : curves) text += readable(curve, intervals);
  return text;
}

std::string readable(const DensityTable& table) {
  std::string text = fmt::format("\n{:<21}{:>7} {:<23}{:>6} {:>13}{:>13}{:>13}{:>10}\n", "family", "density", "ranker",
                                 "bits", "recall", "mass", "rel. error", "build s");
  for (const DensityRow& row : table.rows) {
    if (row.size != kPublishedSize) continue;
    const auto built = table.build_seconds.find(index_name(row));
    text += fmt::format("{:<21}{:>7} {:<23}{:>6.0f} {:>14}{:>14}{:>14}{:>9}\n", row.family, row.density, row.ranker,
                        row.bits_per_token, mean_and_half_width(row.recall), mean_and_half_width(row.mass),
                        mean_and_half_width(row.error),
                        built == table.build_seconds.end() ? "" : fmt::format("{:.3f}", built->second.mean()));
  }
  return text;
}

std::string readable(const TemperatureTable& table) {
  const LeadIntervals intervals = intervals_of(table);
  std::string text = "\nprecision against q.k by temperature, and SOCKET's paired lead\n";
  for (const TemperatureRow& row : table.rows) {
    text += fmt::format("  {:<21} P={:<3} tau={:<4g} k={:<5} {:<9} {} predicted {:.3f}", row.family, row.planes,
                        row.temperature, row.cut, row.ranker, mean_and_half_width(row.precision), row.predicted.mean());
    if (has_rival(row.ranker)) text += "  lead " + lead_in_words(row.lead, intervals);
    text += '\n';
  }
  return text;
}

}  // namespace skt
