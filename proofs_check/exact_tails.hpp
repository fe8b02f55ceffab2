// On the instances whose law is binomial: how probable, exactly, is a deviation beyond a bound?
#pragma once

#include <cstdint>

namespace skt {

// P(|Bin(n, p)/n - p| > t), t >= 0.
double binomial_deviation(std::uint64_t n, double p, double t);

// P(Bin(n, p)/n < x).
double binomial_below(std::uint64_t n, double p, double x);

}  // namespace skt
