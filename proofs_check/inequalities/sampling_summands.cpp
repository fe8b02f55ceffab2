#include "proofs_check/inequalities/sampling_summands.hpp"

#include "estimators/weighted_output.hpp"

namespace skt {
namespace {

InequalitySides relative(double left, double right) {
  return {left, right, kSummandRounding * right};
}

}  // namespace

SamplingSummands::SamplingSummands(const Vector& raw_weights, Matrix v)
    : weights(raw_weights / raw_weights.sum()), values(std::move(v)) {
  norms = row_norms(values);
  output = weighted_output(weights, values);
  total = weights.dot(norms);
  spectral = spectral_norm(values);
}

Vector SamplingSummands::draw(Index j) const {
  const double p = weights[j] * norms[j] / total;
  return weights[j] / p * values.row(j).transpose();
}

InequalitySides output_sides(const SamplingSummands& s) {
  return relative(s.output.norm(), s.total);
}
InequalitySides centred_sides(const SamplingSummands& s) {
  double largest = 0;
  for (Index j = 0; j < s.weights.size(); ++j) largest = larger(largest, (s.draw(j) - s.output).norm());
  return relative(largest, 2 * s.total);
}
InequalitySides value_sides(const SamplingSummands& s) {
  return relative(s.norms.maxCoeff(), s.spectral);
}
InequalitySides total_sides(const SamplingSummands& s) {
  return relative(s.total, s.spectral);
}

}  // namespace skt
