// The pair moments of an instance by plain quadrature of each pair, and instances on which they are awkward.
#pragma once

#include <vector>

#include "estimators/population/half_angle.hpp"
#include "estimators/population/population.hpp"
#include "sim/families.hpp"

namespace skt {

// Instances on which pairs are generic, near parallel, parallel, antipodal, coplanar, along the query or zero.
inline std::vector<Instance> awkward_instances() {
  std::vector<Instance> all;
  const auto add = [&](InstanceFamily family, Index keys, Index dim) {
    all.push_back(make_instance({.family = family,
                                 .keys = keys,
                                 .dim = dim,
                                 .value_dim = dim,
                                 .needle_cosine = 0.99,
                                 .clusters = 2,
                                 .cluster_spread = 1e-3,
                                 .copies = 3,
                                 .angle = 1.1},
                                Seed{3}, 0));
  };
  add(InstanceFamily::gaussian, 6, 16);
  add(InstanceFamily::gaussian, 5, 2);
  add(InstanceFamily::gaussian, 4, 1);
  add(InstanceFamily::clustered, 6, 8);
  add(InstanceFamily::needle, 5, 8);
  add(InstanceFamily::anisotropic, 5, 8);
  add(InstanceFamily::copies, 3, 4);
  add(InstanceFamily::antipodal, 4, 4);
  add(InstanceFamily::two_sided, 4, 4);
  Instance zeros = all.front();
  zeros.keys.row(1).setZero();
  zeros.keys.row(4).setZero();
  zeros.name = "gaussian with two zero keys";
  all.push_back(zeros);
  return all;
}

// h_ij^P of every pair by plain quadrature from the keys, zero keys as fresh axes of their own.
struct PlainMoments {
  Matrix moments;  // [keys, keys]
  Vector weights;  // [keys]
};

inline PlainMoments plain_moments(const PopulationParameters& p, const Instance& instance) {
  const Index keys = instance.num_keys(), dim = instance.dim();
  Matrix units = Matrix::Zero(keys, dim + 1);
  for (Index j = 0; j < keys; ++j) {
    units.row(j).head(dim) = unit_or_zero(instance.keys.row(j), "key");
    if (units.row(j).isZero(0)) units(j, dim) = 1;
  }
  Vector query = Vector::Zero(dim + 1);
  query.head(dim) = instance.query.normalized();
  const auto cosine = [](const Vector& a, const Vector& b) { return HalfAngle::between(a, b).cosine_of_angle(); };
  PlainMoments plain{Matrix(keys, keys), Vector(keys)};
  for (Index i = 0; i < keys; ++i) {
    const Cosine rho_i = cosine(units.row(i), query);
    plain.weights[i] = population_weight(p, rho_i).value;
    for (Index j = 0; j <= i; ++j) {
      const Cosine r = cosine(units.row(i), units.row(j));
      plain.moments(i, j) = population_pair_moment(p, rho_i, cosine(units.row(j), query), r).value;
      plain.moments(j, i) = plain.moments(i, j);
    }
  }
  return plain;
}

}  // namespace skt
