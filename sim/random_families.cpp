#include "sim/random_families.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "sim/normal_rows.hpp"
#include "sim/number.hpp"
#include "sim/require.hpp"

namespace skt {
namespace {

// What Role::instance_shape draws, by table number.
constexpr std::uint32_t kClusterCentres = 0;
constexpr std::uint32_t kNeedleDirection = 1;  // a row for each turned key
constexpr std::uint32_t kSubspace = 2;
constexpr std::uint32_t kKeyInSubspace = 3;
constexpr std::uint32_t kQueryInSubspace = 4;
constexpr std::uint32_t kClusterValues = 5;
constexpr std::uint32_t kMeanKey = 6;

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

// Turns key `index` to the given cosine with the query, at its norm, towards the direction drawn for `number`.
void turn_key(const FamilyParameters& p, Seed seed, std::uint32_t trial, std::uint32_t number, Index index,
              Instance& drawn) {
  const double cosine = p.needle_cosine;
  if (p.dim == 1 && std::abs(cosine) != 1) {
    refuse("needle: cosine is {}: in dim 1 allowed are -1 and 1", cosine);
  }
  const Vector axis = drawn.query.normalized();
  Vector direction = cosine * axis;
  if (p.dim > 1) {
    const DrawAddress at{.role = Role::instance_shape, .trial = trial, .table = kNeedleDirection, .row = number};
    direction += std::sqrt((1 - cosine) * (1 + cosine)) * orthogonal_direction(axis, normal_vector(seed, at, p.dim));
  }
  drawn.keys.row(index) = drawn.keys.row(index).norm() * direction.transpose();
}

// Entry i turns coordinates (2i, 2i + 1).
Vector rotary_frequencies(Index dim) {
  Vector frequencies(dim / 2);
  for (Index i = 0; i < dim / 2; ++i) {
    frequencies(i) = std::pow(10000.0, -real(2 * i) / real(dim));
  }
  return frequencies;
}

// Coordinates (2i, 2i + 1) turned by position 10000^(-2i/dim); a last odd coordinate stays.
template <class Row>
void rotate_to_position(Row&& row, double position, const Vector& frequencies) {
  for (Index i = 0; i + 1 < row.size(); i += 2) {
    const double angle = position * frequencies(i / 2);
    const double first = row(i), second = row(i + 1);
    row(i) = std::cos(angle) * first - std::sin(angle) * second;
    row(i + 1) = std::sin(angle) * first + std::cos(angle) * second;
  }
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

Index needle_index(Index keys, Index needle, Index needles) {
  return (2 * needle + 1) * keys / (2 * needles);
}

Instance needle_instance(const FamilyParameters& p, Seed seed, std::uint32_t trial) {
  if (p.keys < p.needles) refuse("needle: keys is {}: allowed are {} and more", p.keys, p.needles);
  Instance drawn = drawn_instance(p, seed, trial, fmt::format(" cos={} needles={}", p.needle_cosine, p.needles));
  rescale_query(p, drawn.query);
  for (std::uint32_t i = 0; i < p.needles; ++i) {
    const Index needle = needle_index(p.keys, i, p.needles);
    turn_key(p, seed, trial, i, needle, drawn);
    drawn.values.row(needle).setConstant(p.needle_value);
  }
  return drawn;
}

Instance clustered_instance(const FamilyParameters& p, Seed seed, std::uint32_t trial) {
  Instance drawn = drawn_instance(p, seed, trial, fmt::format(" clusters={} spread={}", p.clusters, p.cluster_spread));
  const Matrix centres =
      normal_rows(seed, {.role = Role::instance_shape, .trial = trial, .table = kClusterCentres}, p.clusters, p.dim);
  const double within = p.cluster_spread;
  const double between = std::sqrt((1 - within) * (1 + within));
  drawn.query = between * centres.row(0).transpose() + within * drawn.query;
  for (Index j = 0; j < p.keys; ++j) {
    drawn.keys.row(j) = between * centres.row(j % p.clusters) + within * drawn.keys.row(j);
  }
  rescale_query(p, drawn.query);
  return drawn;
}

Instance clustered_values_instance(const FamilyParameters& p, Seed seed, std::uint32_t trial) {
  Instance drawn = clustered_instance(p, seed, trial);
  drawn.name.back() = ' ';
  drawn.name += fmt::format("shared={})", p.shared_value_variance);
  const DrawAddress at{.role = Role::instance_shape, .trial = trial, .table = kClusterValues};
  const Matrix centres = normal_rows(seed, at, p.clusters, drawn.value_dim());
  const double shared = std::sqrt(p.shared_value_variance), own = std::sqrt(1 - p.shared_value_variance);
  for (Index j = 0; j < p.keys; ++j) {
    drawn.values.row(j) = shared * centres.row(j % p.clusters) + own * drawn.values.row(j);
  }
  return drawn;
}

Instance anisotropic_instance(const FamilyParameters& p, Seed seed, std::uint32_t trial) {
  Instance drawn = drawn_instance(p, seed, trial, fmt::format(" decay={}", p.spectrum_decay));
  Vector deviation(p.dim);
  for (Index c = 0; c < p.dim; ++c) deviation(c) = std::pow(real(c + 1), -p.spectrum_decay);
  deviation *= std::sqrt(real(p.dim)) / deviation.norm();
  drawn.query.array() *= deviation.array();
  drawn.keys.array().rowwise() *= deviation.transpose().array();
  rescale_query(p, drawn.query);
  return drawn;
}

Instance rotary_low_rank_instance(const FamilyParameters& p, Seed seed, std::uint32_t trial) {
  Instance drawn = drawn_instance(p, seed, trial, fmt::format(" rank={} noise={}", p.key_rank, p.key_noise));
  const DrawAddress shape{.role = Role::instance_shape, .trial = trial};
  const auto in_table = [&](std::uint32_t table) {
    DrawAddress at = shape;
    at.table = table;
    return at;
  };
  const double off = p.key_noise;
  const double within = std::sqrt((1 - off) * (1 + off) / real(p.key_rank));
  const Matrix subspace = normal_rows(seed, in_table(kSubspace), p.dim, p.key_rank);
  const Matrix coordinates = normal_rows(seed, in_table(kKeyInSubspace), p.keys, p.key_rank);
  const Vector frequencies = rotary_frequencies(p.dim);
  // A product for each key: its bits depend neither on the number of keys nor on the number of threads.
#pragma omp parallel for schedule(static)
  for (Index j = 0; j < p.keys; ++j) {
    drawn.keys.row(j) *= off;
    drawn.keys.row(j) += (within * subspace * coordinates.row(j).transpose()).transpose();
    rotate_to_position(drawn.keys.row(j), real(j), frequencies);
  }
  drawn.query *= off;
  drawn.query += within * subspace * normal_vector(seed, in_table(kQueryInSubspace), p.key_rank);
  rotate_to_position(drawn.query, real(p.keys), frequencies);
  rescale_query(p, drawn.query);
  return drawn;
}

Instance attention_sink_instance(const FamilyParameters& p, Seed seed, std::uint32_t trial) {
  Instance drawn = drawn_instance(p, seed, trial, fmt::format(" cos={} sinks={}", p.needle_cosine, p.sinks));
  rescale_query(p, drawn.query);
  for (std::uint32_t i = 0; i < std::min(p.sinks, p.keys); ++i) {
    turn_key(p, seed, trial, i, i, drawn);
    drawn.values.row(i) *= p.sink_value;
  }
  return drawn;
}

Instance sink_mean_instance(const FamilyParameters& p, Seed seed, std::uint32_t trial) {
  constexpr double kMeanShare = 0.7, kMeanCosine = -0.29, kLogitDeviation = 3.4;
  constexpr double kSinkMass = 0.24, kSinkKey = 0.32, kSinkValue = 0.25;
  if (p.dim == 1) refuse("sink-mean: dim is 1: allowed are 2 and more");
  Instance drawn = drawn_instance(p, seed, trial);
  const Vector mean =
      normal_vector(seed, {.role = Role::instance_shape, .trial = trial, .table = kMeanKey}, p.dim).normalized();
  const double root = std::sqrt(real(p.dim)), own = std::sqrt((1 - kMeanShare) * (1 + kMeanShare));
  const double along = kMeanCosine / kMeanShare;
  drawn.query = along * mean + std::sqrt((1 - along) * (1 + along)) * orthogonal_direction(mean, drawn.query);
  drawn.query *= p.query_norm.value_or(kLogitDeviation * root / own) / drawn.query.norm();
  drawn.keys *= own;
  drawn.keys.rowwise() += kMeanShare * root * mean.transpose();
  if (p.keys == 0) return drawn;

  double largest = -std::numeric_limits<double>::infinity(), sum = 0;  // of the other keys' logits and weights
  for (int pass = 0; pass < 2; ++pass)
    for (Index j = 1; j < p.keys; ++j) {
      const double logit = drawn.keys.row(j).dot(drawn.query) / root;
      if (pass == 0) largest = std::max(largest, logit);
      if (pass == 1) sum += std::exp(logit - largest);
    }
  const double logit = p.keys == 1 ? 0 : largest + std::log(sum * kSinkMass / (1 - kSinkMass));
  FamilyParameters sink = p;
  sink.needle_cosine = std::clamp(logit / (kSinkKey * drawn.query.norm()), -1.0, 1.0);
  drawn.keys.row(0) *= kSinkKey * root / drawn.keys.row(0).norm();
  turn_key(sink, seed, trial, 0, 0, drawn);
  drawn.values.row(0) *= kSinkValue;
  return drawn;
}

}  // namespace skt
