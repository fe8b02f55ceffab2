// How do two partial softmax averages become one?
//
// A part keeps the largest logit m, sum = sum exp(x - m) and, beside it, the vector sum exp(x - m) v. Merging
// rescales both parts to the larger maximum (Milakov and Gimelshein 2018). The empty part has m = -infinity,
// sum = 0, and merges as nothing; two empty parts stay empty instead of giving NaN from -infinity minus
// -infinity. It would be wrong if merged parts differed from one softmax over their union.
#pragma once

#include <cmath>

#include "gpu/host_device.hpp"

namespace skt::gpu {

template <class Real>
struct SoftmaxPart {
  Real max = -Real(INFINITY);
  Real sum = 0;
};

// Factors to apply to the two parts' vectors, and the merged maximum and sum.
template <class Real>
struct SoftmaxMerge {
  SoftmaxPart<Real> merged;
  Real left_factor = 0;
  Real right_factor = 0;
};

template <class Real>
SKT_HD Real rescale_factor(Real from, Real to) {
  return from == to ? Real(1) : std::exp(from - to);
}

template <class Real>
SKT_HD SoftmaxMerge<Real> merge(const SoftmaxPart<Real>& left, const SoftmaxPart<Real>& right) {
  SoftmaxMerge<Real> result;
  result.merged.max = left.max > right.max ? left.max : right.max;
  result.left_factor = rescale_factor(left.max, result.merged.max);
  result.right_factor = rescale_factor(right.max, result.merged.max);
  result.merged.sum = left.sum * result.left_factor + right.sum * result.right_factor;
  return result;
}

// log sum exp of everything merged; -infinity for the empty part.
template <class Real>
SKT_HD Real log_sum_exp(const SoftmaxPart<Real>& part) {
  return part.sum > 0 ? part.max + std::log(part.sum) : -Real(INFINITY);
}

}  // namespace skt::gpu
