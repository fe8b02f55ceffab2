// How well does each ranker order the keys, against the number k that it selects (paper, Figure 2)?
//
// Precision, Jaccard and NDCG over all orders of tied keys (average, with the worst and the best as a band), paired
// over instances: every ranker sees the same keys, query and hyperplanes, and the gap to SOCKET is a mean of paired
// differences. The truth is q.k, or the cosine: a score of directions cannot exceed the cosine's own agreement with
// q.k. NDCG once with binary and once with graded relevance over the ideal of all keys, and once as the paper words
// it: relevance q.k itself and an ideal that sorts the retrieved keys. A ranker that reads the wrong codes would show
// as one that does no better than `random`.
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "estimators/peers/rankers.hpp"
#include "sim/families.hpp"
#include "sim/statistics/moments.hpp"

namespace skt {

// What stands for a number that a ranking has no value of; an empty field where it is written.
inline constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();

// The ranker of the paper.
inline constexpr const char* kSocket = "socket";

enum class Truth { dot_product, cosine };
enum class RankingMetric { precision, jaccard, ndcg_binary, ndcg_graded, ndcg_as_printed };
std::string name_of(Truth truth);
std::string name_of(RankingMetric metric);

// The rankers of a curve, in its order; SOCKET first.
const std::vector<std::string>& curve_rankers();

struct CurvePlan {
  std::string setting;  // its name in the files
  FamilyParameters family;
  HashSettings hash;
  std::vector<Index> cuts{16, 32, 64, 128, 256, 512, 1024, 2048};  // k, each at most the keys
  Index histogram_cut = 256;
  std::uint64_t trials = 32;
};

struct RankingPoint {
  Truth truth = Truth::dot_product;
  std::string ranker{};
  Index cut = 0;
  RankingMetric metric = RankingMetric::precision;
  Moments average{}, worst{}, best{};  // over trials, of the metric over the orders of tied keys
  Moments lead{};                      // SOCKET's average less this one's, paired
};

// Keys by their standardised true score q.k/|q|, one bin of a histogram; keys a trial, expected over ties.
struct HistogramBin {
  std::string ranker;  // or "all keys"
  double low = 0;      // the bin is low .. low + kBinWidth, the first and the last open to their side
  Moments keys;
};
constexpr double kBinWidth = 0.25;

struct RankingCurves {
  CurvePlan plan;
  std::vector<RankingPoint> points;
  std::vector<HistogramBin> histogram;  // of the histogram_cut keys that each ranker selects
  Moments cutoff;                       // the standardised true score of rank histogram_cut

  // std::out_of_range for a point that the plan does not have.
  RankingPoint& at(Truth truth, const std::string& ranker, Index cut, RankingMetric metric);
  void merge(const RankingCurves& later);
};

// InputError for a cut outside 1 .. keys and more planes than Bucket Attention allows.
void check(const CurvePlan& plan);

// Every point and bin of a plan, before any trial.
RankingCurves empty_curves(const CurvePlan& plan);

// trial_done is called after each trial, from the thread that ran it. InputError for a plan that fails the check.
RankingCurves ranking_curves(const CurvePlan& plan, Seed seed, const std::function<void()>& trial_done = {});

}  // namespace skt
