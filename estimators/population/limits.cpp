#include "estimators/population/limits.hpp"

#include "estimators/population/population.hpp"

namespace skt {

double hard_agreement(Cosine rho) {
  return angular_weight(1, rho).value;
}

double hard_pair_moment(Cosine rho_i, Cosine rho_j, Cosine r_ij) {
  return (hard_agreement(rho_i) + hard_agreement(rho_j) + hard_agreement(r_ij) - 1) / 2;
}

}  // namespace skt
