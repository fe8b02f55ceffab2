#include "experiments/ranking/curves.hpp"

#include <algorithm>
#include <array>
#include <functional>
#include <map>
#include <stdexcept>

#include "estimators/metrics/ranking_metrics.hpp"
#include "estimators/metrics/tied_ranking.hpp"
#include "estimators/peers/bucket_attention.hpp"
#include "estimators/peers/reference_rankings.hpp"
#include "sim/require.hpp"
#include "sim/trial_loop.hpp"

namespace skt {
namespace {

// A standard normal among a few thousand, and room for a needle.
constexpr double kLowestBin = -4, kHighestBin = 6;
constexpr const char* kAllKeys = "all keys";
constexpr Truth kTruths[] = {Truth::dot_product, Truth::cosine};
constexpr RankingMetric kMetrics[] = {RankingMetric::precision, RankingMetric::jaccard, RankingMetric::ndcg_binary,
                                      RankingMetric::ndcg_graded, RankingMetric::ndcg_as_printed};

struct TruthAtCut {
  const Vector& scores;
  const Vector& graded;
  const Vector& binary;
  Index cut;

  OverTies measure(RankingMetric metric, const TieGroups& ranking) const {
    switch (metric) {
      case RankingMetric::precision:
        return precision_over_ties(ranking, binary, cut);
      case RankingMetric::jaccard:
        return jaccard_over_ties(ranking, binary, cut);
      case RankingMetric::ndcg_binary:
        return ndcg_over_ties(ranking, binary, cut).value();
      case RankingMetric::ndcg_graded:
        return ndcg_over_ties(ranking, graded, cut).value();
      case RankingMetric::ndcg_as_printed:
        return printed(ranking);
    }
    refuse("ranking metric: not one of the enumeration");
  }

 private:
  // Ties by index.
  OverTies printed(const TieGroups& ranking) const {
    const double value = ndcg_as_printed({ranking.order.begin(), ranking.order.begin() + cut}, scores);
    return {value, value, value};
  }
};

// By the ranker's name, of those of a curve.
using Rankings = std::map<std::string, TieGroups>;

Rankings rank_all(const CurvePlan& plan, const Instance& instance, Seed seed, std::uint32_t trial) {
  Rankings ranked;
  const RankerInput input{instance.keys, instance.values, instance.keys, seed, trial};
  for (const RankerGroup& group : {hash_rankers(plan.hash), reference_rankers()}) {
    for (const Ranking& ranking : group(input)) {
      const bool shown = std::count(curve_rankers().begin(), curve_rankers().end(), ranking.name) > 0;
      if (shown) ranked.emplace(ranking.name, tie_groups(ranking.scores(instance.query)));
    }
  }
  return ranked;
}

void add_points(const Rankings& ranked, Truth truth, const Vector& scores, RankingCurves& curves) {
  const Vector graded = graded_relevance(scores);
  for (const Index cut : curves.plan.cuts) {
    const Vector binary = binary_relevance(scores, cut);
    const TruthAtCut at_cut{scores, graded, binary, cut};
    for (const RankingMetric metric : kMetrics) {
      const double socket = at_cut.measure(metric, ranked.at(kSocket)).average;
      for (const auto& [ranker, ranking] : ranked) {
        const OverTies value = at_cut.measure(metric, ranking);
        RankingPoint& point = curves.at(truth, ranker, cut, metric);
        point.average.add(value.average);
        point.worst.add(value.worst);
        point.best.add(value.best);
        point.lead.add(socket - value.average);
      }
    }
  }
}

Index bin_of(double standardised) {
  constexpr double kLast = (kHighestBin - kLowestBin) / kBinWidth - 1;
  return static_cast<Index>(std::clamp((standardised - kLowestBin) / kBinWidth, 0.0, kLast));
}

// share [keys]: how surely each key counts.
void add_histogram(const std::string& ranker, const Vector& share, const Vector& standardised, RankingCurves& curves) {
  std::map<Index, double> keys;
  for (Index j = 0; j < standardised.size(); ++j) keys[bin_of(standardised(j))] += share(j);
  for (HistogramBin& bin : curves.histogram) {
    if (bin.ranker == ranker) bin.keys.add(keys[bin_of(bin.low)]);
  }
}

void add_histograms(const Rankings& ranked, const Vector& standardised, RankingCurves& curves) {
  const Index cut = curves.plan.histogram_cut;
  for (const auto& [ranker, ranking] : ranked)
    add_histogram(ranker, inclusion_probability(ranking, cut), standardised, curves);
  add_histogram(kAllKeys, Vector::Ones(standardised.size()), standardised, curves);
  std::vector<double> sorted(standardised.begin(), standardised.end());
  std::nth_element(sorted.begin(), sorted.begin() + (cut - 1), sorted.end(), std::greater<>());
  curves.cutoff.add(sorted[cut - 1]);
}

}  // namespace

std::string name_of(Truth truth) {
  return truth == Truth::dot_product ? "dot-product" : "cosine";
}

std::string name_of(RankingMetric metric) {
  return std::array{"precision", "jaccard", "ndcg-binary", "ndcg-graded", "ndcg-as-printed"}.at(
      static_cast<std::size_t>(metric));
}

const std::vector<std::string>& curve_rankers() {
  static const std::vector<std::string> names{kSocket,      "hard-lsh", "hamming",      "bucket-attention",
                                              "value-norm", "random",   "cosine-oracle"};
  return names;
}

RankingPoint& RankingCurves::at(Truth truth, const std::string& ranker, Index cut, RankingMetric metric) {
  for (RankingPoint& point : points) {
    if (point.truth == truth && point.cut == cut && point.metric == metric && point.ranker == ranker) return point;
  }
  throw std::out_of_range("RankingCurves: no such point");
}

// Both are of one plan, hence of the same points and bins in the same order.
void RankingCurves::merge(const RankingCurves& later) {
  for (std::size_t i = 0; i < points.size(); ++i) {
    points[i].average.merge(later.points[i].average);
    points[i].worst.merge(later.points[i].worst);
    points[i].best.merge(later.points[i].best);
    points[i].lead.merge(later.points[i].lead);
  }
  for (std::size_t i = 0; i < histogram.size(); ++i) histogram[i].keys.merge(later.histogram[i].keys);
  cutoff.merge(later.cutoff);
}

RankingCurves empty_curves(const CurvePlan& plan) {
  RankingCurves empty{plan, {}, {}, {}};
  for (const Truth truth : kTruths)
    for (const Index cut : plan.cuts)
      for (const RankingMetric metric : kMetrics)
        for (const std::string& ranker : curve_rankers())
          empty.points.push_back({truth, ranker, cut, metric, {}, {}, {}, {}});
  std::vector<std::string> shown = curve_rankers();
  shown.push_back(kAllKeys);
  for (const std::string& ranker : shown)
    for (double low = kLowestBin; low < kHighestBin; low += kBinWidth) empty.histogram.push_back({ranker, low, {}});
  return empty;
}

void check(const CurvePlan& plan) {
  std::vector<Index> cuts = plan.cuts;
  cuts.push_back(plan.histogram_cut);
  for (const Index cut : cuts) {
    if (cut < 1 || cut > plan.family.keys) {
      refuse("--cuts and --histogram-cut: {}: allowed are 1 to the {} keys", cut, plan.family.keys);
    }
  }
  if (plan.hash.planes > kMostBucketPlanes)
    refuse("--planes is {}: with bucket-attention allowed are 1 to {}", plan.hash.planes, kMostBucketPlanes);
}

RankingCurves ranking_curves(const CurvePlan& plan, Seed seed, const std::function<void()>& trial_done) {
  check(plan);
  const auto one_trial = [&](std::uint64_t t, RankingCurves& curves) {
    const auto trial = static_cast<std::uint32_t>(t);
    const Instance instance = make_instance(plan.family, seed, trial);
    const Rankings ranked = rank_all(plan, instance, seed, trial);
    const Vector dot_product = instance.keys * instance.query;
    add_points(ranked, Truth::dot_product, dot_product, curves);
    add_points(ranked, Truth::cosine, cosine_scores(instance.query, instance.keys), curves);
    add_histograms(ranked, dot_product / instance.query.norm(), curves);
    if (trial_done) trial_done();
  };
  return run_trials(plan.trials, empty_curves(plan), one_trial, 1);
}

}  // namespace skt
