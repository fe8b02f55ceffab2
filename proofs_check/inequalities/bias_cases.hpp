// The instances on which the bias of the population is judged, with their exact quantities and exact occupancy.
//
// Tight ones (I-ANTI, one key along the query and two against it, copies of the query) where bounds hold with equality
// or a term of them is needed; random, clustered, low-rank and needle keys in the plane, where the almost-sure
// occupancy is known exactly; clustered and needle keys in more dimensions than there are keys, which a half-space can
// hold all. Three temperatures each.
#pragma once

#include <string>
#include <vector>

#include "proofs_check/laws/exact_population.hpp"
#include "proofs_check/laws/paper_error_bounds.hpp"
#include "proofs_check/statement.hpp"
#include "sim/number.hpp"

namespace skt {

struct BiasCase {
  std::string name;
  Population p;
  Matrix values;
  double occupancy;  // almost sure: the largest half-plane

  // E[B_l (1 - p_l)] with the fullest bucket of each table alone, of a finite law; B eps, which bounds it, where only the
  // almost-sure B is known.
  double occupied_miss;

  double keys() const { return real(p.soft.size()); }
  double epsilon() const { return p.epsilon.value; }
  Vector weight_gap() const { return p.soft - p.angular; }
  Vector share_gap() const { return p.soft / p.soft_mass - p.angular / p.angular_mass; }
  double output_gap() const { return (p.soft_output - p.angular_output).norm(); }
  double largest_value() const;
  BoundConstants constants() const;

  // What the quadrature and the rounding of sums over the keys can add to a bound or to what it bounds.
  double error() const;
};

std::vector<BiasCase> bias_cases(const Context& context);

// left <= right: the supremum of their ratio over all cases and the case that attains it. With Equality::attained that
// supremum must also be 1.
using BiasSide = double (*)(const BiasCase&);
Measure bounded_bias(BiasSide left, BiasSide right, Equality equality = Equality::open);

}  // namespace skt
