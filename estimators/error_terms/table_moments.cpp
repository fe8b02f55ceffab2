#include "estimators/error_terms/table_moments.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>

#include "estimators/population/pair_covariances.hpp"
#include "estimators/weighted_output.hpp"
#include "sim/decompositions.hpp"
#include "sim/number.hpp"
#include "sim/require.hpp"
#include "sim/stop.hpp"
#include "sim/trial_loop.hpp"

namespace skt {
namespace {

constexpr Index kBlock = 128;  // keys; three [kBlock, kBlock] arrays stay in a core's cache

Index blocks_of(Index keys) {
  return (keys + kBlock - 1) / kBlock;
}

// The values centred, beside a column of ones, and the lengths of the centred rows.
struct Centred {
  Matrix rows;  // [keys, value_dim + 1]
  Vector norms;
};

// Sums over the pairs of keys of rising order; the pairs of falling order are their transpose. Each error is the same
// sum of lengths with the error of each covariance, which bounds the nuclear norm of what it is the error of.
struct PairSums {
  Matrix half;  // sum_{i <= j} Cov_ij row_i row_j^T with half of the diagonal blocks
  double values_error = 0, cross_error = 0, normaliser_error = 0;

  void merge(const PairSums& later) {
    half += later.half;
    values_error += later.values_error;
    cross_error += later.cross_error;
    normaliser_error += later.normaliser_error;
  }
};

// The pairs of two blocks of keys; products: [keys of the row, value_dim + 1].
void add_block(const PairCovariances& covariances, const Centred& values, double relative_error, Index row,
               Index column, Matrix& products, PairSums& sums) {
  const Index rows = products.rows(), columns = std::min(kBlock, covariances.keys() - column);
  const auto lengths = values.norms.segment(row, rows);
  const auto block = covariances.block(row, rows, column, columns);
  const double share = row == column ? 0.5 : 1;
  products += share * (block.covariance * values.rows.middleRows(column, columns));

  const Matrix error =
      block.sensitivity * covariances.covariance_error() + block.covariance.cwiseAbs() * relative_error;
  const Vector with_lengths = error * values.norms.segment(column, columns), alone = error.rowwise().sum();
  sums.values_error += 2 * share * lengths.dot(with_lengths);
  sums.cross_error += share * (lengths.dot(alone) + with_lengths.sum());
  sums.normaliser_error += 2 * share * alone.sum();
}

Matrix no_products(const PairCovariances& covariances, const Centred& values, Index row) {
  return Matrix::Zero(std::min(kBlock, covariances.keys() - row), values.rows.cols());
}

// All pairs of one block of keys with itself and the later blocks.
void add_row_of_blocks(const PairCovariances& covariances, const Centred& values, double relative_error, Index row,
                       const PairBlocksDone& done, PairSums& sums) {
  const Index rows = std::min(kBlock, covariances.keys() - row);
  Matrix products = no_products(covariances, values, row);
  for (Index column = row; column < covariances.keys(); column += kBlock) {
    look_for_stop();
    add_block(covariances, values, relative_error, row, column, products, sums);
    if (done) done(1);
  }
  sums.half += values.rows.middleRows(row, rows).transpose() * products;
}

// In an order that depends on neither threads nor their number.
PairSums sums_over_pairs(const PairCovariances& covariances, const Centred& values, double relative_error,
                         const PairBlocksDone& done) {
  const Index width = values.rows.cols(), blocks = blocks_of(covariances.keys());
  PairSums empty;
  empty.half = Matrix::Zero(width, width);
  const auto add_row = [&](Index row, PairSums& partial) {
    add_row_of_blocks(covariances, values, relative_error, row * kBlock, done, partial);
  };
  return run_trials(blocks, empty, add_row, 1);
}

// Each covariance of a pair is rounded by its product with a value and by every sum that it is part of: over the keys
// of its block and over the blocks, for the columns and again for the rows. A bound for each entry is one for the
// Frobenius norm, and sqrt(entries of a row) times that one for the nuclear norm.
double rounding_of_sums(Index keys, Index width) {
  const double roundings = 2 * real(kBlock + blocks_of(keys)) + 8;
  return roundings * std::numeric_limits<double>::epsilon() * std::sqrt(real(width));
}

Centred centred_at(const Vector& mean, const Matrix& values) {
  Centred centred{Matrix::Ones(values.rows(), values.cols() + 1), {}};
  centred.rows.leftCols(values.cols()) = values.rowwise() - mean.transpose();
  centred.norms = centred.rows.leftCols(values.cols()).rowwise().norm();
  return centred;
}

}  // namespace

Index pair_blocks(Index keys) {
  const Index blocks = blocks_of(keys);
  return blocks * (blocks + 1) / 2;
}

PairTimes time_pairs(const PopulationParameters& parameters, const Instance& instance) {
  constexpr Index kTimed = 32;  // blocks: a tenth of a second, and work for as many threads
  const auto start = std::chrono::steady_clock::now();
  const auto seconds = [&] { return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count(); };
  const PairCovariances covariances(parameters, instance);
  const Centred values = centred_at(weighted_output(covariances.weights(), instance.values), instance.values);
  PairSums empty;
  empty.half = Matrix::Zero(values.rows.cols(), values.rows.cols());
  const double before = seconds();
  const Index blocks = blocks_of(covariances.keys()), timed = std::min(kTimed, pair_blocks(covariances.keys()));
  // Row after row, each with a later column, nearer to or further from the diagonal by turns.
  const auto time_one = [&](Index i, PairSums& sums) {
    const Index row = i * blocks / timed, column = row + (blocks - 1 - row) * (i % 4) / 3;
    Matrix products = no_products(covariances, values, row * kBlock);
    add_block(covariances, values, 0, row * kBlock, column * kBlock, products, sums);
  };
  run_trials(static_cast<std::uint64_t>(timed), empty, time_one, 1);
  return {before, (seconds() - before) / real(timed)};
}

TableMoments table_moments(const PopulationParameters& parameters, const Instance& instance,
                           const PairBlocksDone& done) {
  if (instance.num_keys() < 1 || instance.values.rows() != instance.num_keys()) {
    refuse("{} keys and {} values: allowed are equally many, at least 1", instance.num_keys(), instance.values.rows());
  }
  const PairCovariances covariances(parameters, instance);
  const double mass = covariances.weights().sum();
  require(mass * mass > 0, "the population weights of this instance underflow: use fewer planes");
  TableMoments moments;
  moments.mass = mass;
  moments.output = weighted_output(covariances.weights(), instance.values);
  const Centred values = centred_at(moments.output, instance.values);

  // A relative error of g moves h^P and (g_i g_j)^P alike: 2P times that of their difference, and rounding of it.
  const double weight_error =
      real(parameters.planes) * (covariances.agreement_error() + std::numeric_limits<double>::epsilon());
  const Index keys = instance.num_keys(), width = values.rows.cols();
  const PairSums sums = sums_over_pairs(covariances, values, 2 * weight_error + rounding_of_sums(keys, width), done);
  moments.covariance = sums.half + sums.half.transpose();
  moments.relative_mass_error = weight_error + real(keys) * std::numeric_limits<double>::epsilon();
  // Two sums over the keys, of which the values' is divided, and a difference for each centred value.
  const double longest = row_norms(instance.values).maxCoeff();
  moments.output_error = weight_error * values.norms.maxCoeff() +
                         real(2 * keys + width + 4) * std::numeric_limits<double>::epsilon() * longest;
  moments.values_error = sums.values_error;
  moments.cross_error = sums.cross_error;
  moments.normaliser_error = sums.normaliser_error;
  return moments;
}

TargetMoments target_moments(const TableMoments& moments, const Vector& target) {
  const Index dim = moments.value_dim();
  require(target.size() == dim, "a target of {} coordinates: allowed are the {} of the values", target.size(), dim);
  require(moments.relative_mass_error < 0.5,
          "the population weights are known to {} of their size: too little to bound", moments.relative_mass_error);
  TargetMoments at;
  at.mass = moments.mass * (1 - moments.relative_mass_error);
  const double square = at.mass * at.mass;
  at.offset = moments.output - target;
  // N - y D = (N - y_tau D) + (y_tau - y) D.
  Matrix turn(dim, dim + 1);
  turn << Matrix::Identity(dim, dim), at.offset;
  const Matrix turned = turn * moments.covariance;
  at.with_normaliser = turned.col(dim) / square;
  at.covariance = turned * turn.transpose() / square;

  // y_tau is off by output_error, along which N - y D moves by that times D.
  const double shift = moments.output_error, length = at.offset.norm();
  const double variance = moments.covariance(dim, dim) + moments.normaliser_error;
  at.error = (moments.values_error + 2 * (length + shift) * moments.cross_error +
              (length + shift) * (length + shift) * moments.normaliser_error + shift * shift * variance) /
                 square +
             2 * shift * at.with_normaliser.norm();
  at.trace = at.covariance.trace() + at.error;
  at.trace_of_square = std::pow(at.covariance.norm() + at.error, 2);
  at.largest_eigenvalue = std::max(0.0, symmetric_eigenvalues(at.covariance)(dim - 1)) + at.error;
  at.normaliser_deviation = std::sqrt(std::max(0.0, variance)) / at.mass;
  return at;
}

}  // namespace skt
