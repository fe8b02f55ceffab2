// What do the trials of a measurement look like beside the law that is claimed? For a plot, where an interval hides their
// shape; nothing here is judged.
//
// It would be wrong if the kept values were others than those that became evidence: tests/proofs_check/kept_trials_test.cpp
// counts the evidence of a statement again from what it kept.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "proofs_check/evidence.hpp"

namespace skt {

// P(X <= value) of the claimed law. Where a tail alone is claimed the law has one point, the bound.
struct LawPoint {
  double value = 0;
  double probability = 0;
};

struct ValueCount {
  double value = 0;
  std::uint64_t count = 0;
};

struct KeptTrials {
  std::string instance{};               // on what it was measured
  std::string quantity{};               // X, e.g. "error"
  Relation relation = Relation::equal;  // of the true P(X <= value) to the claimed one
  std::vector<ValueCount> values{};     // of all trials, ascending; NaN counts as the largest
  std::vector<LawPoint> law{};          // ascending
};

// Equal values together. A value that is not a number is infinity: it lies beyond every bound.
std::vector<ValueCount> counted(std::vector<double> values);

// Half the width of a band around the empirical distribution of so many trials that the true one leaves nowhere, but with
// probability `error` (Dvoretzky, Kiefer and Wolfowitz, with the constant of Massart 1990). InputError for no trial or an
// error outside (0, 1).
double distribution_band(std::uint64_t trials, double error);

}  // namespace skt
