// Which keys is a ranker expected to select on one instance, by its name, before its tables or rows are drawn?
//
// The law of each key's score over random tables or rows, from its angle to the query and its norms alone:
//   socket, socket-value      moments of the soft score, or its law (soft_inclusion.hpp)
//   hard-lsh, hamming         counts: Bin(L, (1 - theta/pi)^P), Bin(bits, 1 - theta/pi)
//   signed projections        mean and variance in closed form, taken as normal
//   signature-hamming         the same; the variance at one angle to first order in 1/dim
// and the probability of being selected as predicted_inclusion.hpp has it, with its APPROXIMATIONS: threshold and scores
// are taken as independent. Wrong if the laws were not those of the simulated scores; the measured recall stands beside
// the predicted one in docs/rankings/memory.md.
#pragma once

#include <optional>
#include <string>

#include "estimators/peers/rankers.hpp"
#include "estimators/peers/sign_projection.hpp"
#include "estimators/prediction/predicted_inclusion.hpp"
#include "sim/instance.hpp"

namespace skt {

// All that the laws depend on.
struct KeyGeometry {
  Vector cosines;                 // to the query, [keys]
  Vector key_norms, value_norms;  // [keys]
  double query_norm = 0;
  Index dim = 0;
};

// A zero key or query counts as orthogonal. InputError for a vector that is not finite.
KeyGeometry key_geometry(const Instance& instance);

// Mean and deviation of sum_i sign(w_i.k) (w_i.q)/|q| over `bits` random rows, exactly; dim >= 2.
ScoreLaws signed_projection_laws(const Vector& cosines, Index bits, Index dim, ProjectionRows rows);

// Mean and deviation of the number of equal signs among `bits` rows in orthogonal blocks; dim >= 2. The signs of two
// rows of a block, as +-1 products, have over random keys a covariance of -mean_square_agreement exactly; at one angle it
// is taken as proportional to sin^2(theta), which is so to first order in 1/dim.
ScoreLaws signature_laws(const Vector& cosines, Index bits, Index dim);

// nullopt for a ranker without a law here. bits_per_token: as the ranker reports it. The geometry is copied.
std::optional<InclusionAt> predicted_inclusion(const std::string& ranker, double bits_per_token,
                                               const HashSettings& hash, const KeyGeometry& geometry);

}  // namespace skt
