// What does a population quantity depend on?
#pragma once

#include "estimators/soft_buckets.hpp"

namespace skt {

// The parameters every population quantity depends on. Ranges: query_norm and temperature 1e-150 to 1e150, dim >= 1,
// planes >= 1; anything else (or NaN) throws InputError.
struct PopulationParameters {
  double query_norm = 1;
  double temperature = 0.5;
  Index dim = 128;
  Index planes = 8;
  Scaling scaling = Scaling::inverse_sqrt_dim;
};

// Cosine given together with its distance to the nearer of +-1, so that 1 - |rho| down to 1e-300 keeps its digits.
struct Cosine {
  double value = 0;       // in [-1, 1]
  double complement = 1;  // 1 - |value| >= 0
  static Cosine of(double value) { return {value, 1 - (value < 0 ? -value : value)}; }
};

}  // namespace skt
