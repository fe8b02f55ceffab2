#include "estimators/metrics/tied_ranking.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>

#include "estimators/metrics/ranking_metrics.hpp"
#include "sim/number.hpp"
#include "sim/require.hpp"

namespace skt {
namespace {

void require_cut(const TieGroups& ranking, const Vector& relevance, Index k) {
  const Index keys = std::ssize(ranking.order);
  if (relevance.size() != keys) {
    refuse("relevance has {} entries for {} ranked keys", relevance.size(), keys);
  }
  if (k < 1 || k > keys) refuse("k is {}: allowed are 1 to {}", k, keys);
}

// The cut at k falls into one tie group: `certain` relevant keys come before it, and of the group's `keys`, of
// which `relevant` are relevant, `slots` are taken.
struct CutGroup {
  Index certain = 0, keys = 0, relevant = 0, slots = 0;
  Index fewest() const { return std::max<Index>(0, slots - (keys - relevant)); }
  Index most() const { return std::min(slots, relevant); }
};

CutGroup cut_group(const TieGroups& ranking, const Vector& relevant, Index k) {
  CutGroup cut;
  for (std::size_t g = 0; g + 1 < ranking.begin.size() && ranking.begin[g] < k; ++g) {
    cut.certain += cut.relevant;
    cut.keys = ranking.begin[g + 1] - ranking.begin[g];
    cut.slots = std::min(k, ranking.begin[g + 1]) - ranking.begin[g];
    cut.relevant = 0;
    for (Index at = ranking.begin[g]; at < ranking.begin[g + 1]; ++at) {
      if (relevant(ranking.order[at]) != 0) ++cut.relevant;
    }
  }
  return cut;
}

double log_choose(Index n, Index k) {
  return std::lgamma(real(n) + 1) - std::lgamma(real(k) + 1) - std::lgamma(real(n - k) + 1);
}

}  // namespace

Vector inclusion_probability(const TieGroups& ranking, Index k) {
  const Index keys = std::ssize(ranking.order);
  if (k < 0 || k > keys) refuse("k is {}: allowed are 0 to {}", k, keys);
  Vector probability = Vector::Zero(keys);
  for (std::size_t g = 0; g + 1 < ranking.begin.size() && ranking.begin[g] < k; ++g) {
    const Index first = ranking.begin[g], last = ranking.begin[g + 1];
    const double share = real(std::min(k, last) - first) / real(last - first);
    for (Index at = first; at < last; ++at) probability(ranking.order[at]) = share;
  }
  return probability;
}

OverTies precision_over_ties(const TieGroups& ranking, const Vector& relevant, Index k) {
  require_cut(ranking, relevant, k);
  const CutGroup cut = cut_group(ranking, relevant, k);
  const double expected = real(cut.slots) * real(cut.relevant) / real(cut.keys);
  return {real(cut.certain + cut.fewest()) / real(k), (real(cut.certain) + expected) / real(k),
          real(cut.certain + cut.most()) / real(k)};
}

// The number of relevant keys among the slots is hypergeometric.
OverTies jaccard_over_ties(const TieGroups& ranking, const Vector& relevant, Index k) {
  require_cut(ranking, relevant, k);
  const CutGroup cut = cut_group(ranking, relevant, k);
  const double size_of_both = real(k) + real((relevant.array() != 0).count());
  const auto index = [&](Index overlap) { return real(overlap) / (size_of_both - real(overlap)); };
  OverTies result{index(cut.certain + cut.fewest()), 0, index(cut.certain + cut.most())};
  for (Index hits = cut.fewest(); hits <= cut.most(); ++hits) {
    const double probability =
        std::exp(log_choose(cut.relevant, hits) + log_choose(cut.keys - cut.relevant, cut.slots - hits) -
                 log_choose(cut.keys, cut.slots));
    result.average += probability * index(cut.certain + hits);
  }
  return result;
}

// Over random orders every place of a group has the group's mean gain, and the discounted sum is linear in gains.
std::optional<OverTies> ndcg_over_ties(const TieGroups& ranking, const Vector& relevance, Index k) {
  require_cut(ranking, relevance, k);
  const double ideal = ideal_discounted_gain({relevance.begin(), relevance.end()}, k);
  if (!(ideal > 0)) return std::nullopt;
  std::vector<double> worst;
  for (const Index j : ranking.order) worst.push_back(relevance(j));
  std::vector<double> average = worst;
  std::vector<double> best = worst;
  for (std::size_t g = 0; g + 1 < ranking.begin.size(); ++g) {
    const Index first = ranking.begin[g], last = ranking.begin[g + 1];
    std::sort(worst.begin() + first, worst.begin() + last);
    std::sort(best.begin() + first, best.begin() + last, std::greater<>());
    double mean = 0;  // of 2^gain - 1
    for (Index at = first; at < last; ++at) mean += std::exp2(average[at]) - 1;
    mean /= real(last - first);
    std::fill(average.begin() + first, average.begin() + last, std::log2(1 + mean));
  }
  for (std::vector<double>* gains : {&worst, &average, &best}) gains->resize(k);
  return OverTies{discounted_gain(worst) / ideal, discounted_gain(average) / ideal, discounted_gain(best) / ideal};
}

}  // namespace skt
