// What do the steps of Lemma 11 compare? (eqs. (33), (35), (40) to (44) and their sharper forms)
//
// Each side once, for the statements (exact populations) and for the adversarial search (finite laws of tables).
// eps = epsilon_tau, B the almost-sure occupancy, B_l and p_l those of one table, |V| the spectral norm. A wrong side
// would leave the equality instances of population_bias.cpp and output_bias.cpp.
#pragma once

#include <vector>

#include "proofs_check/inequalities/bias_cases.hpp"

namespace skt {

double weight_gap_1(const BiasCase& c);    // |w_tau - w|_1
double weight_gap_2(const BiasCase& c);    // |w_tau - w|_2
double weight_gap_max(const BiasCase& c);  // |w_tau - w|_inf
double mass_gap(const BiasCase& c);        // |Z - Z_tau|
double angular_norm(const BiasCase& c);    // |w|_2
double angular_mass(const BiasCase& c);    // Z
double share_gap(const BiasCase& c);       // |a_tau - a|_2
double share_gap_1(const BiasCase& c);     // |a_tau - a|_1
double output_gap(const BiasCase& c);      // |y_tau - y*|

double twice_b_eps(const BiasCase& c);               // 2B eps
double once_b_eps(const BiasCase& c);                // B eps
double root_2b_eps(const BiasCase& c);               // sqrt(2B) eps
double only_eps(const BiasCase& c);                  // eps
double root_of_mass(const BiasCase& c);              // sqrt(Z)
double only_b(const BiasCase& c);                    // B
double share_gap_times_spectral(const BiasCase& c);  // |V||a_tau - a|_2
double triangle_of_shares(const BiasCase& c);        // |w_tau - w|_2/Z_tau + |Z - Z_tau||w|_2/(Z_tau Z)
double share_bound(const BiasCase& c);               // 2B(1/Z_tau + sqrt(B)/(Z Z_tau)) eps
double output_bound(const BiasCase& c);              // the same times |V|
double sharper_share_bound(const BiasCase& c);       // 2B eps/Z_tau
double sharper_output_bound(const BiasCase& c);      // the same times max|v_j|
double twice_occupied_miss(const BiasCase& c);       // 2 E[B_l (1 - p_l)]
double own_buckets_bound(const BiasCase& c);         // the same over Z_tau and times max|v_j|

// The true inequalities among them, in the order of the paper.
struct BiasProofStep {
  const char* id;
  BiasSide left, right;
};
std::vector<BiasProofStep> bias_proof_steps();

}  // namespace skt
