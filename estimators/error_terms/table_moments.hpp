// What are the exact first and second moments of one table's sums N = sum_j s_j v_j and D = sum_j s_j?
//
// One pass over the covariances of all pairs of keys (pair_covariances.hpp). With the values centred at the population
// output, a_j = v_j - y_tau, and A the matrix of rows [a_j, 1], the covariance of (N - y_tau D, D) is A^T C A. From it
// follow the covariances of N - y D for every other y, hence all that the bounds of proofs_check/bounds/ need. It would
// be wrong if the double sums over plain quadratures of each pair, or simulated tables, had other moments.
#pragma once

#include <functional>

#include "estimators/population/parameters.hpp"
#include "sim/instance.hpp"

namespace skt {

struct TableMoments {
  double mass = 0;    // Z_tau = E D
  Vector output;      // y_tau = E N / Z_tau, [value_dim]
  Matrix covariance;  // of (N - y_tau D, D), [value_dim + 1, value_dim + 1]

  double relative_mass_error = 0;
  double output_error = 0;  // Euclidean
  // Nuclear norm of the error of each part of `covariance`, hence of its trace, Frobenius and operator norm too: values
  // by values, values by normaliser, the last entry.
  double values_error = 0, cross_error = 0, normaliser_error = 0;

  Index value_dim() const { return output.size(); }
};

// Called as blocks of pairs are done, from the thread that did them; there are pair_blocks(keys) in all.
using PairBlocksDone = std::function<void(Index blocks)>;
Index pair_blocks(Index keys);

// Seconds on the clock, with as many threads as table_moments has: what goes before the pairs, and a block of them, the
// mean of some that are spread over all. They depend on the lengths and directions of the keys and the query.
struct PairTimes {
  double before = 0, block = 0;
};
PairTimes time_pairs(const PopulationParameters& parameters, const Instance& instance);

// Cost O(keys^2 (dim + value_dim + nodes)); memory O(keys (dim + value_dim + nodes)), no [keys, keys] array. The same
// bits for any thread count. InputError if keys and values differ in number, or are none.
TableMoments table_moments(const PopulationParameters& parameters, const Instance& instance,
                           const PairBlocksDone& done = {});

// The moments of zeta = (N - y D)/Z_tau of one table for a target y, which need not be y_tau. The error of the mean of
// L tables is, exactly, y_{tau,L} - y = (mean of zeta)/(mean of D/Z_tau).
struct TargetMoments {
  double mass = 0;                  // Z_tau, lower end
  Vector offset;                    // mean of zeta, y_tau - y, [value_dim]
  Matrix covariance;                // Sigma of zeta, [value_dim, value_dim]
  Vector with_normaliser;           // Cov(zeta, D/Z_tau), [value_dim]
  double trace = 0;                 // T1 = tr Sigma, upper end
  double trace_of_square = 0;       // T2 = tr Sigma^2, upper end
  double largest_eigenvalue = 0;    // of Sigma, upper end
  double normaliser_deviation = 0;  // c, deviation of D/Z_tau, upper end
  double error = 0;                 // of `covariance` in nuclear norm

  double effective_rank() const { return trace * trace / trace_of_square; }
};
// InputError for a target of another length.
TargetMoments target_moments(const TableMoments& moments, const Vector& target);

}  // namespace skt
