// How often does T leave the radius of the total error on drawn tables (statement OWN-9)?
//
// 150 keys in 128 dimensions, 12 value dimensions. Any number may stand for ubar, since the claim is of the tables with
// |y_L - y*| <= ubar; taken is about the quantile of |y_L - y*| that one draw in 133 exceeds.
#pragma once

#include "proofs_check/context.hpp"
#include "proofs_check/evidence.hpp"
#include "sim/family_parameters.hpp"

namespace skt {

// The frequency among those tables, claimed to be at most delta_M = .0425, and the mean radius over the quantile of the
// total error at (1 - delta_L)(1 - delta_M), about .95. `number` tells instances apart.
Evidence violations_of_total(const Context& context, InstanceFamily family, std::uint32_t number, double share);

}  // namespace skt
