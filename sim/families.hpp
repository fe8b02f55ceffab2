// Which instance does a family, its parameters, a seed and a trial number stand for?
//
// Random families are drawn afresh for every trial; the tight ones attain a bound with equality, or have a law that is
// known exactly, and do not depend on the seed except where their head says so; of the learned one a trial stands for a
// query of a trained model's head. See random_families.hpp, tight_families.hpp and learned_heads.hpp for what each is;
// this file only chooses between them.
#pragma once

#include <cstdint>

#include "sim/family_parameters.hpp"
#include "sim/instance.hpp"
#include "sim/randomness.hpp"

namespace skt {

// A pure function of its arguments. InputError for a parameter outside its range (family_parameters.hpp).
Instance make_instance(const FamilyParameters& parameters, Seed seed, std::uint32_t trial);

// What rankers of a trial calibrate by, [16, dim]: queries of other instances of the family, whose parameters allow few
// keys except for the needles. Of the learned family other queries of the same head, for an index is built for one head.
Matrix calibration_queries(FamilyParameters parameters, Seed seed, std::uint32_t trial);

}  // namespace skt
