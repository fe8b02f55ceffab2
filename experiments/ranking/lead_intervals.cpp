#include "experiments/ranking/lead_intervals.hpp"

#include <algorithm>

#include "sim/number.hpp"

namespace skt {
namespace {

constexpr double kComparingParts = 3;  // curves, rankers and temperatures

}  // namespace

LeadIntervals::LeadIntervals(std::size_t comparisons)
    : error_(kRankingFamilyError / kComparingParts / real(std::max<std::size_t>(1, comparisons))) {}

Interval LeadIntervals::of(const Moments& lead) const {
  return lead.count() < 2 ? Interval{kUnknown, kUnknown} : student(lead, error_);
}

const char* LeadIntervals::in_words(const Moments& lead) const {
  const Interval interval = of(lead);
  return interval.lo > 0 ? "SOCKET above" : interval.hi < 0 ? "SOCKET below" : "no difference seen";
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

}  // namespace skt
