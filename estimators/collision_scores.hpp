// The collision scores of all keys for one query: soft (paper, eq. (4)), hard (eq. (3)), Hamming.
// Sums over tables run l = 0 .. L-1 in order, so a score depends on neither threads nor blocks.
#pragma once

#include "estimators/key_codes.hpp"
#include "estimators/soft_buckets.hpp"

namespace skt {

struct SocketParameters {
  double temperature = 0.5;  // > 0
  Scaling scaling = Scaling::inverse_sqrt_dim;
};

// sum_l p_l(b_l(key) | q), [keys], each in [0, tables].
Vector soft_scores(const Hyperplanes& hyperplanes, const KeyCodes& codes, const Vector& query,
                   const SocketParameters& parameters);

// The same in single precision, as a GPU adds them: the half-tables rounded to f32, their products and the sums over
// tables in f32. Within a relative error of (tables + 3) 2^-24 of soft_scores, but for numbers below 2^-126.
Eigen::VectorXf soft_scores_f32(const Hyperplanes& hyperplanes, const KeyCodes& codes, const Vector& query,
                                const SocketParameters& parameters);

// p_l(b_l(key) | q) of one table, [keys].
Vector soft_scores_of_table(const Hyperplanes& hyperplanes, const KeyCodes& codes, Index table, const Vector& query,
                            const SocketParameters& parameters);

// Number of tables in which key and query share the bucket, [keys].
Vector hard_scores(const Hyperplanes& hyperplanes, const KeyCodes& codes, const Vector& query);

// Number of equal bits over all tables * planes, [keys].
Vector hamming_scores(const Hyperplanes& hyperplanes, const KeyCodes& codes, const Vector& query);

}  // namespace skt
