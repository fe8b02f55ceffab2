#include "estimators/attention.hpp"

#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <numeric>

#include "sim/number.hpp"
#include "sim/require.hpp"

namespace skt {

Vector scaled_logits(const Vector& query, const Eigen::Ref<const Matrix>& keys) {
  if (query.size() != keys.cols()) refuse("the query has dim {}, the keys {}", query.size(), keys.cols());
  return keys * query / std::sqrt(real(query.size()));
}

std::optional<Vector> softmax(const Vector& logits) {
  constexpr double kForbidden = -std::numeric_limits<double>::infinity();
  for (Index j = 0; j < logits.size(); ++j)
    require(logits[j] < std::numeric_limits<double>::infinity(), "logit {} is {}: allowed are finite numbers and -inf",
            j, logits[j]);
  const double largest = logits.size() == 0 ? kForbidden : logits.maxCoeff();
  if (largest == kForbidden) return std::nullopt;
  const Vector weights = logits.unaryExpr([largest](double x) { return std::exp(x - largest); });
  return weights / weights.sum();
}

std::optional<Vector> dense_attention(const Vector& query, const Matrix& keys, const Matrix& values,
                                      std::span<const Allowed> mask) {
  std::vector<Index> allowed(keys.rows());
  std::iota(allowed.begin(), allowed.end(), Index{0});
  if (!mask.empty()) {
    if (std::ssize(mask) != keys.rows()) refuse("the mask has {} entries for {} keys", mask.size(), keys.rows());
    std::erase_if(allowed, [&](Index j) { return mask[j] == Allowed::no; });
  }
  return sparse_attention(scaled_logits(query, keys), values, allowed);
}

std::optional<Vector> sparse_attention(const Vector& logits, const Matrix& values, const std::vector<Index>& selected) {
  if (logits.size() != values.rows()) refuse("{} logits for {} values", logits.size(), values.rows());
  const std::optional<Vector> weights = softmax(logits(selected));
  if (!weights) return std::nullopt;
  Vector output = Vector::Zero(values.cols());
  for (Index i = 0; i < weights->size(); ++i) output += (*weights)[i] * values.row(selected[i]).transpose();
  return output;
}

}  // namespace skt
