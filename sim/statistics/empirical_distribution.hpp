// How are values counted for a plot of their distribution, and how far may the true distribution lie from it?
//
// It would be wrong if a band of a known law left out more of its samples than its error:
// tests/sim/statistics/empirical_distribution_test.cpp.
#pragma once

#include <cstdint>
#include <vector>

namespace skt {

struct ValueCount {
  double value = 0;
  std::uint64_t count = 0;
};

// Equal values together, ascending. A value that is not a number is infinity: it lies beyond every bound.
std::vector<ValueCount> counted(std::vector<double> values);

// Half the width of a band around the empirical distribution of so many trials that the true one leaves nowhere, but with
// probability `error` (Dvoretzky, Kiefer and Wolfowitz, with the constant of Massart 1990). InputError for no trial or an
// error outside (0, 1).
double distribution_band(std::uint64_t trials, double error);

}  // namespace skt
