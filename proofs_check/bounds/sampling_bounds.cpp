#include "proofs_check/bounds/sampling_bounds.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "proofs_check/bounds/drawn_table_bounds.hpp"
#include "proofs_check/bounds/value_covariance.hpp"
#include "sim/number.hpp"
#include "sim/require.hpp"

namespace skt {
namespace {

void require_level(const char* name, double delta) {
  require(delta > 0 && delta < 1, "{} is {}: allowed is between 0 and 1, without the ends", name, delta);
}

void require_samples(Index samples, Index least) {
  require(samples >= least, "samples is {}: allowed are {} and more", samples, least);
}

// Rows of length 1. A value of length 0 is drawn with probability 0.
Matrix directions_of(const Matrix& drawn_rows) {
  Matrix directions = drawn_rows;
  for (Index m = 0; m < directions.rows(); ++m) {
    const double norm = drawn_rows.row(m).stableNorm();
    require(norm > 0 && std::isfinite(norm), "drawn row {} has the norm {}: allowed are finite ones above 0", m, norm);
    directions.row(m) /= norm;
  }
  return directions;
}

// Frobenius norm of the mean of x x^T over the rows, by the smaller of the two products.
double norm_of_second_moment(const Matrix& rows) {
  const bool tall = rows.rows() > rows.cols();
  const Matrix gram = tall ? Matrix(rows.transpose() * rows) : Matrix(rows * rows.transpose());
  return gram.norm() / real(rows.rows());
}

}  // namespace

SamplingLaw sampling_law(const Vector& weights, const Matrix& values) {
  const Index keys = values.rows();
  const Vector a = probabilities_of(weights, keys, "sampling law");
  const Vector norms = values.rowwise().norm();
  SamplingLaw law;
  law.total_norm = a.dot(norms);
  require(law.total_norm > 0 && std::isfinite(law.total_norm),
          "the weighted norms of the values sum to {}: allowed are finite numbers above 0", law.total_norm);
  law.mean = values.transpose() * a;

  law.smallest_alignment = std::numeric_limits<double>::infinity();
  const auto centred_draw = [&](Index j, auto&& row) {
    const double probability = a(j) * norms(j) / law.total_norm;
    if (!(probability > 0)) {
      row.setZero();
      return;
    }
    row = (law.total_norm / norms(j)) * values.row(j);
    law.smallest_alignment = std::fmin(law.smallest_alignment, row.dot(law.mean));
    row = std::sqrt(probability) * (row - law.mean.transpose());
  };
  law.covariance = sum_of_outer_products(keys, values.cols(), centred_draw);
  law.trace_of_square = law.covariance.squaredNorm();
  law.along_mean = law.mean.dot(law.covariance * law.mean);
  law.largest_eigenvalue = largest_eigenvalue(law.covariance);
  return law;
}

double SquaredError::bound(double delta) const {
  return std::sqrt(mean + cantelli_factor(delta) * std::sqrt(variance));
}

// Var |T-y+u|^2 = 2(M-1) tr Sigma^2/M^3 + 4 y^T Sigma y/M^3 + 4 u^T Sigma u/M - 8 u^T Sigma y/M^2.
SquaredError squared_sampling_error(const SamplingLaw& law, Index samples, double offset) {
  require_samples(samples, 1);
  require(offset >= 0, "the offset is {}: allowed are numbers from 0", offset);
  const double m = real(samples);
  const double alone = (2 * (m - 1) * law.trace_of_square + 4 * law.along_mean) / (m * m * m);
  if (offset == 0) return {law.covariance.trace() / m, alone};
  const double with_offset =
      4 * offset * offset * law.largest_eigenvalue / m + 8 * offset * (law.covariance * law.mean).norm() / (m * m);
  return {offset * offset + law.covariance.trace() / m, alone + with_offset};
}

SquaredError squared_sampling_error_at(const Vector& offset, const SamplingLaw& law, Index samples) {
  require(offset.size() == law.mean.size(), "the offset has {} coordinates: allowed are {}, as the values have",
          offset.size(), law.mean.size());
  require(std::isfinite(offset.norm()), "the offset has the length {}: allowed are finite ones", offset.norm());
  SquaredError squared = squared_sampling_error(law, samples);
  const double m = real(samples);
  const Vector image = law.covariance * offset;
  squared.mean += offset.squaredNorm();
  squared.variance += 4 * offset.dot(image) / m - 8 * image.dot(law.mean) / (m * m);
  squared.variance = std::max(0.0, squared.variance);  // below 0 by rounding only
  return squared;
}

double sampling_error_bound(const SamplingLaw& law, Index samples, double delta) {
  return squared_sampling_error(law, samples).bound(delta);
}

double sampling_error_bound_from_rows(double total_norm, const Matrix& drawn_rows, double delta_1, double delta_2) {
  require_level("delta_1", delta_1);
  require_level("delta_2", delta_2);
  require_samples(drawn_rows.rows(), 2);
  require(total_norm > 0 && std::isfinite(total_norm), "S1 is {}: allowed are finite numbers above 0", total_norm);
  // In units of S1: r = |E X X^T| is at most the square of the larger root of r - slack sqrt(r) = |mean of X X^T|.
  const double m = real(drawn_rows.rows());
  const double slack = std::sqrt(-2 * std::log(delta_2) / m);
  const double root = (slack + std::sqrt(slack * slack + 4 * norm_of_second_moment(directions_of(drawn_rows)))) / 2;
  const double square = std::pow(root, 4);
  return total_norm * SquaredError{1 / m, 2 * (m - 1) * square / (m * m * m)}.bound(delta_1);
}

double chernoff_excess(double level) {
  // Bernstein's (1 + e) log(1 + e) - e >= e^2/(2 + 2e/3) gives a start on the right, from where Newton falls to the root.
  double e = level / 3 + std::sqrt(level * level / 9 + 2 * level);
  constexpr int kSteps = 60;
  for (int step = 0; step < kSteps && e > 0; ++step) {
    const double next = e - ((1 + e) * std::log1p(e) - e - level) / std::log1p(e);
    if (!(next < e)) break;
    e = next;
  }
  return e;
}

double exponential_sampling_bound(const SamplingLaw& law, Index samples, double delta_1, double delta_2) {
  require_level("delta_1", delta_1);
  require_level("delta_2", delta_2);
  require_samples(samples, 1);
  const double m = real(samples), lambda = law.largest_eigenvalue;
  if (!(lambda > 0)) return 0;  // every draw is y
  const double square = law.total_norm * law.total_norm;
  const double longest = square + law.mean.squaredNorm() - 2 * law.smallest_alignment;  // |X - y|^2
  const double dim = real(law.mean.size());
  const double excess = chernoff_excess(longest / (m * lambda) * std::log(dim / delta_2));
  const double trace = m * (2 * law.covariance.trace() + longest) / 3;
  const double norm = m * lambda * (1 + excess / 3);
  return (std::sqrt(trace) + std::sqrt(-2 * std::log(delta_1) * norm)) / m;
}

double total_error_bound(double table_radius, const SamplingLaw& law, Index samples, double delta_samples) {
  const double bound = squared_sampling_error(law, samples, table_radius).bound(delta_samples);
  return std::isinf(table_radius) ? table_radius : bound;
}

double total_error_bound_at(const Vector& offset, const SamplingLaw& law, Index samples, double delta) {
  return squared_sampling_error_at(offset, law, samples).bound(delta);
}

}  // namespace skt
