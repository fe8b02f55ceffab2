// What do the trials of a statement add up to? Accumulators for run_trials (sim/trial_loop.hpp) beyond Moments.
#pragma once

#include <cmath>
#include <cstdint>
#include <vector>

#include "proofs_check/evidence.hpp"
#include "sim/statistics/moments.hpp"

namespace skt {

// Several quantities followed side by side.
struct MomentsList {
  explicit MomentsList(std::size_t quantities) : of(quantities) {}
  void merge(const MomentsList& later) {
    for (std::size_t i = 0; i < of.size(); ++i) of[i].merge(later.of[i]);
  }
  std::vector<Moments> of;
};

// Hits of several events, over the same trials.
struct Counts {
  explicit Counts(std::size_t events) : of(events) {}
  void merge(const Counts& later) {
    for (std::size_t i = 0; i < of.size(); ++i) of[i] += later.of[i];
  }
  std::vector<std::uint64_t> of;
};

// The largest of the numbers added, and of how many trials in scope; a NaN stays.
struct Largest {
  void add(double x) {
    ++trials;
    ++in_scope;
    value = larger(value, x);
  }
  void add_out_of_scope() { ++trials; }
  void merge(const Largest& later) {
    trials += later.trials;
    in_scope += later.in_scope;
    if (later.in_scope > 0) value = larger(value, later.value);
  }

  double value = -HUGE_VAL;  // minus infinity while nothing is in scope: inconclusive as evidence
  std::uint64_t trials = 0;
  std::uint64_t in_scope = 0;
};

}  // namespace skt
