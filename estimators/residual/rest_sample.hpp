// How much of the softmax lies outside a list of keys, by a few keys of the rest?
//
// f_j = e^{x_j - m}, x_j the logit of key j and m the largest of the list S; R is the rest. D = sum f_j over S or R, and
// y_S the output over S. Wanted are D_R and G = sum_R f_j (v_j - y_S): the residual weight is D_R/(D_S + D_R), and dense
// attention minus y_S is G/(D_S + D_R).
//
// Every key of the rest has a ceiling, f_j <= u_j. `uniform` draws keys alike, as if each had the largest ceiling;
// `weighted` draws key j with probability u_j / sum u. Draws are independent, with replacement (rest_positions.hpp), so
// that n draws give independent shares f_j/u_j in [0, 1] with mean D_R/(sum u). It would be wrong if the estimates had
// another mean or variance than rest_moments: OWN-16a.
#pragma once

#include <span>
#include <vector>

#include "sim/matrix.hpp"
#include "sim/randomness.hpp"

namespace skt {

enum class RestSampling { uniform, weighted };

struct ListedSums {
  double largest = 0;  // m
  double weight = 0;   // D_S
  Vector output;       // y_S
};
// logits [keys], values [keys, value_dim], at least one key in the list.
ListedSums listed_sums(const Vector& logits, const Matrix& values, std::span<const Index> list);

// The allowed keys that are not in `list`, rising. Logits of -infinity are not allowed.
std::vector<Index> rest_of(const Vector& logits, std::span<const Index> list);

// Which sample: the same seed, row (of a list) and step draw the same keys.
struct RestAddress {
  Seed seed;
  std::uint32_t row = 0, step = 0;
};

struct RestDraws {
  std::vector<Index> keys;     // in the order of the draws; of a whole rest each once
  std::vector<double> shares;  // f_j over the ceiling it was drawn by; of a whole rest empty
  double log_total = 0;        // log sum_R u_j, or of uniform draws log(r max u_j)
  Vector weights;              // of each draw an estimate of D_R: f_j / P(j); of a whole rest r f_j
  bool is_whole() const { return shares.empty(); }
};
// ceilings [keys]: of the logits. A rest of at most `samples` keys is read whole.
RestDraws draw_rest(const Vector& logits, std::span<const Index> rest, const Vector& ceilings, double largest,
                    Index samples, RestSampling sampling, const RestAddress& at);

struct RestEstimate {
  double weight = 0;  // of D_R
  Vector moved;       // of G, [value_dim]
};
RestEstimate rest_estimate(const RestDraws& draws, const Matrix& values, const Vector& output);

// (N_S + N_R)/(D_S + D_R) by the estimates.
Vector corrected_output(const ListedSums& listed, const RestEstimate& estimate);

// Exactly: D_R and G, and of one draw the variance of its estimate of D_R and the trace of the covariance of that of G.
// n draws have 1/n of both.
struct RestMoments {
  double weight = 0, weight_variance = 0;
  Vector moved;
  double moved_variance = 0;
};
RestMoments rest_moments(const Vector& logits, const Matrix& values, std::span<const Index> rest,
                         const Vector& ceilings, const ListedSums& listed, RestSampling sampling);

}  // namespace skt
