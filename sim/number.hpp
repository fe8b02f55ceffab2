// The kinds of number of the project: what counts and subscripts, what formulas are computed in, and what is computed
// with an estimate of its own error.
#pragma once

#include <concepts>
#include <cstddef>

namespace skt {

// Counts, sizes and subscripts, of vectors, spans and matrices alike; the same type as Eigen::Index. A size() becomes
// one without a cast, and a cast is written only where a value may not fit.
using Index = std::ptrdiff_t;

// A count in a formula: exact below 2^53, which no count of this project reaches.
constexpr double real(std::integral auto count) {
  return static_cast<double>(count);
}

struct Estimate {
  double value = 0;
  double error = 0;  // absolute, >= 0
};

}  // namespace skt
