// What does each drawn table make of the values: its numerator N_l = sum_j s_j v_j and its normaliser D_l = sum_j s_j?
//
// y_{tau,L} is the ratio of their sums. The sums of single tables are what a bound from the drawn tables needs
// (proofs_check/bounds/). It would be wrong if their sums over tables differed from the scores' by more than rounding.
#pragma once

#include "estimators/collision_scores.hpp"

namespace skt {

struct TableSums {
  Matrix numerators;   // [tables, value_dim]
  Vector normalisers;  // [tables], each above 0 where every key has a positive score

  Index tables() const { return numerators.rows(); }
  Vector output() const;  // y_{tau,L}, [value_dim]
};

// Cost O(tables * keys * value_dim); memory O(tables * value_dim) beside the codes. Keys in blocks of fixed size, one
// after the other: the same bits for any number of threads. InputError if codes, hyperplanes and values do not fit.
TableSums table_sums(const Hyperplanes& hyperplanes, const KeyCodes& codes, const Vector& query,
                     const Eigen::Ref<const Matrix>& values, const SocketParameters& parameters);

// For values that come in pieces: adds the keys first .. first + values.rows() - 1.
TableSums empty_table_sums(Index tables, Index value_dim);
void add_table_sums(TableSums& sums, const Hyperplanes& hyperplanes, const KeyCodes& codes, const Vector& query,
                    Index first, const Eigen::Ref<const Matrix>& values, const SocketParameters& parameters);

}  // namespace skt
