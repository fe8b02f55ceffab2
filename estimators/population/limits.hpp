// What do the population quantities of one plane become at temperature 0, which is hard hashing? Closed forms.
#pragma once

#include "estimators/population/parameters.hpp"

namespace skt {

// tau -> 0, hard hashing: g -> 1 - theta/pi.
double hard_agreement(Cosine rho);

// tau -> 0: h_ij -> (g_i + g_j + g_k - 1)/2 with g_k the agreement of the keys with each other.
double hard_pair_moment(Cosine rho_i, Cosine rho_j, Cosine r_ij);

}  // namespace skt
