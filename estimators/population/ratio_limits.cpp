#include "estimators/population/ratio_limits.hpp"

#include <fmt/format.h>

#include <limits>

#include "estimators/population/pair_covariances.hpp"
#include "estimators/weighted_output.hpp"
#include "sim/number.hpp"
#include "sim/require.hpp"
#include "sim/trial_loop.hpp"

namespace skt {
namespace {

constexpr Index kBlock = 128;  // keys; three [kBlock, kBlock] arrays stay in a core's cache

// Sums over pairs of keys; each error is the same sum of absolute values with the error of each covariance.
struct PairSums {
  double covariance = 0, covariance_error = 0;
  double quadratic = 0, quadratic_error = 0;
  Vector weighted;  // sum_ij Cov_ij a_j, [value_dim]
  double weighted_error = 0;

  void merge(const PairSums& later) {
    covariance += later.covariance;
    covariance_error += later.covariance_error;
    quadratic += later.quadratic;
    quadratic_error += later.quadratic_error;
    weighted += later.weighted;
    weighted_error += later.weighted_error;
  }
};

// Adds the pairs of two blocks of keys, those off the diagonal twice: (i, j) and (j, i).
void add_block(const PairCovariances& covariances, const Matrix& centred, double relative_error, Index row,
               Index column, PairSums& sums) {
  const Index rows = std::min(kBlock, covariances.keys() - row),
              columns = std::min(kBlock, covariances.keys() - column);
  const auto block = covariances.block(row, rows, column, columns);
  const auto left = centred.middleRows(row, rows), right = centred.middleRows(column, columns);
  const double times = row == column ? 1 : 2;
  const Matrix products = left * right.transpose();
  const Matrix error =
      block.sensitivity * covariances.covariance_error() + block.covariance.cwiseAbs() * relative_error;

  sums.covariance += times * block.covariance.sum();
  sums.covariance_error += times * error.sum();
  sums.quadratic += times * block.covariance.cwiseProduct(products).sum();
  sums.quadratic_error += times * error.cwiseProduct(products.cwiseAbs()).sum();
  sums.weighted += right.transpose() * block.covariance.colwise().sum().transpose();
  sums.weighted_error += error.colwise().sum() * right.rowwise().norm();
  if (row == column) return;
  sums.weighted += left.transpose() * block.covariance.rowwise().sum();
  sums.weighted_error += error.rowwise().sum().dot(left.rowwise().norm());
}

// In an order that depends on neither threads nor their number.
PairSums sums_over_pairs(const PairCovariances& covariances, const Matrix& centred, double relative_error) {
  const Index blocks = (covariances.keys() + kBlock - 1) / kBlock;
  PairSums empty;
  empty.weighted = Vector::Zero(centred.cols());
  const auto add_row = [&](Index row, PairSums& partial) {
    for (Index column = row; column < blocks; ++column) {
      add_block(covariances, centred, relative_error, row * kBlock, column * kBlock, partial);
    }
  };
  return run_trials(blocks, empty, add_row, 1);
}

}  // namespace

RatioLimits ratio_limits(const PopulationParameters& parameters, const Instance& instance) {
  if (instance.num_keys() < 1 || instance.values.rows() != instance.num_keys()) {
    refuse("{} keys and {} values: allowed are equally many, at least 1", instance.num_keys(), instance.values.rows());
  }
  const PairCovariances covariances(parameters, instance);
  const Vector& weights = covariances.weights();
  const double total = weights.sum();
  require(total * total > 0, "the population weights of this instance underflow: use fewer planes");
  const Vector mean = weighted_output(weights, instance.values);
  const Matrix centred = instance.values.rowwise() - mean.transpose();

  // A relative error of g moves h^P and (g_i g_j)^P alike: 2P times that of their difference, and rounding of it.
  const double planes = real(parameters.planes);
  const double weight_error = planes * (covariances.agreement_error() + std::numeric_limits<double>::epsilon());
  const PairSums sums = sums_over_pairs(covariances, centred, 2 * weight_error);

  RatioLimits limits;
  const double square = total * total;
  limits.normaliser_variance = {sums.covariance, sums.covariance_error};
  limits.bias = -sums.weighted / square;
  // y_tau is known to weight_error times the spread of the values; Z_tau^2 to twice weight_error.
  const double mean_error = weight_error * centred.rowwise().norm().maxCoeff();
  limits.bias_error =
      (sums.weighted_error + std::abs(sums.covariance) * mean_error) / square + 2 * weight_error * limits.bias.norm();
  limits.mean_square = {sums.quadratic / square, sums.quadratic_error / square + 2 * limits.bias.norm() * mean_error +
                                                     2 * weight_error * sums.quadratic / square};
  return limits;
}

}  // namespace skt
