#include "sim/random_families.hpp"

#include <fmt/format.h>

#include <cmath>

#include "sim/input_error.hpp"

namespace skt {
namespace {

// What Role::instance_shape draws, by table number.
constexpr std::uint32_t kClusterCentres = 0;
constexpr std::uint32_t kNeedleDirection = 1;

std::span<double> row_of(Matrix& matrix, Index row) {
  return {matrix.row(row).data(), static_cast<std::size_t>(matrix.cols())};
}

Vector normal_vector(Seed seed, const DrawAddress& at, Index dim) {
  Vector drawn(dim);
  fill_normal(seed, at, {drawn.data(), static_cast<std::size_t>(dim)});
  return drawn;
}

// Every row has its own address: the bits do not depend on the number of threads.
Matrix normal_rows(Seed seed, DrawAddress at, Index rows, Index dim) {
  Matrix drawn(rows, dim);
#pragma omp parallel for schedule(static) firstprivate(at)
  for (Index j = 0; j < rows; ++j) {
    at.row = static_cast<std::uint32_t>(j);
    fill_normal(seed, at, row_of(drawn, j));
  }
  return drawn;
}

Instance drawn_instance(const FamilyParameters& p, Seed seed, std::uint32_t trial, std::string details = "") {
  Instance drawn;
  drawn.name = fmt::format("{}(N={} d={}{})", name_of(p.family), p.keys, p.dim, details);
  drawn.query = normal_vector(seed, {.role = Role::query, .trial = trial}, p.dim);
  drawn.keys = normal_rows(seed, {.role = Role::key, .trial = trial}, p.keys, p.dim);
  drawn.values = normal_rows(seed, {.role = Role::value, .trial = trial}, p.keys, p.value_dim.value_or(p.dim));
  return drawn;
}

void rescale_query(const FamilyParameters& p, Vector& query) {
  if (p.query_norm) query *= *p.query_norm / query.norm();
}

// A unit vector orthogonal to the unit vector `axis`. Projecting twice leaves a cosine of the order of the rounding
// unit (Kahan's "twice is enough").
Vector orthogonal_direction(const Vector& axis, Vector draw) {
  for (int pass = 0; pass < 2; ++pass) draw -= axis.dot(draw) * axis;
  return draw.normalized();
}

}  // namespace

Instance gaussian_instance(const FamilyParameters& p, Seed seed, std::uint32_t trial) {
  Instance drawn = drawn_instance(p, seed, trial);
  rescale_query(p, drawn.query);
  return drawn;
}

Instance unit_sphere_instance(const FamilyParameters& p, Seed seed, std::uint32_t trial) {
  Instance drawn = drawn_instance(p, seed, trial);
  drawn.query.normalize();
  drawn.keys.rowwise().normalize();
  rescale_query(p, drawn.query);
  return drawn;
}

Index needle_index(Index keys) { return keys / 2; }

Instance needle_instance(const FamilyParameters& p, Seed seed, std::uint32_t trial) {
  if (p.keys < 1) throw InputError("needle: keys is 0: allowed are 1 and more");
  const double cosine = p.needle_cosine;
  if (p.dim == 1 && std::abs(cosine) != 1) {
    throw InputError(fmt::format("needle: cosine is {}: in dim 1 allowed are -1 and 1", cosine));
  }
  Instance drawn = drawn_instance(p, seed, trial, fmt::format(" cos={}", cosine));
  rescale_query(p, drawn.query);

  const Vector axis = drawn.query.normalized();
  Vector direction = cosine * axis;
  if (p.dim > 1) {
    const Vector draw =
        normal_vector(seed, {.role = Role::instance_shape, .trial = trial, .table = kNeedleDirection}, p.dim);
    direction += std::sqrt((1 - cosine) * (1 + cosine)) * orthogonal_direction(axis, draw);
  }
  const Index needle = needle_index(p.keys);
  drawn.keys.row(needle) = drawn.keys.row(needle).norm() * direction.transpose();
  drawn.values.row(needle).setConstant(p.needle_value);
  return drawn;
}

Instance clustered_instance(const FamilyParameters& p, Seed seed, std::uint32_t trial) {
  Instance drawn = drawn_instance(p, seed, trial, fmt::format(" clusters={} spread={}", p.clusters, p.cluster_spread));
  const Matrix centres = normal_rows(
      seed, {.role = Role::instance_shape, .trial = trial, .table = kClusterCentres}, p.clusters, p.dim);
  const double within = p.cluster_spread;
  const double between = std::sqrt((1 - within) * (1 + within));
  drawn.query = between * centres.row(0).transpose() + within * drawn.query;
  for (Index j = 0; j < p.keys; ++j) {
    drawn.keys.row(j) = between * centres.row(j % p.clusters) + within * drawn.keys.row(j);
  }
  rescale_query(p, drawn.query);
  return drawn;
}

Instance anisotropic_instance(const FamilyParameters& p, Seed seed, std::uint32_t trial) {
  Instance drawn = drawn_instance(p, seed, trial, fmt::format(" decay={}", p.spectrum_decay));
  Vector deviation(p.dim);
  for (Index c = 0; c < p.dim; ++c) deviation(c) = std::pow(static_cast<double>(c + 1), -p.spectrum_decay);
  deviation *= std::sqrt(static_cast<double>(p.dim)) / deviation.norm();
  drawn.query.array() *= deviation.array();
  drawn.keys.array().rowwise() *= deviation.transpose().array();
  rescale_query(p, drawn.query);
  return drawn;
}

}  // namespace skt
