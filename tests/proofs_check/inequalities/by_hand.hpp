// A bias and two tables that are worked out by hand, with values 3 e_1 and 4 e_2.
#pragma once

#include "proofs_check/inequalities/bias_cases.hpp"
#include "proofs_check/inequalities/table_law.hpp"

namespace skt {

// w_tau = (4, 0), w = (1, 1): Z_tau = 4, Z = 2; shares (1, 0) and (1/2, 1/2). y_tau = (3, 0), y* = (3/2, 2). B = 8,
// eps = 1/4, E[B_l (1 - p_l)] = `occupied_miss`; the population is off by `error`.
inline BiasCase bias_by_hand(double occupied_miss, double error = 0) {
  BiasCase c;
  c.p.soft = Vector{{4, 0}};
  c.p.angular = Vector{{1, 1}};
  c.p.soft_mass = 4;
  c.p.angular_mass = 2;
  c.p.soft_output = Vector{{3, 0}};
  c.p.angular_output = Vector{{1.5, 2}};
  c.p.epsilon = {0.25, error};
  c.p.error = error;
  c.values = Matrix{{3, 0}, {0, 4}};
  c.occupancy = 8;
  c.occupied_miss = occupied_miss;
  return c;
}

// Two tables of probability 3/4 and 1/4, |V| = 4, B = 2.
// Table 0: scores (1/2, 1/4), one key in the query's bucket, p = 1/2, buckets of 1; n = (3/2, 1).
// Table 1: scores (1/4, 1/4), both in the query's bucket, p = 1/4, bucket of 2; n = (3/4, 1).
inline TableLaw tables_by_hand() {
  return {.probability = Vector{{0.75, 0.25}},
          .scores = Matrix{{0.5, 0.25}, {0.25, 0.25}},
          .collisions = Matrix{{1, 0}, {1, 1}},
          .own = Vector{{0.5, 0.25}},
          .missed = Vector{{0.5, 0.75}},
          .fullest = Vector{{1, 2}},
          .values = Matrix{{3, 0}, {0, 4}},
          .signal = Matrix::Zero(2, 1),
          .temperature = 1,
          .logit_error = 0,
          .spectral = 4};
}

}  // namespace skt
