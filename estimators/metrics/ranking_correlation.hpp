// Why does one score rank better than another at the same memory? By its correlation with q.k.
//
// Keys of a uniformly random direction, a fixed query, rho their cosine (E rho^2 = 1/dim). A score that averages
// `draws` independent parts, each of mean m(rho) and variance v(rho) given rho, has over a random key and random parts
//   Corr(score, rho) = E[rho m] / sqrt(E rho^2 (Var m + E v / draws)).
// Collisions, soft collisions, signature bits and signed projections differ in m, v and in how many bits a draw costs
// (the population view of the paper's Lemma 6, with the noise of finitely many tables). The correlation with q.k of
// Gaussian keys is E|k|/sqrt(E|k|^2) times this one, and this one itself where the score is multiplied by |k|. Wrong if
// a simulated correlation, or the closed forms of the signed projection, differed.
#pragma once

#include <functional>

#include "estimators/peers/sign_projection.hpp"
#include "estimators/population/population.hpp"

namespace skt {

// Mean and variance of one part of a score, given the cosine.
struct ScorePart {
  std::function<double(double)> mean;
  std::function<double(double)> variance;
};

// dim >= 2, draws >= 1.
double correlation_with_cosine(const ScorePart& part, double draws, Index dim);

ScorePart soft_collision(const PopulationParameters& parameters);  // one table of SOCKET
ScorePart hard_collision(Index planes);                            // one table of hard LSH
ScorePart signature_bit();                                         // one equal bit: a Hamming count

// Signed projection, in closed form: gain^2 m^2 / (dim m + gain^2 (m^2 - sum b^2)) squared-correlation for m bits in
// independent orthogonal blocks of b rows (b = 1 with independent rows).
double signed_projection_correlation(Index bits, Index dim, ProjectionRows rows);

// Mean square of (2/pi) asin(rho) over random directions: of the mean product of two equal signs. dim >= 2.
double mean_square_agreement(Index dim);

// Hamming count of signatures with the same rows: (gain^2 m)^2 / (dim (m + a (m^2 - sum b^2))), where a is the mean
// square above and gain that of a row on the sphere.
double signature_correlation(Index bits, Index dim, ProjectionRows rows);

// Limits of all scores (docs/bounds/bits.md). Corr is the root mean square, over uniformly random directions of q, of the
// correlation with q.k over Gaussian keys. Every code of `bits` that knows no query has Corr <= sqrt(1 - 2^(-2 bits/dim)),
// whatever is scored from code and query. bits >= 0, dim > 0; not whole numbers alone.
double most_correlation(double bits, double dim);

// Most mean recall, over directions of q, of the `budget` of `keys` Gaussian keys of largest q.k by a list of as many that is
// made from codes of so many bits each: that of I <= bits/dim + 2 log2(keys + 1)/keys, where I is the mutual information of
// being a top key and being listed. From I at a recall of 1 on the limit is 1. 1 <= budget <= keys.
double most_recall(double bits, double dim, Index budget, Index keys);

// Of n signs of independent planes, agreement with the query's signs as s_i = +-1, correlation with the cosine:
// sum_i f_i s_i with any weights, a function of q and the planes, has at most that of the cosines of planes and query;
double weighted_signs_limit(Index planes, Index dim);
// means over tables of prod_i (1 + f_i s_i), f_i >= 0 rising with |w_i.q| alone, as SOCKET's, at most this one, whatever
// P, temperature and query norm. planes >= 1, dim >= 2.
double product_score_limit(Index planes, Index dim);

// E|k|/sqrt(E|k|^2) of a Gaussian key.
double norm_regularity(Index dim);

}  // namespace skt
