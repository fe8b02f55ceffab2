// How small can the bound of Theorem 3 be, whatever the query, the keys and the values?
//
// Source: docs/bounds/universal.md. Let g = sigma(2 s/tau), s the scaling of the query's signal: no plane tells the
// query's side with a higher probability. Every B that holds for all tables is at least Z_tau/(g^P + (1-g)^P), and
// epsilon > 1 - g^P. Both limits are approached by copies of a long query and as many opposite keys. Of the parameters
// P, tau, d and the scaling count; the query's norm does not. It would be wrong if the bound of any instance were
// smaller, or that of the approaching ones stayed away.
#pragma once

#include <vector>

#include "estimators/population/parameters.hpp"
#include "proofs_check/laws/paper_error_bounds.hpp"

namespace skt {

// g, in (1/2, 1].
double most_agreement(const PopulationParameters& parameters);

// Infimum of the bias term of Theorem 3 over max|v_j|: 2 (1 - g^P)/(g^P + (1-g)^P).
double least_bias_term(const PopulationParameters& parameters);

// The same if all that is known of B is that it is no less than Z_tau: 2 (1 - g^P).
double least_bias_term_of_any_occupancy(const PopulationParameters& parameters);

// Infimum of the number of tables that Theorem 3 requires: 2 log(8/delta)/(g^P + (1-g)^P)^2. delta in (0, 1).
double least_required_tables(const PopulationParameters& parameters, double delta);

// Keys of some directions in one plane through the query, and how many keys have each: the constants of Theorem 3 are
// then exact. Angles to the query in radians, any real numbers; counts >= 1 and as many of them.
struct KeyDirections {
  std::vector<double> angles, counts;
};

// Largest number of these keys on one side of a plane that contains none of them: the least B that holds for every table.
double sure_occupancy(const KeyDirections& keys);

// The constants with the smallest admissible B and the largest Z_min and Z_tau,min, ||V||_2 = 1.
BoundConstants best_constants(const PopulationParameters& parameters, const KeyDirections& keys);

}  // namespace skt
