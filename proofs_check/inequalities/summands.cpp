#include "proofs_check/inequalities/summands.hpp"

#include "estimators/weighted_output.hpp"

namespace skt {
namespace {

Sides relative(double left, double right) {
  return {left, right, kSummandRounding * right};
}

}  // namespace

Summands::Summands(const Vector& raw_weights, Matrix v)
    : weights(raw_weights / raw_weights.sum()), values(std::move(v)) {
  norms = row_norms(values);
  output = weighted_output(weights, values);
  total = weights.dot(norms);
  spectral = spectral_norm(values);
}

Vector Summands::draw(Index j) const {
  const double p = weights[j] * norms[j] / total;
  return weights[j] / p * values.row(j).transpose();
}

Sides output_sides(const Summands& s) {
  return relative(s.output.norm(), s.total);
}
Sides centred_sides(const Summands& s) {
  double largest = 0;
  for (Index j = 0; j < s.weights.size(); ++j) largest = larger(largest, (s.draw(j) - s.output).norm());
  return relative(largest, 2 * s.total);
}
Sides value_sides(const Summands& s) {
  return relative(s.norms.maxCoeff(), s.spectral);
}
Sides total_sides(const Summands& s) {
  return relative(s.total, s.spectral);
}

}  // namespace skt
