#include "estimators/population/angular_kernel.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "sim/number.hpp"
#include "sim/require.hpp"

namespace skt {
namespace {

Vector unit(const Vector& x, const std::string& name) {
  const double norm = x.stableNorm();
  require(norm > 0 && std::isfinite(norm), "{}: its norm is {}; an angle needs a finite norm above 0", name, norm);
  // Once more, because the quotient of a subnormal norm is not a unit vector.
  const Vector scaled = x / norm;
  return scaled / scaled.norm();
}

double angle_of_units(const Vector& a, const Vector& b) {
  return 2 * std::atan2((a - b).stableNorm(), (a + b).stableNorm());
}

double cosine_of_units(const Vector& a, const Vector& b) {
  return std::clamp(a.dot(b), -1.0, 1.0);
}

template <class Relation>
Vector relation_to_query(const Instance& instance, Relation&& relation) {
  Vector out(instance.num_keys());
  if (out.size() == 0) return out;
  const Vector query = unit(instance.query, "query");
  for (Index j = 0; j < out.size(); ++j) out[j] = relation(query, unit(instance.keys.row(j), fmt::format("key {}", j)));
  return out;
}

}  // namespace

double cosine(const Vector& a, const Vector& b) {
  return cosine_of_units(unit(a, "first vector"), unit(b, "second vector"));
}

double angle(const Vector& a, const Vector& b) {
  return angle_of_units(unit(a, "first vector"), unit(b, "second vector"));
}

Vector cosines_to_query(const Instance& instance) {
  return relation_to_query(instance, cosine_of_units);
}

Vector angles_to_query(const Instance& instance) {
  return relation_to_query(instance, angle_of_units);
}

Vector angular_weights(const Instance& instance, Index planes) {
  if (planes < 1) refuse("planes is {}: allowed are 1 and more", planes);
  return angles_to_query(instance).unaryExpr(
      [planes](double theta) { return std::pow(std::max(0.0, 1 - theta / std::numbers::pi), real(planes)); });
}

}  // namespace skt
