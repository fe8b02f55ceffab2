#include "estimators/metrics/printed_ndcg.hpp"

#include <algorithm>
#include <functional>

#include "estimators/metrics/ranking_metrics.hpp"

namespace skt {

double ndcg_as_printed(const std::vector<Index>& retrieved, const Vector& true_scores) {
  std::vector<double> gains;
  for (const Index j : retrieved) gains.push_back(true_scores(j));
  const double gained = discounted_gain(gains);
  std::sort(gains.begin(), gains.end(), std::greater<>());
  return gained / discounted_gain(gains);
}

}  // namespace skt
