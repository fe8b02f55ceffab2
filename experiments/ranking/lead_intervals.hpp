// When is SOCKET called above or below another ranker?
//
// Where the whole simultaneous interval of the paired mean lies on one side of 0. One probability of calling any lead
// wrongly is divided among the three parts of `rank` that compare, whether they run or not, and within a part evenly
// among all its leads (Bonferroni): settings, metrics, truths, k, densities, sizes and rivals. Nominal: the intervals
// are Student's, exact for normal differences. Intervals without this word, of values and not of leads, are unadjusted
// at 95% and call nothing above or below. A share per row would show as a lead that changes its side with the seed.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "experiments/ranking/curves.hpp"
#include "experiments/ranking/density_table.hpp"
#include "experiments/ranking/temperatures.hpp"
#include "sim/statistics/error_budget.hpp"
#include "sim/statistics/intervals.hpp"

namespace skt {

// Of the probability that a whole run calls anything wrongly: a tenth.
inline constexpr double kRankingFamilyError = kFamilyWiseError / 10;

class LeadIntervals {
 public:
  // comparisons: all leads of one part; none: nothing to be asked.
  explicit LeadIntervals(std::size_t comparisons);

  double error() const { return error_; }           // of one interval
  Interval of(const Moments& lead) const;           // NaN for fewer than two samples
  const char* in_words(const Moments& lead) const;  // "SOCKET above", "SOCKET below", "no difference seen"

 private:
  double error_;
};

// Is this another than SOCKET, so that SOCKET may lead it?
bool has_rival(const std::string& ranker);

// Of all leads of a part.
LeadIntervals intervals_of(const std::vector<RankingCurves>& curves);
LeadIntervals intervals_of(const DensityTable& table);
LeadIntervals intervals_of(const TemperatureTable& table);

}  // namespace skt
