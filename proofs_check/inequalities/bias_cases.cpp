#include "proofs_check/inequalities/bias_cases.hpp"

#include <fmt/format.h>

#include <limits>

#include "estimators/occupancy.hpp"
#include "estimators/weighted_output.hpp"
#include "proofs_check/inequalities/inequality_sides.hpp"
#include "sim/families.hpp"
#include "sim/number.hpp"

namespace skt {
namespace {

// One key along the query and two against it: the mass that the bias adds lies where the angular weights vanish, so
// that both terms of (35) point the same way.
Instance outnumbered(Seed seed) {
  Instance instance = make_instance({.family = InstanceFamily::antipodal, .dim = 2, .copies = 2}, seed, 0);
  instance.name = "one key along q, two against it";
  const std::vector<Index> kept = {0, 2, 3};  // two along, then two against
  instance.keys = Matrix(instance.keys(kept, Eigen::all));
  instance.values = Matrix(instance.values(kept, Eigen::all));
  return instance;
}

}  // namespace

double BiasCase::largest_value() const {
  return row_norms(values).maxCoeff();
}

BoundConstants BiasCase::constants() const {
  return {occupancy, p.angular_mass, p.soft_mass, spectral_norm(values), epsilon()};
}

// Sums of `keys` weights, each off by the error of its quadrature; quotients by the masses; values of norm |V|; the
// largest factor of any bound is 4B/(Z Z_tau).
double BiasCase::error() const {
  const double unit = std::numeric_limits<double>::epsilon();
  const double sums = 4 * keys() * (p.error + p.epsilon.error + 4 * unit);
  return sums * occupancy * (1 + spectral_norm(values)) * (1 + 1 / p.soft_mass) * (1 + 1 / p.angular_mass);
}

std::vector<BiasCase> bias_cases(const Context& context) {
  std::vector<BiasCase> list;
  const auto add = [&](const Instance& instance, double occupancy, Index planes, double temperature) {
    const Population p = population_of(instance, planes, temperature);
    list.push_back({fmt::format("{} |q|=1 d={} P={} tau={}", instance.name, instance.dim(), planes, temperature), p,
                    instance.values, occupancy, occupancy * p.epsilon.value});
  };
  for (const double temperature : {0.01, 0.3, 3.0}) {
    for (const Index copies : {1, 10}) {
      FamilyParameters antipodal{.family = InstanceFamily::antipodal, .dim = 2, .copies = copies};
      FamilyParameters same{.family = InstanceFamily::copies, .dim = 2, .copies = copies, .angle = 0};
      add(make_instance(antipodal, context.seed, 0), real(copies), 1, temperature);
      add(make_instance(same, context.seed, 0), real(copies), 2, temperature);
    }
    add(outnumbered(context.seed), 2, 1, temperature);
    for (std::uint32_t i = 0; i < 2; ++i) {
      FamilyParameters family{.keys = 5, .dim = 2, .query_norm = 1.0};
      if (i % 2 == 1) family.family = InstanceFamily::orthogonal_values;
      const Instance instance = make_instance(family, context.seed, i);
      add(instance, real(half_plane_occupancy(instance.keys)), 1 + 2 * i, temperature);
    }
    for (const InstanceFamily structured :
         {InstanceFamily::clustered, InstanceFamily::rotary_low_rank, InstanceFamily::needle}) {
      const FamilyParameters flat{.family = structured,
                                  .keys = 12,
                                  .dim = 2,
                                  .query_norm = 1.0,
                                  .clusters = 3,
                                  .cluster_spread = 0.1,
                                  .key_rank = 1};
      const Instance in_plane = make_instance(flat, context.seed, 2);
      add(in_plane, real(half_plane_occupancy(in_plane.keys)), 2, temperature);
      if (structured == InstanceFamily::rotary_low_rank) continue;  // not independent
      FamilyParameters wide = flat;
      wide.dim = 16;
      add(make_instance(wide, context.seed, 3), real(wide.keys), 3, temperature);
    }
  }
  return list;
}

Measure bounded_bias(BiasSide left, BiasSide right, Equality equality) {
  return [=](const Context& context) {
    AttainedSupremum worst;
    InequalitySides nearest{-1, 1, 0};
    for (const BiasCase& c : bias_cases(context)) {
      const InequalitySides sides{left(c), right(c), c.error()};
      worst.add(sides, [&] { return c.name; });
      if (sides.left / sides.right > nearest.left / nearest.right) nearest = sides;
    }
    std::vector<Evidence> evidence = {supremum("tight, random and structured keys", worst)};
    if (equality == Equality::attained) evidence.push_back(tight("the case nearest to equality", nearest, equality));
    return evidence;
  };
}

}  // namespace skt
