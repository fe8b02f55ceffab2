// Instances on which a bound holds with equality, or whose law is known exactly: the only ones on which a false variant
// of a bound can be refuted. e_1, e_2, .. are the coordinate axes. They are built without random numbers unless the
// line says otherwise. It would show if one were wrong: tests/sim/tight_families_test.cpp checks the property each is
// for. Parameters are taken as checked (family_parameters.hpp).
#pragma once

#include <cstdint>

#include "sim/family_parameters.hpp"
#include "sim/instance.hpp"
#include "sim/randomness.hpp"

namespace skt {

// I-COPY(N, theta): N = copies equal keys at `angle` to the query, all values e_1. As tau -> 0 with one plane, Z~/N is
// a mean of L Bernoulli(1 - theta/pi) numbers. The keys are unit vectors in the plane of e_1 (the query) and e_2.
// InputError in dim 1 for an angle other than 0 and pi.
Instance copies_instance(const FamilyParameters& parameters);

// I-TWO(B): B keys +e_1 with value +e_1, then B keys -e_1 with value -e_1; query along e_2. As tau -> 0 with one plane,
// Z is B in every table and y_{tau,L} = (2 Bin(L,1/2)/L - 1) e_1. InputError in dim 1.
Instance two_sided_instance(const FamilyParameters& parameters);

// I-ANTI(B): B keys along the query (e_1) with value +e_1, then B keys against it with value -e_1.
Instance antipodal_instance(const FamilyParameters& parameters);

// I-GRID(B) given hyperplanes with orthonormal rows [planes, dim]: B keys in the direction of every corner, W^T c_r,
// corner r at the rows rB .. (r+1)B - 1 (plane 0 is the most significant bit), so every bucket of this table holds
// exactly B. Query and values (normal) are drawn. InputError unless W W^T = 1 up to rounding.
Instance grid_instance(const Matrix& orthonormal_planes, const FamilyParameters& parameters, Seed seed,
                       std::uint32_t trial);

// The first `planes` coordinate axes: the hyperplanes of I-GRID chosen by name.
Matrix axis_planes(Index planes, Index dim);

// I-ORTHV(N): the Gaussian query and keys with values e_1 .. e_N, so ||V||_2 = max ||v_j|| = 1. InputError for a
// value_dim other than keys.
Instance orthogonal_values_instance(const FamilyParameters& parameters, Seed seed, std::uint32_t trial);

// I-RAD: two equal keys along the query (e_1) with values +e_1 and -e_1, so both attention weights are 1/2 whatever the
// hash and the sampling estimator is a mean of M signs.
Instance rademacher_instance(const FamilyParameters& parameters);

}  // namespace skt
