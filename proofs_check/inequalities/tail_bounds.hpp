// How does a bound that holds with probability 1 - delta become evidence?
//
// Where the law of the error is a finite sum, as an inequality between numbers: its (1 - delta)-quantile is at most the
// bound. That is the same as P(error > bound) <= delta, and says how near the bound is, which a probability of 1e-100
// does not. Where errors are drawn, by counting those above the bound. Both tell bound over quantile, and bound over
// the trivial one: the largest error of the law, or what the caller knows that no draw exceeds.
//
// It would be wrong if the evidence of a bound between two errors of a law, listed by hand, had another verdict.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "proofs_check/context.hpp"
#include "proofs_check/evidence.hpp"
#include "proofs_check/laws/error_law.hpp"

namespace skt {

// An instance with a known law for each number of tables or samples.
struct SizedLaw {
  std::string instance;
  std::string size_name;  // "L"
  std::vector<Index> sizes;
  std::function<ErrorLaw(Index size)> error;
};

// first, first + 1, .. last.
std::vector<Index> all_sizes(Index first, Index last);

// The (1 - delta)-quantile over the bound, the largest over the sizes, claimed to be at most 1.
Evidence quantile_over_bound(const SizedLaw& law, double delta, const std::function<double(Index size)>& bound);

// Errors of trials, in the order of the trials. An accumulator of run_trials.
struct DrawnErrors {
  void add(double error) { of.push_back(error); }
  void merge(const DrawnErrors& later) { of.insert(of.end(), later.of.begin(), later.of.end()); }
  std::vector<double> of;
};

// A bound beside the trivial one, both in the unit of the errors.
struct BoundOfDraws {
  double bound = 0;
  double trivial = 0;  // > 0
};

// How often an error exceeds the bound, claimed to be a share `delta` at most; spends the whole share of the context.
Evidence exceeded(const Context& context, const std::string& instance, const DrawnErrors& errors, BoundOfDraws at,
                  double delta);

}  // namespace skt
