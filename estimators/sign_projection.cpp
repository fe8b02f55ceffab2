#include "estimators/sign_projection.hpp"

#include <fmt/format.h>

#include <Eigen/QR>
#include <algorithm>
#include <cmath>
#include <numbers>

#include "sim/input_error.hpp"

namespace skt {
namespace {

Matrix normal_rows(Seed seed, std::uint32_t trial, std::uint32_t block, Index count, Index dim) {
  Matrix drawn(count, dim);
  for (Index i = 0; i < count; ++i) {
    const DrawAddress at{Role::index_choice, trial, block, static_cast<std::uint32_t>(i)};
    fill_normal(seed, at, {drawn.row(i).data(), static_cast<std::size_t>(dim)});
  }
  return drawn;
}

// Haar: Q of the QR factors of a normal matrix, columns signed so that R has a positive diagonal (Mezzadri
// 2007).
Matrix random_rotation(Seed seed, std::uint32_t trial, std::uint32_t block, Index dim) {
  const Eigen::HouseholderQR<Matrix> qr(normal_rows(seed, trial, block, dim, dim));
  Matrix rotation = qr.householderQ();
  for (Index c = 0; c < dim; ++c) {
    if (qr.matrixQR()(c, c) < 0) rotation.col(c) *= -1;
  }
  return rotation;
}

double sign(double x) {
  return x >= 0 ? 1 : -1;
}

}  // namespace

Matrix draw_projection(Seed seed, std::uint32_t trial, Index bits, Index dim, ProjectionRows rows) {
  if (bits < 1) throw InputError(fmt::format("signature bits is {}: allowed are 1 and more", bits));
  if (rows == ProjectionRows::independent) return normal_rows(seed, trial, 0, bits, dim);
  Matrix drawn(bits, dim);
  for (Index first = 0; first < bits; first += dim) {
    const Index count = std::min(dim, bits - first);
    const auto block = static_cast<std::uint32_t>(first / dim);
    drawn.middleRows(first, count) =
        std::sqrt(static_cast<double>(dim)) * random_rotation(seed, trial, block, dim).topRows(count);
  }
  return drawn;
}

double projection_gain(ProjectionRows rows, Index dim) {
  if (rows == ProjectionRows::independent) return std::sqrt(2 / std::numbers::pi);
  const double d = static_cast<double>(dim);
  return std::sqrt(d / std::numbers::pi) * std::exp(std::lgamma(d / 2) - std::lgamma((d + 1) / 2));
}

SignProjection::SignProjection(const Matrix& keys, const SignProjectionParameters& parameters, Seed seed,
                               std::uint32_t trial)
    : parameters_(parameters),
      rows_(draw_projection(seed, trial, parameters.bits, keys.cols(), parameters.rows)),
      signs_(keys.rows(), parameters.bits),
      factor_(Vector::Ones(keys.rows())) {
  const double scale = static_cast<double>(parameters.bits) * projection_gain(parameters.rows, keys.cols());
  for (Index j = 0; j < keys.rows(); ++j) {
    const Vector projected = rows_ * keys.row(j).transpose();
    for (Index i = 0; i < parameters.bits; ++i) signs_(j, i) = projected(i) >= 0 ? 1 : -1;
    const double norm = keys.row(j).norm();
    if (parameters.key_factor == KeyFactor::norm) factor_(j) = norm / scale;
    if (parameters.key_factor == KeyFactor::exact_on_key) {
      factor_(j) = norm > 0 ? norm * norm / projected.lpNorm<1>() : 0;
    }
  }
}

Vector SignProjection::scores(const Vector& query) const {
  Vector weights = rows_ * query;
  if (parameters_.query_side == QuerySide::sign) weights = weights.unaryExpr(&sign);
  Vector result(signs_.rows());
  for (Index j = 0; j < signs_.rows(); ++j) {
    result(j) = factor_(j) * signs_.row(j).cast<double>().dot(weights);
  }
  return result;
}

double SignProjection::bits_per_token() const {
  return static_cast<double>(parameters_.bits) + (parameters_.key_factor == KeyFactor::none ? 0 : 16);
}

}  // namespace skt
