#include "proofs_check/bounds/drawn_table_bounds.hpp"

#include <algorithm>
#include <cmath>

#include "proofs_check/bounds/or_infinite.hpp"
#include "sim/decompositions.hpp"
#include "sim/number.hpp"
#include "sim/require.hpp"

namespace skt {
namespace {

void check(const TableSums& sums, double delta) {
  require(delta > 0 && delta < 1, "delta is {}: allowed are numbers between 0 and 1", delta);
  if (sums.tables() < 1 || sums.normalisers.size() != sums.tables()) {
    refuse("table sums: {} numerators and {} normalisers: allowed are equally many, at least 1", sums.tables(),
           sums.normalisers.size());
  }
}

void check(const TableSums& sums, const Vector& output, const TargetMoments& at, double delta) {
  check(sums, delta);
  const Index dim = sums.numerators.cols();
  require(output.size() == dim && at.covariance.rows() == dim,
          "values of {} coordinates with an output of {} and a covariance of {}: allowed are equal numbers", dim,
          output.size(), at.covariance.rows());
}

// N_l - y D_l, [tables, value_dim].
Matrix residuals(const TableSums& sums, const Vector& output) {
  return sums.numerators - sums.normalisers * output.transpose();
}

// k sqrt(2(L-1) t/L^3): what the products of different tables may add to the mean of the squares.
double allowance(Index tables, double t, double delta) {
  const double l = real(tables);
  return cantelli_factor(delta) * std::sqrt(2 * (l - 1) * t / (l * l * l));
}

// sum_{l<m} D_l D_m, a sum of positive terms: (sum D)^2 - sum D^2 would cancel where one table dominates.
double sum_of_products(const Vector& normalisers) {
  double before = 0, products = 0;
  for (const double d : normalisers) {
    products += d * before;
    before += d;
  }
  return products;
}

// The larger root of A e^2 - 2 b e - B of Theorem 1(b).
double radius_from_sums(const TableSums& sums, double t, double delta) {
  const double square = real(sums.tables()) * real(sums.tables());
  const double a = 2 * sum_of_products(sums.normalisers) / square;
  if (!(a > 0)) return kInfinity;
  const Matrix r = residuals(sums, sums.output());
  const double b = (r.transpose() * sums.normalisers).norm() / square;
  const double c = r.squaredNorm() / square + allowance(sums.tables(), t, delta);
  return or_infinite((b + std::sqrt(b * b + a * c)) / a);
}

}  // namespace

double cantelli_factor(double delta) {
  require(delta > 0 && delta < 1, "delta is {}: allowed are numbers between 0 and 1", delta);
  return std::sqrt((1 - delta) / delta);
}

double self_normalised_bound(const TableSums& sums, const Vector& population_output, const TargetMoments& at,
                             double delta) {
  check(sums, population_output, at, delta);
  const double square = real(sums.tables()) * real(sums.tables());
  const double diagonal = residuals(sums, population_output).squaredNorm() / square;
  // Both terms times Z^2, so that Z stands in the second one alone, as in t = Z^4 T2.
  const double t = std::pow(at.mass, 4) * at.trace_of_square;
  return or_infinite(std::sqrt(diagonal + allowance(sums.tables(), t, delta)) / sums.normalisers.mean());
}

double certified_bound(const TableSums& sums, const TargetMoments& at, double delta) {
  check(sums, delta);
  return radius_from_sums(sums, std::pow(at.mass, 4) * at.trace_of_square, delta);
}

double estimated_bound(const TableSums& sums, double delta) {
  check(sums, delta);
  if (!(sum_of_products(sums.normalisers) > 0)) return kInfinity;
  const double l = real(sums.tables());
  const Matrix r = residuals(sums, sums.output());
  const Matrix products = r * r.transpose();
  const double off_diagonal = products.squaredNorm() - products.diagonal().squaredNorm();
  return radius_from_sums(sums, off_diagonal / ((l - 1) * (l - 1)), delta);
}

double exponential_bound(const TableSums& sums, const Vector& population_output, const TargetMoments& at,
                         double delta) {
  check(sums, population_output, at, delta);
  const double scale = at.largest_eigenvalue * at.trace;
  if (!(scale > 0)) return 0;  // every table gives y_tau
  return exponential_bound(sums, population_output, at, delta,
                           std::sqrt(std::log(1 / delta) / scale) / real(sums.tables()));
}

double exponential_bound(const TableSums& sums, const Vector& population_output, const TargetMoments& at, double delta,
                         double gamma) {
  require(gamma > 0 && std::isfinite(gamma), "gamma is {}: allowed are finite numbers above 0", gamma);
  check(sums, population_output, at, delta);
  const double l = real(sums.tables());
  const Matrix xi = residuals(sums, population_output) / at.mass;
  const Eigen::MatrixXd q = xi.transpose() * xi / 3 + 2 * l / 3 * at.covariance;
  const Vector eigenvalues = symmetric_eigenvalues(q);

  // Q is known up to an E of nuclear norm 2L/3 at.error: ||Q|| moves by that at most, and log det(I + gamma Q), which is
  // concave with slope (I + gamma Q)^-1 <= I, by gamma times that.
  const double error = 2 * l / 3 * at.error;
  const double largest = std::max(0.0, eigenvalues.maxCoeff()) + error;
  const double log_determinant = (gamma * eigenvalues.array().max(0.0)).log1p().sum() + gamma * error;
  const double square = (1 / gamma + largest) * (log_determinant + 2 * std::log(1 / delta));
  return or_infinite(std::sqrt(square) * at.mass / sums.normalisers.sum());
}

}  // namespace skt
