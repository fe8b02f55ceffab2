#include "proofs_check/bias_cases.hpp"

#include <fmt/format.h>

#include <limits>

#include "estimators/occupancy.hpp"
#include "estimators/weighted_output.hpp"
#include "sim/families.hpp"

namespace skt {

double BiasCase::largest_value() const {
  return row_norms(values).maxCoeff();
}

BoundConstants BiasCase::constants() const {
  return {occupancy, p.angular_mass, p.soft_mass, spectral_norm(values), epsilon()};
}

// Sums of `keys` weights, each off by the error of its quadrature; quotients by the masses; values of norm
// |V|; the largest factor of any bound is 4B/(Z Z_tau).
double BiasCase::error() const {
  const double unit = std::numeric_limits<double>::epsilon();
  const double sums = 4 * keys() * (p.error + p.epsilon.error + 4 * unit);
  return sums * occupancy * (1 + spectral_norm(values)) * (1 + 1 / p.soft_mass) * (1 + 1 / p.angular_mass);
}

std::vector<BiasCase> bias_cases(const Context& context) {
  std::vector<BiasCase> list;
  const auto add = [&](const Instance& instance, double occupancy, Index planes, double temperature) {
    list.push_back({fmt::format("{} |q|=1 d=2 P={} tau={}", instance.name, planes, temperature),
                    population_of(instance, planes, temperature), instance.values, occupancy});
  };
  for (const double temperature : {0.01, 0.3, 3.0}) {
    for (const Index copies : {1, 10}) {
      FamilyParameters antipodal{.family = InstanceFamily::antipodal, .dim = 2, .copies = copies};
      FamilyParameters same{.family = InstanceFamily::copies, .dim = 2, .copies = copies, .angle = 0};
      add(make_instance(antipodal, context.seed, 0), static_cast<double>(copies), 1, temperature);
      add(make_instance(same, context.seed, 0), static_cast<double>(copies), 2, temperature);
    }
    for (std::uint32_t i = 0; i < 2; ++i) {
      FamilyParameters family{.keys = 5, .dim = 2, .query_norm = 1.0};
      if (i % 2 == 1) family.family = InstanceFamily::orthogonal_values;
      const Instance instance = make_instance(family, context.seed, i);
      add(instance, static_cast<double>(half_plane_occupancy(instance.keys)), 1 + 2 * i, temperature);
    }
  }
  return list;
}

std::function<std::vector<Evidence>(const Context&)> bounded_bias(BiasSide left, BiasSide right,
                                                                  Equality equality) {
  return [=](const Context& context) {
    std::vector<Evidence> evidence;
    Claim reached = equals(1);
    double largest = 0;
    for (const BiasCase& c : bias_cases(context)) {
      evidence.push_back(exact({c.name, "left side"}, left(c), at_most(right(c), c.error())));
      if (left(c) / right(c) > largest) {
        largest = left(c) / right(c);
        reached.error = 2 * c.error() / right(c);
      }
    }
    if (equality == Equality::attained)
      evidence.push_back(exact({"all cases", "sup left/right"}, largest, reached));
    return evidence;
  };
}

std::function<std::vector<Evidence>(const Context&)> equal_bias(BiasVector left, BiasVector right) {
  return [=](const Context& context) {
    std::vector<Evidence> evidence;
    for (const BiasCase& c : bias_cases(context))
      evidence.push_back(
          exact({c.name, "|left - right|"}, (left(c) - right(c)).norm(), at_most(0, c.error())));
    return evidence;
  };
}

}  // namespace skt
