#include "estimators/peers/reference_rankings.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <vector>

#include "estimators/attention.hpp"
#include "sim/number.hpp"
#include "sim/require.hpp"

namespace skt {

Vector cosine_scores(const Vector& query, const Matrix& keys) {
  const Vector products = keys * query;
  Vector result(keys.rows());
  for (Index j = 0; j < keys.rows(); ++j) {
    const double norms = keys.row(j).norm() * query.norm();
    result(j) = norms > 0 ? products(j) / norms : 0;
  }
  return result;
}

Vector random_scores(Index keys, Seed seed, std::uint32_t trial) {
  Vector result(keys);
  fill_uniform(seed, {Role::index_choice, trial}, entries_of(result));
  return result;
}

Vector sink_and_window_scores(Index keys, Index sink) {
  Vector result(keys);
  for (Index j = 0; j < keys; ++j) result(j) = real(j < sink ? 2 * keys - j : j);
  return result;
}

Vector value_distance_scores(const Vector& query, const Matrix& keys, const Matrix& values) {
  const Vector alpha = softmax(scaled_logits(query, keys)).value_or(Vector::Zero(keys.rows()));
  return (values.rowwise() - (values.transpose() * alpha).transpose()).rowwise().norm().cwiseProduct(alpha);
}

Index top_p_count(const Vector& probabilities, double mass) {
  require(mass >= 0 && mass <= 1, "top-p mass is {}: allowed are 0 to 1", mass);
  std::vector<double> falling(probabilities.data(), probabilities.data() + probabilities.size());
  std::sort(falling.begin(), falling.end(), std::greater<>());
  double total = 0;
  for (const double p : falling) total += p;
  if (!(total > 0) || !(falling.back() >= 0)) refuse("top-p needs probabilities with a positive sum");
  double reached = 0;
  for (Index count = 0; count < std::ssize(falling); ++count) {
    if (reached >= mass * total) return count;
    reached += falling[count];
  }
  return probabilities.size();
}

}  // namespace skt
