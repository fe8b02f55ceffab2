#include "estimators/value_sampling.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "estimators/weighted_output.hpp"
#include "sim/number.hpp"
#include "sim/require.hpp"

namespace skt {
namespace {

Vector drawing_weights(const Vector& weights, const Matrix& values) {
  if (weights.size() != values.rows()) refuse("{} weights for {} values", weights.size(), values.rows());
  return weights.cwiseProduct(row_norms(values));
}

}  // namespace

AliasTable::AliasTable(const Vector& weights) {
  const Index n = weights.size();
  for (Index j = 0; j < n; ++j)
    require(weights[j] >= 0 && std::isfinite(weights[j]), "weight {} is {}: allowed are finite numbers from 0", j,
            weights[j]);
  const double sum = weights.sum();
  require(sum > 0 && std::isfinite(sum), "the weights sum to {}: allowed are finite numbers above 0", sum);

  // Vose 1991: each column of height 1 holds its own share and at most one other index.
  accept_.resize(n);
  alias_.resize(n);
  std::vector<Index> small, large;
  for (Index j = 0; j < n; ++j) {
    accept_[j] = weights[j] / sum * real(n);
    (accept_[j] < 1 ? small : large).push_back(j);
  }
  while (!small.empty() && !large.empty()) {
    const Index low = small.back(), high = large.back();
    small.pop_back();
    alias_[low] = high;
    accept_[high] -= 1 - accept_[low];
    if (accept_[high] < 1) {
      large.pop_back();
      small.push_back(high);
    }
  }
  // The columns left have a share of 1 up to rounding, so an index of weight 0 is never among them.
  for (const std::vector<Index>* rest : {&small, &large})
    for (const Index j : *rest) accept_[j] = 1;
}

Index AliasTable::pick(double u_column, double u_coin) const {
  const Index n = std::ssize(accept_);
  const Index column = std::min(static_cast<Index>(u_column * real(n)), n - 1);
  return u_coin < accept_[column] ? column : alias_[column];
}

Vector AliasTable::law() const {
  const Index n = std::ssize(accept_);
  Vector law = Vector::Zero(n);
  for (Index j = 0; j < n; ++j) {
    law[j] += accept_[j] / real(n);
    law[alias_[j]] += (1 - accept_[j]) / real(n);
  }
  return law;
}

ValueSampler::ValueSampler(const Vector& weights, const Matrix& values)
    : alias_(drawing_weights(weights, values)), directions_(values), mean_(weighted_output(weights, values)) {
  const Vector norms = row_norms(values);
  total_norm_ = weights.dot(norms) / weights.sum();
  for (Index j = 0; j < norms.size(); ++j)
    if (norms[j] > 0) directions_.row(j) /= norms[j];
}

double ValueSampler::mean_squared_error(Index samples) const {
  if (samples < 1) refuse("samples is {}: allowed are 1 and more", samples);
  const double norm = mean_.norm();
  return std::max(0.0, (total_norm_ - norm) * (total_norm_ + norm)) / real(samples);
}

Vector ValueSampler::draw(Seed seed, std::uint32_t trial, Index samples) const {
  if (samples < 1 || samples > std::numeric_limits<std::uint32_t>::max())
    refuse("samples is {}: allowed are 1 to 2^32 - 1", samples);
  Vector sum = Vector::Zero(directions_.cols());
  for (std::uint32_t m = 0; m < samples; ++m) {
    const auto [column, coin] = random_uniforms(seed, {Role::value_sample, trial, 0, m});
    sum += directions_.row(alias_.pick(column, coin)).transpose();
  }
  return sum * (total_norm_ / real(samples));
}

}  // namespace skt
