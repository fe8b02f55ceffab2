// Random instances: which distributions are the query, the keys and the values drawn from?
//
// In all of them the values are i.i.d. N(0,1) numbers, except the needle's. Entry c of key j is a pure function of
// (seed, trial, j, c), so the first keys of a larger instance are the keys of a smaller one of the same dim. Parameters
// are those of families.hpp and are taken as checked there.
#pragma once

#include "sim/families.hpp"

namespace skt {

// Query and keys N(0, I).
Instance gaussian_instance(const FamilyParameters& parameters, Seed seed, std::uint32_t trial);

// Query and keys uniform on the unit sphere.
Instance unit_sphere_instance(const FamilyParameters& parameters, Seed seed, std::uint32_t trial);

// The Gaussian instance in which the key in the middle (see needle_index) is turned, at its drawn norm, to the cosine
// needle_cosine with the query; its value is needle_value in every coordinate. InputError for no key, or in dim 1 for a
// cosine other than -1 and 1.
Instance needle_instance(const FamilyParameters& parameters, Seed seed, std::uint32_t trial);

// keys / 2: neither among the first keys nor among the last, which a sink and a window always keep.
Index needle_index(Index keys);

// Key j is sqrt(1 - spread^2) centre_{j mod clusters} + spread noise, with N(0, I) centres and noise; the query is one
// more member of cluster 0, so its own cluster has a cosine of about 1 - spread^2 with it.
Instance clustered_instance(const FamilyParameters& parameters, Seed seed, std::uint32_t trial);

// Query and keys N(0, D^2), D diagonal with D_c proportional to (c + 1)^-decay and mean square 1.
Instance anisotropic_instance(const FamilyParameters& parameters, Seed seed, std::uint32_t trial);

}  // namespace skt
