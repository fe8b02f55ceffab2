#include "experiments/ranking/curves.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>

#include "estimators/metrics/ranking_metrics.hpp"
#include "estimators/metrics/tied_ranking.hpp"
#include "estimators/peers/reference_rankings.hpp"
#include "sim/number.hpp"
#include "sim/require.hpp"
#include "sim/trial_loop.hpp"

namespace skt {
namespace {

constexpr double kLowestBin = -4,
                 kHighestBin = 6;  // a standard normal among a few thousand, and room for a needle
constexpr Truth kTruths[] = {Truth::dot_product, Truth::cosine};
constexpr RankingMetric kMetrics[] = {RankingMetric::precision, RankingMetric::jaccard, RankingMetric::ndcg_binary,
                                      RankingMetric::ndcg_graded, RankingMetric::ndcg_as_printed};

struct Ranked {
  Vector scores;
  TieGroups groups;
};

// Relevance q.k as it is, the ideal sorts the retrieved keys; ties by index.
OverTies ndcg_as_printed(const TieGroups& ranking, const Vector& truth, Index k) {
  std::vector<double> gains;
  for (Index at = 0; at < k; ++at) gains.push_back(truth(ranking.order[at]));
  const double gained = discounted_gain(gains);
  std::sort(gains.begin(), gains.end(), std::greater<>());
  const double value = gained / discounted_gain(gains);
  return {value, value, value};
}

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
        return ndcg_as_printed(ranking, scores, cut);
    }
    refuse("ranking metric: not one of the enumeration");
  }
};

std::vector<Ranked> rank_all(const CurvePlan& plan, const Instance& instance, Seed seed, std::uint32_t trial) {
  std::vector<Ranked> ranked(curve_rankers().size());
  const RankerInput input{instance.keys, instance.values, instance.keys, seed, trial};
  for (const RankerGroup& group : {hash_rankers(plan.hash), reference_rankers()}) {
    for (const Ranking& ranking : group(input)) {
      const auto at = std::find(curve_rankers().begin(), curve_rankers().end(), ranking.name);
      if (at == curve_rankers().end()) continue;
      Ranked& place = ranked[at - curve_rankers().begin()];
      place.scores = ranking.scores(instance.query);
      place.groups = tie_groups(place.scores);
    }
  }
  return ranked;
}

RankingCurves empty_curves(const CurvePlan& plan) {
  RankingCurves empty{plan, {}, {}, {}};
  for (const Truth truth : kTruths)
    for (const Index cut : plan.cuts)
      for (const RankingMetric metric : kMetrics)
        for (const std::string& ranker : curve_rankers())
          empty.points.push_back({truth, ranker, cut, metric, {}, {}, {}, {}});
  std::vector<std::string> shown = curve_rankers();
  shown.push_back("all keys");
  for (const std::string& ranker : shown)
    for (double low = kLowestBin; low < kHighestBin; low += kBinWidth) empty.histogram.push_back({ranker, low, {}});
  return empty;
}

// One value for each point, in the order of empty_curves.
void add_points(const std::vector<Ranked>& ranked, const Vector& dot_product, const Vector& cosine,
                RankingCurves& curves) {
  auto point = curves.points.begin();
  for (const Truth truth : kTruths) {
    const Vector& scores = truth == Truth::dot_product ? dot_product : cosine;
    const Vector graded = graded_relevance(scores);
    for (const Index cut : curves.plan.cuts) {
      const Vector binary = binary_relevance(scores, cut);
      const TruthAtCut at_cut{scores, graded, binary, cut};
      for (const RankingMetric metric : kMetrics) {
        double socket = 0;
        for (std::size_t r = 0; r < ranked.size(); ++r, ++point) {
          const OverTies value = at_cut.measure(metric, ranked[r].groups);
          if (r == 0) socket = value.average;
          point->average.add(value.average);
          point->worst.add(value.worst);
          point->best.add(value.best);
          point->lead.add(socket - value.average);
        }
      }
    }
  }
}

void add_histogram(const std::vector<Ranked>& ranked, const Vector& standardised, RankingCurves& curves) {
  const Index cut = curves.plan.histogram_cut, bins = static_cast<Index>((kHighestBin - kLowestBin) / kBinWidth);
  auto bin = curves.histogram.begin();
  for (std::size_t r = 0; r <= ranked.size(); ++r) {
    const Vector share =
        r < ranked.size() ? inclusion_probability(ranked[r].groups, cut) : Vector::Ones(standardised.size());
    Vector keys = Vector::Zero(bins);
    for (Index j = 0; j < standardised.size(); ++j) {
      const double place = (standardised(j) - kLowestBin) / kBinWidth;
      keys(static_cast<Index>(std::clamp(place, 0.0, real(bins - 1)))) += share(j);
    }
    for (Index b = 0; b < bins; ++b) (bin++)->keys.add(keys(b));
  }
  std::vector<double> sorted(standardised.begin(), standardised.end());
  std::nth_element(sorted.begin(), sorted.begin() + (cut - 1), sorted.end(), std::greater<>());
  curves.cutoff.add(sorted[cut - 1]);
}

}  // namespace

std::string name_of(Truth truth) {
  return truth == Truth::dot_product ? "dot-product" : "cosine";
}

std::string name_of(RankingMetric metric) {
  switch (metric) {
    case RankingMetric::precision:
      return "precision";
    case RankingMetric::jaccard:
      return "jaccard";
    case RankingMetric::ndcg_binary:
      return "ndcg-binary";
    case RankingMetric::ndcg_graded:
      return "ndcg-graded";
    case RankingMetric::ndcg_as_printed:
      return "ndcg-as-printed";
  }
  refuse("ranking metric: not one of the enumeration");
}

const std::vector<std::string>& curve_rankers() {
  static const std::vector<std::string> names{"socket",     "hard-lsh", "hamming",      "bucket-attention",
                                              "value-norm", "random",   "cosine-oracle"};
  return names;
}

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

void check(const CurvePlan& plan) {
  if (plan.family.keys < 1) refuse("--keys is {}: allowed are 1 and more", plan.family.keys);
  std::vector<Index> cuts = plan.cuts;
  cuts.push_back(plan.histogram_cut);
  for (const Index cut : cuts) {
    if (cut < 1 || cut > plan.family.keys) {
      refuse("--cuts and --histogram-cut: {}: allowed are 1 to the {} keys", cut, plan.family.keys);
    }
  }
  if (plan.trials < 2) refuse("--trials is {}: allowed are 2 and more", plan.trials);
}

RankingCurves ranking_curves(const CurvePlan& plan, Seed seed) {
  check(plan);
  ProgressMeter meter("rank " + plan.setting, plan.trials);
  const auto one_trial = [&](std::uint64_t t, RankingCurves& curves) {
    const auto trial = static_cast<std::uint32_t>(t);
    const Instance instance = make_instance(plan.family, seed, trial);
    const std::vector<Ranked> ranked = rank_all(plan, instance, seed, trial);
    const Vector dot_product = instance.keys * instance.query;
    add_points(ranked, dot_product, cosine_scores(instance.query, instance.keys), curves);
    add_histogram(ranked, dot_product / instance.query.norm(), curves);
    meter.advance();
  };
  return run_trials(plan.trials, empty_curves(plan), one_trial, 1);
}

}  // namespace skt
