// How much probability does the query give to each bucket (paper, Algorithm 2)?
// u = tanh(W q) / sqrt(d); logit(r) = u . c_r / tau; p = softmax over the 2^P corners.
// Two routes that check each other: the softmax over all corners, and the product over planes
// p(r) = prod_p sigma(2 u_p c_r[p] / tau), which needs no list of corners.
// Every function throws InputError unless the temperature is finite and above 0.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "estimators/hyperplanes.hpp"

namespace skt {

// The divisor of tanh(Wq): the paper's sqrt(dim), or 1 as in documents 000 and 001.
enum class Scaling { inverse_sqrt_dim, none };

double scaling_factor(Scaling scaling, Index dim);  // 1/sqrt(dim) or 1

// u of every table, [tables, planes].
Matrix query_signal(const Hyperplanes& hyperplanes, const Vector& query, Scaling scaling);

// Softmax over all 2^planes corners of one table, in code order. InputError for planes > kMaxSoftmaxPlanes.
constexpr Index kMaxSoftmaxPlanes = 20;  // 8 MiB
std::vector<double> bucket_probabilities_softmax(std::span<const double> signal, double temperature);

// Probability of one bucket as the product over planes.
double bucket_probability(std::span<const double> signal, double temperature, std::uint32_t code);

// The product split in two half-tables, so that a look-up costs two reads and one product:
// p(code) = high[code >> low_planes] * low[code & (2^low_planes - 1)].
struct HalfTables {
  Index low_planes = 0;
  std::vector<double> high;  // [2^(planes - low_planes)]
  std::vector<double> low;   // [2^low_planes]

  double probability(std::uint32_t code) const {
    return high[code >> low_planes] * low[code & ((1u << low_planes) - 1u)];
  }
};
HalfTables half_tables(std::span<const double> signal, double temperature);

}  // namespace skt
