// On which instances is the law of the error of L tables known, and what are the constants of the bounds there?
//
// One plane and tau -> 0, so that every score is 0 or 1. S002-E16-law, S002-L9-law and S002-L9-law-dimensions say that
// the estimators have these laws, and would be refuted if they had not.
#pragma once

#include <functional>
#include <string>

#include "proofs_check/laws/error_law.hpp"
#include "proofs_check/laws/paper_error_bounds.hpp"

namespace skt {

struct TightInstance {
  std::string name;
  BoundConstants constants;
  std::function<ErrorLaw(Index tables)> error;
};

// I-COPY of one key, which shares the query's bucket with probability `share`: Z~ = Bin(L, share)/L, B = 1. The error is
// |Z~ - Z_tau|.
TightInstance one_key(double share);

// I-TWO(B): Z~ = Z_tau = B in every table, n~ = B (2 Bin(L, 1/2)/L - 1), |V|^2 = 2B. The error is |n~ - n_tau|.
TightInstance opposite_keys(double copies);

// I-TWO(1) along each of several axes with values along orthogonal ones, the query along another axis. Of every pair one
// key shares the query's bucket: B = Z~ = Z_tau = pairs, n~ a mean of L vectors of independent signs, |V|^2 = 2. The
// error is |n~ - n_tau|.
TightInstance opposite_pairs(Index pairs);

}  // namespace skt
