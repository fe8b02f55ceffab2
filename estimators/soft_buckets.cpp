#include "estimators/soft_buckets.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "estimators/key_codes.hpp"
#include "sim/number.hpp"
#include "sim/require.hpp"

namespace skt {
namespace {

// 1/(1 + e^-x) with the exponential that cannot overflow, so that the tail keeps its digits down to e^-745.
double sigma(double x) {
  const double e = std::exp(-std::abs(x));
  return (x < 0 ? e : 1.0) / (1 + e);
}

void check_temperature(double temperature) {
  require(temperature > 0 && std::isfinite(temperature), "temperature is {}: allowed are finite numbers above 0",
          temperature);
}

// Probabilities of the sign patterns of `signal`, most significant plane first, [2^size].
std::vector<double> pattern_probabilities(std::span<const double> signal, double temperature) {
  std::vector<double> table{1.0};
  for (const double u : signal) {
    const double plus = sigma(2 * u / temperature);
    const double minus = sigma(-2 * u / temperature);
    std::vector<double> longer(2 * table.size());
    for (std::size_t c = 0; c < table.size(); ++c) {
      longer[2 * c] = table[c] * minus;
      longer[2 * c + 1] = table[c] * plus;
    }
    table = std::move(longer);
  }
  return table;
}

}  // namespace

double scaling_factor(Scaling scaling, Index dim) {
  if (dim < 1) refuse("dim is {}: allowed are 1 and more", dim);
  return scaling == Scaling::inverse_sqrt_dim ? 1 / std::sqrt(real(dim)) : 1.0;
}

Matrix query_signal(const Hyperplanes& hyperplanes, const Vector& query, Scaling scaling) {
  const double factor = scaling_factor(scaling, hyperplanes.dim);
  return query_projections(hyperplanes, query).unaryExpr([factor](double x) { return std::tanh(x) * factor; });
}

std::vector<double> bucket_probabilities_softmax(std::span<const double> signal, double temperature) {
  check_temperature(temperature);
  const Index planes = std::ssize(signal);
  if (planes > kMaxSoftmaxPlanes)
    refuse("planes is {}: the softmax over all buckets allows up to {}", planes, kMaxSoftmaxPlanes);
  std::vector<double> p(std::size_t{1} << planes);
  for (std::uint32_t r = 0; r < p.size(); ++r) {
    double logit = 0;  // times temperature
    for (Index i = 0; i < planes; ++i) logit += signal[i] * corner(r, i, planes);
    p[r] = logit;
  }
  const double largest = *std::max_element(p.begin(), p.end());
  double sum = 0;
  for (double& x : p) sum += x = std::exp((x - largest) / temperature);
  for (double& x : p) x /= sum;
  return p;
}

double bucket_probability(std::span<const double> signal, double temperature, std::uint32_t code) {
  check_temperature(temperature);
  const Index planes = std::ssize(signal);
  double p = 1;
  for (Index i = 0; i < planes; ++i) p *= sigma(2 * signal[i] * corner(code, i, planes) / temperature);
  return p;
}

HalfTables half_tables(std::span<const double> signal, double temperature) {
  check_temperature(temperature);
  const Index low = std::ssize(signal) / 2;
  return {low, pattern_probabilities(signal.first(signal.size() - low), temperature),
          pattern_probabilities(signal.last(low), temperature)};
}

}  // namespace skt
