#include "gpu/check/references/reference.hpp"

#include <algorithm>
#include <cmath>
#include <span>

#include "estimators/soft_buckets.hpp"
#include "sim/number.hpp"

namespace skt::gpu {
namespace {

constexpr double kUnit = 0x1p-24;

// Softmax over the caller's corners [2^planes, planes], with the error of the kernel's: a logit x_p = u_p /
// temperature is off by `logit_error`, their weighted sum adds a rounding to a plane; the difference to the largest
// logit rounds once, exp is good to 2 ulp; the sum of 2^planes terms goes through 32 lanes.
ReferenceBuckets softmax_over(const std::vector<float>& corners, const Vector& u, double temperature,
                              double logit_error) {
  const Index planes = u.size();
  const std::size_t codes = std::size_t{1} << planes;
  ReferenceBuckets buckets;
  std::vector<double> logits(codes, 0.0);
  double worst = 0;
  double largest = -INFINITY;
  double smallest = INFINITY;
  for (std::size_t code = 0; code < codes; ++code) {
    double error = 0;
    for (Index p = 0; p < planes; ++p) {
      const double corner = corners[code * planes + p];
      logits[code] += corner * u[p] / temperature;
      error += std::abs(corner) * (logit_error + real(planes) * kUnit * std::abs(u[p]) / temperature);
    }
    worst = std::max(worst, error);
    largest = std::max(largest, logits[code]);
    smallest = std::min(smallest, logits[code]);
  }
  double sum = 0;
  for (const double logit : logits) sum += std::exp(logit - largest);
  for (const double logit : logits) buckets.probability.push_back(std::exp(logit - largest) / sum);
  const double exponentials = 2 * (worst + kUnit * (largest - smallest) + 4 * kUnit);
  buckets.relative_error = 1.01 * (2 * exponentials + (real(codes) / 32 + 5 + 1) * kUnit);
  return buckets;
}

}  // namespace

std::vector<ReferenceBuckets> reference_buckets(const CheckCase& c, const Problem& problem, const Hyperplanes& exact,
                                                std::int64_t row, Summation summation) {
  const Vector query = row_of(problem.queries, row, c.dim);
  const Matrix signal = query_signal(exact, query, Scaling::inverse_sqrt_dim);
  const double steepness = 2 * scaling_factor(Scaling::inverse_sqrt_dim, c.dim) / temperature_of(c);
  std::vector<ReferenceBuckets> tables(c.tables);
#pragma omp parallel for schedule(static) if (c.planes >= 8)  // 2^planes exponentials to a table
  for (Index table = 0; table < c.tables; ++table) {
    const Vector u = signal.row(table);
    const Matrix terms = exact.table(table).cwiseAbs() * query.cwiseAbs();
    const double additions = real(c.dim) / (summation == Summation::of_the_kernel ? 32 : 1) + 5;
    // A logit 2u/temperature, at most `steepness`: projection, 2 ulp of tanh, the roundings of scale, its product,
    // temperature's quotient and their fp32 inputs.
    const double logit = steepness * kUnit * (additions * terms.maxCoeff() + 4 + 4);
    ReferenceBuckets& buckets = tables[table];
    if (!problem.corners.empty()) {
      buckets = softmax_over(problem.corners, u, temperature_of(c), logit / 2);
      continue;
    }
    buckets.probability = bucket_probabilities_softmax(std::span(u.data(), u.size()), temperature_of(c));
    // sigma: the logit's error, 2 ulp of exp, a sum and a quotient; then one product to a plane.
    buckets.relative_error = 1.01 * real(c.planes) * (logit + 7 * kUnit);
  }
  return tables;
}

double probability_tolerance(const ReferenceBuckets& buckets, double probability, std::int32_t type) {
  // fp16 has its smallest subnormal, 2^-24, where fp32 is still normal; bf16 has the range of fp32.
  const double absolute = type == SKT_F16 ? 0x1p-25 : kSmallestNormal;
  return (buckets.relative_error + 1.01 * rounding_unit(type)) * probability + absolute;
}

}  // namespace skt::gpu
