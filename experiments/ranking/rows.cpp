#include "experiments/ranking/rows.hpp"

#include <fmt/format.h>

#include "sim/statistics/intervals.hpp"

namespace skt {
namespace {

constexpr double kIntervalError = 0.05;

CsvCell count_cell(std::int64_t count) {
  return count;
}

// Mean and interval as three cells; NaN, which a file leaves empty, where the moments are not known.
void append(std::vector<CsvCell>& cells, const Moments& moments) {
  const Interval interval = student(moments, kIntervalError);
  cells.insert(cells.end(), {moments.mean(), interval.lo, interval.hi});
}

std::string mean_and_half_width(const Moments& moments) {
  return fmt::format("{:.3f}±{:.3f}", moments.mean(), student(moments, kIntervalError).width() / 2);
}

const char* leads(const Moments& lead) {
  const Interval interval = student(lead, kIntervalError);
  return interval.lo > 0 ? "SOCKET above" : interval.hi < 0 ? "SOCKET below" : "no difference seen";
}

}  // namespace

CsvTable curve_table(const std::vector<RankingCurves>& curves) {
  CsvTable table({"setting", "truth", "ranker", "k", "metric", "value", "value_lo", "value_hi", "worst_tie_order",
                  "best_tie_order", "socket_lead", "socket_lead_lo", "socket_lead_hi", "keys", "dim", "planes",
                  "tables", "temperature", "instances"});
  for (const RankingCurves& curve : curves) {
    const CurvePlan& plan = curve.plan;
    for (const RankingPoint& point : curve.points) {
      std::vector<CsvCell> cells{plan.setting, name_of(point.truth), point.ranker, std::int64_t{point.cut},
                                 name_of(point.metric)};
      append(cells, point.average);
      cells.insert(cells.end(), {point.worst.mean(), point.best.mean()});
      append(cells, point.lead);
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
  CsvTable table({"family", "density", "ranker", "size", "bits_per_token", "selected", "recall", "recall_lo",
                  "recall_hi", "mass", "mass_lo", "mass_hi", "relative_error", "relative_error_lo", "relative_error_hi",
                  "predicted_recall", "instances"});
  for (const DensityRow& row : ranked.rows) {
    std::vector<CsvCell> cells{
        row.family,         row.density,
        row.ranker,         row.size == kPublishedSize ? std::string("published") : fmt::format("{}", row.size),
        row.bits_per_token, row.selected.mean()};
    append(cells, row.recall);
    append(cells, row.mass);
    append(cells, row.error);
    cells.insert(cells.end(), {row.predicted_recall, count_cell(row.recall.count())});
    table.add(std::move(cells));
  }
  return table;
}

std::string readable(const RankingCurves& curves) {
  std::string text =
      fmt::format("\n{}: precision against q.k, tie-averaged, and SOCKET's paired lead\n", curves.plan.setting);
  for (const RankingPoint& point : curves.points) {
    if (point.truth != Truth::dot_product || point.metric != RankingMetric::precision) continue;
    text += fmt::format("  k={:<5} {:<17} {}  ties {:.3f}..{:.3f}", point.cut, point.ranker,
                        mean_and_half_width(point.average), point.worst.mean(), point.best.mean());
    if (point.ranker != curve_rankers().front()) {
      text += fmt::format("  lead {}  {}", mean_and_half_width(point.lead), leads(point.lead));
    }
    text += '\n';
  }
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

}  // namespace skt
