#include "estimators/metrics/tie_groups.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "sim/require.hpp"

namespace skt {

TieGroups tie_groups(const Vector& scores) {
  TieGroups groups;
  groups.order.resize(scores.size());
  std::iota(groups.order.begin(), groups.order.end(), Index{0});
  for (Index j = 0; j < scores.size(); ++j) {
    if (std::isnan(scores(j))) refuse("score[{}] is NaN: it cannot be ranked", j);
  }
  std::stable_sort(groups.order.begin(), groups.order.end(), [&](Index a, Index b) { return scores(a) > scores(b); });
  for (Index at = 0; at < std::ssize(groups.order); ++at) {
    if (at == 0 || scores(groups.order[at]) != scores(groups.order[at - 1])) {
      groups.begin.push_back(at);
    }
  }
  groups.begin.push_back(scores.size());
  return groups;
}

}  // namespace skt
