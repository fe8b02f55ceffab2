#include "proofs_check/bounds/a_priori_bounds.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "estimators/population/plane_signal.hpp"
#include "proofs_check/bounds/drawn_table_bounds.hpp"
#include "proofs_check/bounds/or_infinite.hpp"
#include "sim/decompositions.hpp"
#include "sim/number.hpp"
#include "sim/require.hpp"

namespace skt {
namespace {

// The second form spends delta/2, delta/4, .., delta/2^20 on the normaliser.
constexpr int kWaysToDivide = 20;

void check(double tables, double delta) {
  require(tables >= 1 && std::isfinite(tables), "tables is {}: allowed are 1 and more", tables);
  require(delta > 0 && delta < 1, "delta is {}: allowed are numbers between 0 and 1", delta);
}

// The larger root u of (u - m)^2 = k^2 (V + 4 u^2 c^2/L - 4 u K). Its discriminant is written without the square of m,
// which would cancel.
double root_of_quadratic(const SquaredMean& law, double tables, double delta) {
  const double k2 = (1 - delta) / delta, spread = 4 * std::pow(law.normaliser_deviation, 2) / tables;
  const double m = law.mean, cross = law.with_normaliser, lead = 1 - k2 * spread;
  if (!(lead > 0)) return kInfinity;
  const double discriminant = k2 * (lead * law.variance + m * m * spread - 4 * m * cross + 4 * k2 * cross * cross);
  // Below 0 by rounding only: the variance of a number stands behind it.
  const double square = (m - 2 * k2 * cross + std::sqrt(std::max(0.0, discriminant))) / lead;
  return std::sqrt(std::max(square, m));
}

// 1 - eta is below Dbar' but with probability `delta`.
double normaliser_shortfall(double deviation, double tables, double delta) {
  const double by_exponent = std::sqrt(2 * (1 + deviation * deviation) * std::log(1 / delta) / tables);
  return std::min(by_exponent, deviation * cantelli_factor(delta) / std::sqrt(tables));
}

double second_form(const SquaredMean& law, double tables, double delta) {
  double least = kInfinity;
  for (int i = 1; i <= kWaysToDivide; ++i) {
    const double of_normaliser = std::ldexp(delta, -i);
    const double left = 1 - normaliser_shortfall(law.normaliser_deviation, tables, of_normaliser);
    if (!(left > 0)) continue;
    const double square = law.mean + cantelli_factor(delta - of_normaliser) * std::sqrt(law.variance);
    least = std::min(least, std::sqrt(square) / left);
  }
  return least;
}

// At least sup ||sum_j e_j a_j|| over |e_j| <= 1: the lengths of the longest rows, plus sqrt(n) ||A||_2 of the n others,
// at the best of the divisions 0, 1, 2, 4, .. longest rows.
double longest_signed_sum(const Matrix& rows) {
  const Index n = rows.rows();
  const Vector norms = rows.rowwise().norm();
  std::vector<Index> order(n);
  std::iota(order.begin(), order.end(), Index{0});
  std::sort(order.begin(), order.end(), [&](Index i, Index j) { return norms(i) < norms(j); });

  std::vector<Index> divisions{0};
  for (Index longest = n; longest >= 1; longest /= 2) divisions.push_back(n - longest);
  divisions.push_back(n);
  std::sort(divisions.begin(), divisions.end());
  Eigen::MatrixXd gram = Eigen::MatrixXd::Zero(rows.cols(), rows.cols());  // of the shorter rows
  double least = kInfinity, longer = norms.sum();
  Index at = 0;
  for (const Index shorter : divisions) {
    for (; at < shorter; ++at) {
      gram.selfadjointView<Eigen::Lower>().rankUpdate(rows.row(order[at]).transpose());
      longer -= norms(order[at]);
    }
    const double square = symmetric_eigenvalues(gram).maxCoeff();
    least = std::min(least, std::max(0.0, longer) + std::sqrt(real(shorter) * std::max(0.0, square)));
  }
  return least;
}

}  // namespace

double radius_of_ratio(const SquaredMean& law, double tables, double delta) {
  check(tables, delta);
  return or_infinite(std::min(root_of_quadratic(law, tables, delta), second_form(law, tables, delta)));
}

double a_priori_bound(const TargetMoments& at, double kurtosis, double tables, double delta) {
  check(tables, delta);
  require(kurtosis >= 1, "kurtosis is {}: allowed are 1 and more", kurtosis);
  if (std::isinf(kurtosis)) return kInfinity;
  const double l = tables, c = at.normaliser_deviation;
  const double excess = at.trace * std::sqrt(kurtosis - 1);  // at least the deviation of ||xi||^2
  const double along = at.offset.dot(at.covariance * at.offset) + at.offset.squaredNorm() * at.error;
  SquaredMean law;
  law.normaliser_deviation = c;
  law.mean = at.offset.squaredNorm() + at.trace / l;
  law.variance = (excess * excess + 2 * (l - 1) * at.trace_of_square) / (l * l * l) + 4 * along / l +
                 4 * excess * std::sqrt(along) / (l * l);
  // <offset, with_normaliser> is off by at.error/2 at most, whose cross part holds twice that product.
  law.with_normaliser = (2 * at.offset.dot(at.with_normaliser) - at.error) / l - excess * c / (l * l);
  return radius_of_ratio(law, tables, delta);
}

double chebyshev_bound(const TargetMoments& at, double tables, double delta) {
  check(tables, delta);
  const double left = std::sqrt(delta) - at.normaliser_deviation / std::sqrt(tables);
  if (!(left > 0)) return kInfinity;
  const double offset = at.offset.norm(), deviation = std::sqrt(at.trace / tables);
  return or_infinite(std::min(std::hypot(offset, deviation), deviation + std::sqrt(delta) * offset) / left);
}

double largest_table_norm(const Instance& instance, const TableMoments& moments,
                          const PopulationParameters& parameters) {
  require(instance.value_dim() == moments.value_dim() && instance.num_keys() >= 1,
          "values of {} coordinates with moments of {}: allowed are equal numbers", instance.value_dim(),
          moments.value_dim());
  const Matrix rows = instance.values.rowwise() - moments.output.transpose();
  const double most = std::tanh(plane_signal(parameters).strength);
  const double high = std::pow((1 + most) / 2, real(parameters.planes));
  const double low = std::pow((1 - most) / 2, real(parameters.planes));
  const double sum = rows.colwise().sum().norm();
  const double numerator = (high + low) / 2 * sum + (high - low) / 2 * longest_signed_sum(rows);
  const double shift = high * real(instance.num_keys()) * moments.output_error;
  return (numerator + shift) / (moments.mass * (1 - moments.relative_mass_error));
}

double approximate_table_error(const Instance& instance, const PopulationParameters& parameters,
                               const Vector& population_weights, double tables) {
  require(population_weights.size() == instance.num_keys() && instance.num_keys() >= 1,
          "{} weights for {} keys: allowed are equally many, at least 1", population_weights.size(),
          instance.num_keys());
  check(tables, 0.5);
  const double square = squared_signal(plane_signal(parameters)).value;
  const double of_scores = std::pow(1 + square, real(parameters.planes)) - 1;
  const double effective_keys = std::pow(population_weights.sum(), 2) / population_weights.squaredNorm();
  const Matrix centred = instance.values.rowwise() - instance.values.colwise().mean();
  return std::sqrt(centred.squaredNorm() / real(instance.num_keys()) * of_scores / (effective_keys * tables));
}

std::optional<Index> smallest_tables(double wanted, const std::function<double(double tables)>& bound, Index most) {
  const auto reaches = [&](Index tables) { return bound(real(tables)) <= wanted; };
  const double step = std::exp2(0.125);
  Index low = 0, high = 1;  // low does not reach it
  while (high <= most && !reaches(high)) {
    low = high;
    const Index next = std::max(high + 1, std::lround(std::floor(step * real(high))));
    high = low < most ? std::min(next, most) : next;
  }
  if (high > most) return std::nullopt;
  while (high - low > 1) {
    const Index middle = low + (high - low) / 2;
    (reaches(middle) ? high : low) = middle;
  }
  return high;
}

}  // namespace skt
