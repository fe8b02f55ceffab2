// How large are the error terms of Theorem 3 (exact_terms.hpp) at one setting, measured?
//
// Means over trials, each with tables of its own. An error here would show as a measured interval that misses its exact
// centre.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "estimators/error_terms/exact_terms.hpp"
#include "sim/randomness.hpp"
#include "sim/statistics/moments.hpp"

namespace skt {

// Means over trials. One number to a trial, so that their spread is that of independent draws.
struct MeasuredTerms {
  Moments sampling;           // ||T - y_{tau,L}||^2, averaged over the draws of T on the same tables
  Moments sampling_expected;  // its exact expectation given those tables
  Moments finite_tables;      // ||y_{tau,L} - y_tau||^2
  Moments bias;               // see measure_terms
  Moments total;              // ||T - y*||^2, averaged like sampling
  Moments selection;          // ||attention over the `budget` keys of highest score - dense attention||^2
  Moments left_out;           // square of the softmax mass of the other keys
  Moments occupied_miss;      // B_l (1 - p_l), largest bucket and the query's probability of its own, over the tables
  Index occupancy = 0;        // largest bucket of any table drawn

  void merge(const MeasuredTerms& later);
};

struct Effort {
  std::uint64_t trials = 350;  // draws of L tables
  std::uint64_t draws = 8;     // draws of T on each of them
};

// Called after each trial, from the thread that ran it.
using TrialDone = std::function<void()>;

// The bias is measured along its exact direction b: <n~ - Z~ y*, b>/Z_tau has mean <n_tau - Z_tau y*, b>/Z_tau = bias
// for every L, and adding bias (1 - Z~/Z_tau), of mean zero, takes out the spread that comes from Z~ alone. Where the
// bias is zero, b is the coordinate axis along which the values vary most, and the mean zero.
MeasuredTerms measure_terms(const Instance& instance, const Setting& setting, const Centre& centre, Seed seed,
                            const Effort& effort, const TrialDone& trial_done = {});

// Some of the trials of measure_terms.
struct TrialRange {
  std::uint64_t first = 0, count = 0;
};

// Each of them by itself. All trials merged in order, into nothing, are the result of measure_terms to the bit, in
// whatever ranges they were measured.
std::vector<MeasuredTerms> measure_each_trial(const Instance& instance, const Setting& setting, const Centre& centre,
                                              Seed seed, std::uint64_t draws, const TrialRange& range,
                                              const TrialDone& trial_done = {});

}  // namespace skt
