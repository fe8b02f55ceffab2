#include "estimators/metrics/ranking_metrics.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>

#include "estimators/metrics/tie_groups.hpp"
#include "sim/number.hpp"
#include "sim/require.hpp"

namespace skt {
namespace {

Index common(std::vector<Index> a, std::vector<Index> b) {
  std::sort(a.begin(), a.end());
  std::sort(b.begin(), b.end());
  std::vector<Index> both;
  std::set_intersection(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(both));
  return std::ssize(both);
}

std::vector<double> gains_of(const std::vector<Index>& ranked, const Vector& relevance) {
  std::vector<double> gains;
  gains.reserve(ranked.size());
  for (const Index j : ranked) gains.push_back(relevance(j));
  return gains;
}

}  // namespace

std::optional<double> precision(const std::vector<Index>& selected, const std::vector<Index>& relevant) {
  if (selected.empty()) return std::nullopt;
  return real(common(selected, relevant)) / real(selected.size());
}

std::optional<double> jaccard(const std::vector<Index>& a, const std::vector<Index>& b) {
  if (a.empty() && b.empty()) return std::nullopt;
  const double both = real(common(a, b));
  return both / (real(a.size() + b.size()) - both);
}

std::optional<double> fraction_beyond_cutoff(const std::vector<Index>& selected, const Vector& true_scores) {
  if (selected.empty()) return std::nullopt;
  std::vector<double> sorted(true_scores.begin(), true_scores.end());
  const auto kth = sorted.begin() + std::ssize(selected) - 1;
  std::nth_element(sorted.begin(), kth, sorted.end(), std::greater<>());
  const auto reaches = [&](Index j) { return true_scores(j) >= *kth; };
  return real(std::count_if(selected.begin(), selected.end(), reaches)) / real(selected.size());
}

Vector binary_relevance(const Vector& true_scores, Index k) {
  const TieGroups sorted = tie_groups(true_scores);
  Vector relevance = Vector::Zero(true_scores.size());
  for (Index at = 0; at < std::min(k, true_scores.size()); ++at) {
    relevance(sorted.order[at]) = 1;
  }
  return relevance;
}

Vector graded_relevance(const Vector& true_scores) {
  const double low = true_scores.minCoeff();
  const double range = true_scores.maxCoeff() - low;
  if (range == 0) return Vector::Zero(true_scores.size());
  return (true_scores.array() - low) / range;
}

double discounted_gain(const std::vector<double>& gains) {
  double sum = 0;
  for (std::size_t i = 0; i < gains.size(); ++i) {
    sum += (std::exp2(gains[i]) - 1) / std::log2(real(i) + 2);
  }
  return sum;
}

double ideal_discounted_gain(std::vector<double> gains, Index length) {
  for (std::size_t j = 0; j < gains.size(); ++j) {
    require(gains[j] >= 0, "relevance[{}] is {}: NDCG needs 0 or more", j, gains[j]);
  }
  std::sort(gains.begin(), gains.end(), std::greater<>());
  gains.resize(length);
  return discounted_gain(gains);
}

std::optional<double> ndcg(const std::vector<Index>& ranked, const Vector& relevance, Ideal ideal) {
  const std::vector<double> gains = gains_of(ranked, relevance);
  const std::vector<double> pool =
      ideal == Ideal::all_items ? std::vector<double>(relevance.begin(), relevance.end()) : gains;
  const double best = ideal_discounted_gain(pool, std::ssize(gains));
  if (!(best > 0)) return std::nullopt;
  return discounted_gain(gains) / best;
}

double ndcg_as_printed(const std::vector<Index>& retrieved, const Vector& true_scores) {
  std::vector<double> gains;
  for (const Index j : retrieved) gains.push_back(true_scores(j));
  const double gained = discounted_gain(gains);
  std::sort(gains.begin(), gains.end(), std::greater<>());
  return gained / discounted_gain(gains);
}

}  // namespace skt
