// How probable is it, exactly, that a binomial count is k, at most k or at least k?
//
// For the instances on which the whole law of an estimator is a binomial, so that the probability of a violation is a
// finite sum and needs no Monte Carlo. Incomplete beta functions of Boost.Math; small tails keep their relative
// accuracy. It would be wrong if it differed from the sum of the probabilities.
#pragma once

#include <cstdint>

namespace skt {

// P(Bin(trials, p) = count). Any count, 0 above `trials`. InputError unless 0 <= p <= 1.
double binomial_probability(std::uint64_t count, std::uint64_t trials, double p);

// P(Bin(trials, p) <= count) and P(Bin(trials, p) >= count). Any count: above `trials` they are 1 and 0.
// InputError unless 0 <= p <= 1.
double binomial_at_most(std::uint64_t count, std::uint64_t trials, double p);
double binomial_at_least(std::uint64_t count, std::uint64_t trials, double p);

}  // namespace skt
