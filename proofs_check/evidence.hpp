// What counts as evidence, and how does a measurement become it? One constructor for each way of knowing a number:
//
//   exact            computed without randomness, up to a stated error
//   supremum         the largest ratio of left over right side of an inequality over many instances, claimed
//                    to be at most 1
//   frequency        a proportion counted over trials (Clopper-Pearson)
//   mean_of_bounded  an average of bounded samples (empirical Bernstein)
//   mean             of samples with unknown variance (Student)
//   normal_estimate  an estimate with its standard deviation, such as a fitted slope (normal)
//
// The shares of the first four are guaranteed. Those of the last two are nominal: exact for normal samples only, and
// of skewed ones overspent by some factor.
//
// A wrong interval would show as a false verdict of S002-SRP or as a wrong coverage in the tests of
// sim/statistics/intervals.
#pragma once

#include <cmath>
#include <cstdint>
#include <optional>
#include <string>

#include "proofs_check/rounding.hpp"
#include "sim/statistics/intervals.hpp"
#include "sim/statistics/moments.hpp"

namespace skt {

enum class Relation { equal, at_most, at_least };

// Which formula makes the interval.
enum class IntervalLaw { point, proportion, bounded, student, known_deviation };

// What the formula takes beside the share of the error: counts or moments, so that the interval can be computed anew.
struct IntervalBasis {
  IntervalLaw law = IntervalLaw::point;
  std::uint64_t hits = 0;   // proportion: among samples.count trials
  SampleSummary samples{};  // of a point its value, as the mean; of a proportion the count alone
  double scale = 0;         // bounded: length of the range; known_deviation: the deviation of a sample
};

// InputError for what the formula refuses.
Interval interval_of(const IntervalBasis& basis, double error_share);

// One comparison. `observed` contains the true quantity with probability >= 1 - error_share (a point if exact).
struct Evidence {
  std::string instance{};  // on what it was measured, e.g. "I-TWO(100)"
  std::string quantity{};  // what is observed, e.g. "P(|Z~ - Z_tau| > bound)"
  Relation relation = Relation::equal;
  Interval observed{};
  double claimed = 0;
  double claimed_error = 0;           // error of the oracle or of rounding; widens the claim, protecting it
  double resolution = 0;              // widest `observed` that still says something; 0 only for points
  std::uint64_t trials = 0;           // how many were run
  std::uint64_t trials_in_scope = 0;  // how many met the hypotheses
  double error_share = 0;             // probability that `observed` misses; 0 for exact evidence
  IntervalBasis basis{};              // `observed` is interval_of(basis, error_share)

  // Of a bound that holds with probability 1 - delta: how many times the actual (1 - delta)-quantile of what it bounds
  // it is, exact or that of the sample. Told, not judged; empty where nothing of the kind was measured.
  std::optional<double> bound_over_quantile{};
  // Of the same bound: how many times the trivial one it is, which what it bounds cannot exceed anyway. That is the
  // largest error of a law that is a finite sum; of drawn outputs the longest value, for the answer 0 is as near. From
  // 1 on the bound holds and says nothing. Told, not judged; the least over the sizes tried.
  std::optional<double> bound_over_trivial{};
};

// What is claimed: a relation to a value that is itself known up to `error`.
struct Claim {
  Relation relation = Relation::equal;
  double value = 0;
  double error = 0;
};

inline Claim equals(double value, double error = 0) {
  return {Relation::equal, value, error};
}
inline Claim at_most(double value, double error = 0) {
  return {Relation::at_most, value, error};
}
inline Claim at_least(double value, double error = 0) {
  return {Relation::at_least, value, error};
}

// Is a bound claimed to be attained on its equality instance? Mutants leave it open, so that one is refuted only by an
// instance above its bound.
enum class Equality { attained, open };
inline Claim bounded_by(double value, double error, Equality equality) {
  return {equality == Equality::attained ? Relation::equal : Relation::at_most, value, error};
}

// What is observed, and on what.
struct Observed {
  std::string instance;
  std::string quantity;
};

// How sure an interval has to be, and how wide it may be and still say something.
struct Precision {
  double error_share = 0;
  double resolution = 0;
};

// The larger or smaller of two numbers, NaN if either is: std::max would drop a NaN, and a failure with it.
inline double larger(double a, double b) {
  return a > b || std::isnan(a) ? a : b;
}
inline double smaller(double a, double b) {
  return a < b || std::isnan(a) ? a : b;
}

Evidence exact(const Observed& what, double value, const Claim& claim);

// `trials` instances were tried, `in_scope` of them met the hypotheses.
Evidence supremum(const Observed& what, double largest_ratio, double rounding, std::uint64_t trials,
                  std::uint64_t in_scope);

Evidence frequency(const Observed& what, std::uint64_t hits, std::uint64_t trials, const Claim& claim,
                   const Precision& precision);

Evidence mean(const Observed& what, const Moments& samples, const Claim& claim, const Precision& precision);
Evidence mean_of_bounded(const Observed& what, const Moments& samples, double range, const Claim& claim,
                         const Precision& precision);

// `estimate` is normal around what it estimates, with this standard deviation; `trials` went into it.
Evidence normal_estimate(const Observed& what, double estimate, double deviation, std::uint64_t trials,
                         const Claim& claim, const Precision& precision);

}  // namespace skt
