// What does a ranking metric say when scores tie, as counts of hard collisions do (paper, Figure 2)?
//
// Each metric of the first k keys, over all orders of the tied keys: its worst, average and best value, exactly.
// It would be wrong if the average over enumerated orders differed.
#pragma once

#include <optional>

#include "estimators/metrics/tie_groups.hpp"

namespace skt {

// Probability that each key is among the first k in a uniformly random order of the tied keys, [keys]: 1 before the
// group that k cuts, 0 behind it. 0 <= k <= keys (otherwise InputError).
Vector inclusion_probability(const TieGroups& ranking, Index k);

// A metric over all orders of tied keys; `average` is its mean over uniformly random ones.
struct OverTies {
  double worst = 0;
  double average = 0;
  double best = 0;
};

// Metrics of the first k keys, 1 <= k <= keys (otherwise InputError). `relevant` is 1 or 0 for each key; the
// Jaccard is with the set of the keys that are 1. NDCG is over the ideal of all items.
OverTies precision_over_ties(const TieGroups& ranking, const Vector& relevant, Index k);
OverTies jaccard_over_ties(const TieGroups& ranking, const Vector& relevant, Index k);
std::optional<OverTies> ndcg_over_ties(const TieGroups& ranking, const Vector& relevance, Index k);

}  // namespace skt
