// How do two partial softmax averages become one?
//
// Logits are to base 2: log2(e) times the natural ones. A part keeps an integer E, no logit of it above E, sum = sum
// 2^(x - E) and, beside it, the vector sum 2^(x - E) v. Merging rescales both parts to the larger E (Milakov and
// Gimelshein 2018), by a power of two: exact, but for what falls below the smallest normal number. The empty part has
// the lowest number as E, sum = 0, and merges as nothing. It would be wrong if merged parts differed from one softmax
// over their union.
#pragma once

#include <cmath>
#include <limits>

#include "gpu/functors/host_device.hpp"

namespace skt::gpu {

template <class Real>
struct SoftmaxPart {
  Real exponent = std::numeric_limits<Real>::lowest();
  Real sum = 0;
};

// The part of a single logit.
template <class Real>
SKT_HD SoftmaxPart<Real> part_of_logit(Real logit) {
  return {std::ceil(logit), std::exp2(logit - std::ceil(logit))};
}

// 2^(from - to), from <= to, both integers.
template <class Real>
SKT_HD Real rescale_factor(Real from, Real to) {
  constexpr Real nothing = -2048;  // 2^nothing is 0 in every type
  return std::ldexp(Real(1), static_cast<int>(std::fmax(from - to, nothing)));
}

// Factors to apply to the two parts' vectors, and the merged exponent and sum.
template <class Real>
struct SoftmaxMerge {
  SoftmaxPart<Real> merged;
  Real left_factor = 0;
  Real right_factor = 0;
};

template <class Real>
SKT_HD SoftmaxMerge<Real> merge(const SoftmaxPart<Real>& left, const SoftmaxPart<Real>& right) {
  SoftmaxMerge<Real> result;
  result.merged.exponent = left.exponent > right.exponent ? left.exponent : right.exponent;
  result.left_factor = rescale_factor(left.exponent, result.merged.exponent);
  result.right_factor = rescale_factor(right.exponent, result.merged.exponent);
  result.merged.sum = left.sum * result.left_factor + right.sum * result.right_factor;
  return result;
}

// Natural log sum exp of everything merged; -infinity for the empty part, NaN where a logit was.
template <class Real>
SKT_HD Real log_sum_exp(const SoftmaxPart<Real>& part) {
  constexpr Real ln2 = Real(0.693147180559945309417232121458);
  return part.sum == 0 ? -Real(INFINITY) : (part.exponent + std::log2(part.sum)) * ln2;
}

}  // namespace skt::gpu
