#include "estimators/peers/sign_projection.hpp"

#include <fmt/format.h>

#include <Eigen/QR>
#include <algorithm>
#include <cmath>
#include <numbers>

#include "sim/normal_rows.hpp"
#include "sim/number.hpp"
#include "sim/require.hpp"

namespace skt {
namespace {

// Haar: Q of the QR factors of a normal matrix, columns signed so that R has a positive diagonal (Mezzadri 2007).
Matrix random_rotation(Seed seed, std::uint32_t trial, std::uint32_t block, Index dim) {
  const Eigen::HouseholderQR<Matrix> qr(normal_rows(seed, {Role::index_choice, trial, block}, dim, dim));
  Matrix rotation = qr.householderQ();
  for (Index c = 0; c < dim; ++c) {
    if (qr.matrixQR()(c, c) < 0) rotation.col(c) *= -1;
  }
  return rotation;
}

double sign(double x) {
  return x >= 0 ? 1 : -1;
}

constexpr Index kHeldKeys = 64;  // at a time

}  // namespace

Matrix draw_projection(Seed seed, std::uint32_t trial, Index bits, Index dim, ProjectionRows rows) {
  if (bits < 1) refuse("signature bits is {}: allowed are 1 and more", bits);
  if (rows == ProjectionRows::independent) return normal_rows(seed, {Role::index_choice, trial}, bits, dim);
  Matrix drawn(bits, dim);
  std::uint32_t block = 0;
  for (Index first = 0; first < bits; first += dim, ++block) {
    const Index count = std::min(dim, bits - first);
    drawn.middleRows(first, count) = std::sqrt(real(dim)) * random_rotation(seed, trial, block, dim).topRows(count);
  }
  return drawn;
}

double projection_gain(ProjectionRows rows, Index dim) {
  if (rows == ProjectionRows::independent) return std::sqrt(2 / std::numbers::pi);
  const double d = real(dim);
  return std::sqrt(d / std::numbers::pi) * std::exp(std::lgamma(d / 2) - std::lgamma((d + 1) / 2));
}

SignProjection::SignProjection(const Matrix& keys, Index bits, ProjectionRows kind, Seed seed, std::uint32_t trial)
    : kind_(kind),
      rows_(draw_projection(seed, trial, bits, keys.cols(), kind)),
      signs_(keys.rows(), bits),
      norms_(keys.rowwise().norm()),
      projected_(keys.rows()) {
  for (Index first = 0; first < keys.rows(); first += kHeldKeys) {
    const Index count = std::min(kHeldKeys, keys.rows() - first);
    const Matrix projections = keys.middleRows(first, count) * rows_.transpose();
    signs_.middleRows(first, count) = projections.unaryExpr([](double x) { return sign(x); }).cast<signed char>();
    projected_.segment(first, count) = projections.cwiseAbs().rowwise().sum();
  }
}

Vector SignProjection::scores(const Vector& query, QuerySide side, KeyFactor factor) const {
  Vector weights = rows_ * query;
  if (side == QuerySide::sign) weights = weights.unaryExpr(&sign);
  const double scale = real(rows_.rows()) * projection_gain(kind_, rows_.cols());
  Vector result = Vector::Zero(signs_.rows());
  // Over the keys inside, not over the bits, whose sum would wait for each addition.
  for (Index first = 0; first < signs_.rows(); first += kHeldKeys) {
    const Index count = std::min(kHeldKeys, signs_.rows() - first);
    for (Index i = 0; i < weights.size(); ++i)
      result.segment(first, count) += weights(i) * signs_.col(i).segment(first, count).cast<double>();
  }
  for (Index j = 0; j < signs_.rows(); ++j) {
    if (factor == KeyFactor::norm) result(j) *= norms_(j) / scale;
    if (factor == KeyFactor::exact_on_key) result(j) *= norms_(j) > 0 ? norms_(j) * norms_(j) / projected_(j) : 0;
  }
  return result;
}

double SignProjection::bits_per_token(KeyFactor factor) const {
  return real(rows_.rows()) + (factor == KeyFactor::none ? 0 : 16);
}

}  // namespace skt
