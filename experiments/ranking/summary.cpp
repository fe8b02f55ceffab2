#include "experiments/ranking/summary.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "experiments/ranking/lead_intervals.hpp"

namespace skt {
namespace {

// In the order of their first appearance.
template <class Item>
void add_once(std::vector<Item>& items, const Item& item) {
  if (std::count(items.begin(), items.end(), item) == 0) items.push_back(item);
}

// On how many leads SOCKET is called above or below.
class Leads {
 public:
  explicit Leads(const LeadIntervals& intervals) : intervals_(intervals) {}

  void add(const Moments& lead) {
    const std::string words = intervals_.in_words(lead);
    above_ += words == "SOCKET above" ? 1 : 0;
    below_ += words == "SOCKET below" ? 1 : 0;
    ++all_;
  }
  std::string text() const { return fmt::format("SOCKET above {}, below {} of {}", above_, below_, all_); }

 private:
  LeadIntervals intervals_;
  int above_ = 0, below_ = 0, all_ = 0;
};

// Columns of one width with a name to the left.
constexpr int kNameWidth = 24, kColumnWidth = 10;

std::string left(const std::string& name) {
  return fmt::format("  {:<{}}", name, kNameWidth);
}

std::string column(const std::string& text) {
  return fmt::format("{:>{}}", text.substr(0, kColumnWidth - 1), kColumnWidth);
}

std::string column(double number) {
  return fmt::format("{:>{}.3f}", number, kColumnWidth);
}

// A family's name in a column; those of Gaussian keys differ in the query only.
std::string family_column(const std::string& family) {
  if (family == "gaussian-unit-query") return column("|q| = 1");
  if (family == "gaussian-large-query") return column("|q| large");
  return column(family);
}

std::string summary(const RankingCurves& curves, const LeadIntervals& intervals) {
  std::string text = left(curves.plan.setting);
  for (const Index cut : curves.plan.cuts) text += column(fmt::format("k={}", cut));
  text += '\n';
  for (const std::string& ranker : curve_rankers()) {
    Leads leads(intervals);
    std::string columns;
    for (const RankingPoint& point : curves.points) {
      const bool shown = point.truth == Truth::dot_product && point.metric == RankingMetric::precision;
      if (!shown || point.ranker != ranker) continue;
      columns += column(point.average.mean());
      leads.add(point.lead);
    }
    if (columns.empty()) continue;
    text += left(ranker) + columns + (has_rival(ranker) ? "  " + leads.text() : "") + '\n';
  }
  return text;
}

// Of the densities that every ranker has.
double middle_density(const std::vector<DensityRow>& rows) {
  std::vector<double> densities;
  for (const DensityRow& row : rows) add_once(densities, row.density);
  std::sort(densities.begin(), densities.end());
  return densities.at(densities.size() / 2);
}

std::string build_text(const DensityTable& table, const DensityRow& row) {
  const auto built = table.build_seconds.find(index_name(row));
  return built == table.build_seconds.end() ? "" : fmt::format("{:.3f}", built->second.mean());
}

// Precision, then the missed mass, then the output error.
std::string largest_differences(const PredictionResult& result, PredictedScore score) {
  std::string text;
  for (const PredictedQuantity quantity :
       {PredictedQuantity::precision, PredictedQuantity::missed_mass, PredictedQuantity::output_error}) {
    double largest = 0;
    for (const PredictionRow& row : result.rows) {
      const bool shown = row.score == score && row.quantity == quantity;
      if (shown && !(std::abs(row.difference_value()) <= std::abs(largest))) largest = row.difference_value();
    }
    text += fmt::format("{:>+14.4f}", largest);
  }
  return text;
}

}  // namespace

std::string summary(const std::vector<RankingCurves>& curves) {
  const LeadIntervals intervals = intervals_of(curves);
  std::string text = "\nprecision against q.k, tie-averaged, and SOCKET's paired leads\n";
  for (const RankingCurves& curve : curves) text += summary(curve, intervals);
  return text;
}

std::string summary(const DensityTable& table) {
  const double density = middle_density(table.rows);
  std::vector<std::string> families, rankers;
  for (const DensityRow& row : table.rows) {
    if (row.size != kPublishedSize || row.density != density) continue;
    add_once(families, row.family);
    add_once(rankers, row.ranker);
  }
  std::string text = fmt::format("\nrecall of the true top keys at density {}, published sizes\n{}", density, left(""));
  for (const std::string& family : families) text += family_column(family);
  text += fmt::format("{:>9}{:>10}\n", "bits", "build s");
  for (const std::string& ranker : rankers) {
    std::string columns, tail;
    for (const std::string& family : families) {
      const auto row = std::find_if(table.rows.begin(), table.rows.end(), [&](const DensityRow& r) {
        return r.size == kPublishedSize && r.density == density && r.family == family && r.ranker == ranker;
      });
      columns += row == table.rows.end() ? column("") : column(row->recall.mean());
      if (row != table.rows.end()) tail = fmt::format("{:>9.0f}{:>10}", row->bits_per_token, build_text(table, *row));
    }
    text += left(ranker) + columns + tail + '\n';
  }
  return text;
}

std::string summary(const TemperatureTable& table) {
  const LeadIntervals intervals = intervals_of(table);
  Index cut = 0;
  std::vector<std::string> families;
  for (const TemperatureRow& row : table.rows) {
    cut = std::max(cut, row.cut);
    add_once(families, row.family);
  }
  std::string text =
      fmt::format("\nprecision against q.k at k={} by temperature, and SOCKET's paired leads\n{}", cut, left(""));
  for (const std::string& family : families) text += family_column(family);
  text += '\n';
  std::vector<std::string> names;
  const auto name_of_row = [](const TemperatureRow& row) {
    return fmt::format("P={} tau={:g} {}", row.planes, row.temperature, row.ranker);
  };
  for (const TemperatureRow& row : table.rows) add_once(names, name_of_row(row));
  for (const std::string& name : names) {
    Leads leads(intervals);
    std::string columns;
    bool rival = false;
    for (const TemperatureRow& row : table.rows) {
      if (row.cut != cut || name_of_row(row) != name) continue;
      columns += column(row.precision.mean());
      rival = has_rival(row.ranker);
      leads.add(row.lead);
    }
    text += left(name) + columns + (rival ? "  " + leads.text() : "") + '\n';
  }
  return text;
}

std::string summary(const std::vector<PredictionResult>& results) {
  std::string text = fmt::format(
      "\nApproximate prediction without tables minus measurement: largest difference over k\n  {:<17}{:>6}{:>4}{:>5} "
      "{:<16}{:>14}{:>14}{:>14}\n",
      "setting", "keys", "P", "tau", "score", "precision", "missed-mass", "output-error");
  for (const PredictionResult& result : results) {
    const PredictionSetting& setting = result.setting;
    for (const PredictedScore score : setting.scores) {
      const auto outside = std::count_if(result.rows.begin(), result.rows.end(), [score](const PredictionRow& row) {
        return row.score == score && !row.within_claim();
      });
      text +=
          fmt::format("  {:<17}{:>6}{:>4}{:>5g} {:<16}{}{}\n", setting.name, setting.family.keys, setting.hash.planes,
                      setting.hash.socket.temperature, name_of(score), largest_differences(result, score),
                      outside > 0 ? fmt::format("  {} outside what is claimed", outside) : "");
    }
  }
  return text;
}

}  // namespace skt
