#include "gpu/check/references/group_bounds.hpp"

#include <algorithm>
#include <cmath>

#include "sim/number.hpp"

namespace skt::gpu {
namespace {

constexpr double kUnit = 0x1p-24;
constexpr double kSmallestNormal = 0x1p-126;
constexpr double kSecondOrder = 1.01;  // of products of the errors, each below a hundredth

}  // namespace

double exponent_error(double factor, double sum, double sum_error) {
  return kSecondOrder * std::abs(factor) * (sum_error + 3 * kUnit * (std::abs(sum) + sum_error)) + kSmallestNormal;
}

double normaliser_error(double largest, double exponent, std::int64_t keys_read) {
  // A weight's exponential, the additions, and the product with what a tile stands for.
  const double weights = kExponentialError + (real(keys_read) + 2) * kUnit;
  // Two logarithms; taking the largest out and adding it again, twice; 14 logarithms averaged.
  constexpr double kRoundings = 4 + 14;
  const double log_size = std::max(1.0, largest + exponent + std::log2(real(keys_read) + 1));
  return exponent +
         kSecondOrder * (2 * std::log2(1 + weights) + (2 * kExponentialError + kRoundings * kUnit) * log_size);
}

ScoreInterval group_score_interval(std::span<const BoundedExponent> heads, double stored) {
  ScoreInterval sum;
  double flushed = 0;
  for (const BoundedExponent& head : heads) {
    flushed += kSmallestNormal;
    if (std::isinf(head.exponent)) continue;
    const double difference = head.exponent - head.normaliser, inputs = head.exponent_error + head.normaliser_error;
    const double off = inputs + kUnit * (std::abs(difference) + inputs);
    sum.low += std::exp2(difference - off);
    sum.high += std::exp2(difference + off);
  }
  const double after = kSecondOrder * (kExponentialError + real(std::ssize(heads)) * kUnit);
  return {std::max(0.0, (sum.low * (1 - after) - flushed) * (1 - stored)),
          (sum.high * (1 + after) + flushed) * (1 + stored)};
}

}  // namespace skt::gpu
