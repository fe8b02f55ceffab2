// On the instances where the law of an error is a finite sum: which error is exceeded with probability delta?
//
// A bound that holds with probability 1 - delta is compared with the (1 - delta)-quantile of what it bounds. It would be
// wrong if a quantile differed from that of the few values listed by hand in tests/proofs_check/laws/error_law_test.cpp,
// or if the estimators had another law on the instance than S002-E16-law, S002-L9-law and S002-L9-law-dimensions say.
#pragma once

#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

#include "sim/number.hpp"

namespace skt {

class ErrorLaw {
 public:
  // An error with its probability, and one with the probability of being reached or exceeded.
  struct Atom {
    double error, probability;
  };
  struct Tail {
    double error, at_least;
  };

  // InputError unless there are some and all are finite.
  explicit ErrorLaw(std::vector<Atom> atoms);

  // By falling error; small probabilities keep their relative accuracy.
  const std::vector<Tail>& tails() const& { return tails_; }
  std::vector<Tail> tails() && { return std::move(tails_); }  // of a law that is not kept

  // The smallest error that is exceeded with probability `delta` at most.
  double quantile(double delta) const;

  double mean() const;
  double largest() const { return tails_.front().error; }

  // The law of `factor` times the error, factor > 0.
  ErrorLaw times(double factor) const;

 private:
  std::vector<Tail> tails_;
};

// error_of(count) for a count of law Bin(n, p), 0 < p < 1.
ErrorLaw of_binomial(std::uint64_t n, double p, const std::function<double(std::uint64_t count)>& error_of);

// |Bin(n, p)/n - p|.
ErrorLaw binomial_error(std::uint64_t n, double p);

// The length of a mean of n vectors of `dims` independent signs. O(dims^2 n^3) operations.
ErrorLaw mean_of_signs(Index dims, Index n);

// The length of a mean of n steps along e_1, -e_1, e_2 or -e_2, each as probable. Along the diagonals a step is a pair
// of independent signs over sqrt(2).
ErrorLaw mean_of_plane_steps(Index n);

// Every error of a sample as probable as the others.
ErrorLaw of_sample(const std::vector<double>& errors);

}  // namespace skt
