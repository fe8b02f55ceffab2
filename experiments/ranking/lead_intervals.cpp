#include "experiments/ranking/lead_intervals.hpp"

#include <algorithm>
#include <limits>

#include "sim/number.hpp"

namespace skt {
namespace {

constexpr double kComparingParts = 3;  // curves, rankers and temperatures

}  // namespace

LeadIntervals::LeadIntervals(std::size_t comparisons)
    : error_(kRankingFamilyError / kComparingParts / real(std::max<std::size_t>(1, comparisons))) {}

Interval LeadIntervals::of(const Moments& lead) const {
  constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();
  return lead.count() < 2 ? Interval{kUnknown, kUnknown} : student(lead, error_);
}

const char* LeadIntervals::in_words(const Moments& lead) const {
  const Interval interval = of(lead);
  return interval.lo > 0 ? "SOCKET above" : interval.hi < 0 ? "SOCKET below" : "no difference seen";
}

}  // namespace skt
