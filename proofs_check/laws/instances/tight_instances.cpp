#include "proofs_check/laws/instances/tight_instances.hpp"

#include <fmt/format.h>

#include <cmath>

namespace skt {
namespace {

// Z = Z_tau as tau -> 0.
BoundConstants constants_of(double occupancy, double mass, double spectral_norm) {
  return {.occupancy = occupancy, .angular_mass = mass, .population_mass = mass, .spectral_norm = spectral_norm};
}

}  // namespace

TightInstance one_key(double share) {
  return {fmt::format("I-COPY, 1 - theta/pi = {}", share), constants_of(1, share, 1),
          [=](Index tables) { return binomial_error(tables, share); }};
}

TightInstance opposite_keys(double copies) {
  return {fmt::format("I-TWO({})", copies), constants_of(copies, copies, std::sqrt(2 * copies)),
          [=](Index tables) { return binomial_error(tables, 0.5).times(2 * copies); }};
}

TightInstance opposite_pairs(Index pairs) {
  return {fmt::format("{} orthogonal I-TWO(1)", pairs), constants_of(real(pairs), real(pairs), std::sqrt(2.0)),
          [=](Index tables) { return mean_of_signs(pairs, tables); }};
}

}  // namespace skt
