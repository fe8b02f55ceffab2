#include "estimators/selection.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "sim/require.hpp"

namespace skt {
namespace {

void check_mask(Index keys, std::span<const Allowed> mask) {
  if (!mask.empty() && std::ssize(mask) != keys) refuse("the mask has {} entries for {} keys", mask.size(), keys);
}

bool is_allowed(std::span<const Allowed> mask, Index key) {
  return mask.empty() || mask[key] == Allowed::yes;
}

}  // namespace

Index selection_width(Index keys, const SelectionRule& rule) {
  // Each part first: their sum may be more than an Index holds.
  return std::min(keys, std::min(rule.budget, keys) + std::min(rule.sink, keys) + std::min(rule.window, keys));
}

Vector masked_scores(const Vector& scores, std::span<const Allowed> mask) {
  check_mask(scores.size(), mask);
  Vector masked = scores;
  for (Index j = 0; j < masked.size(); ++j)
    if (!is_allowed(mask, j)) masked[j] = -std::numeric_limits<double>::infinity();
  return masked;
}

std::vector<Index> select_keys(const Vector& scores, std::span<const Allowed> mask, const SelectionRule& rule) {
  const Index keys = scores.size();
  check_mask(keys, mask);
  if (rule.budget < 0 || rule.sink < 0 || rule.window < 0)
    refuse("budget, sink and window are {}, {} and {}: allowed are 0 and more", rule.budget, rule.sink, rule.window);
  std::vector<Index> selected, rest;
  for (Index j = 0; j < keys; ++j) {
    if (!is_allowed(mask, j)) continue;
    if (std::isnan(scores[j])) refuse("the score of key {} is NaN", j);
    const bool always = j < rule.sink || keys - 1 - j < rule.window;
    (always ? selected : rest).push_back(j);
  }
  const auto better = [&](Index a, Index b) { return scores[a] > scores[b] || (scores[a] == scores[b] && a < b); };
  const auto chosen = rest.begin() + std::min(rule.budget, std::ssize(rest));
  std::nth_element(rest.begin(), chosen, rest.end(), better);
  std::sort(rest.begin(), chosen, better);
  selected.insert(selected.end(), rest.begin(), chosen);
  return selected;
}

}  // namespace skt
