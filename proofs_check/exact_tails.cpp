#include "proofs_check/exact_tails.hpp"

#include <cmath>

#include "sim/binomial_tails.hpp"

namespace skt {

double binomial_below(std::uint64_t n, double p, double x) {
  const double most = std::ceil(x * static_cast<double>(n)) - 1;  // the largest count strictly below
  return most < 0 ? 0 : binomial_at_most(static_cast<std::uint64_t>(most), n, p);
}

double binomial_deviation(std::uint64_t n, double p, double t) {
  const double least = std::floor((p + t) * static_cast<double>(n)) + 1;  // the smallest count strictly above
  return binomial_below(n, p, p - t) + binomial_at_least(static_cast<std::uint64_t>(least), n, p);
}

}  // namespace skt
