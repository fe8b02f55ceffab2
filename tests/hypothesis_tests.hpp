// How improbable is an observation if a hypothesis is true?
//
// Every function returns a p-value: under the hypothesis, P(p-value <= x) <= x for every x in (0, 1) (in the limit of
// many samples where the line says so). It would be wrong if true hypotheses were rejected more often than that, or if
// false ones never were; hypothesis_tests_test.cpp counts both.
#pragma once

#include <cstdint>
#include <vector>

namespace skt {

// Two-sided exact binomial test that the success probability is p: twice the smaller tail, at most 1. It rejects at
// level x exactly where clopper_pearson(successes, trials, x) leaves p out. InputError unless 0 <= p <= 1,
// successes <= trials, trials > 0.
double binomial_p_value(std::uint64_t successes, std::uint64_t trials, double p);

// Pearson's test that counts are multinomial with these probabilities (many samples). InputError unless there are two
// cells or more, one probability to each, summing to 1, and at least five expected counts in each (Cochran 1954), below
// which the limit is not reached.
double goodness_of_fit_p_value(const std::vector<std::uint64_t>& counts, const std::vector<double>& probabilities);

}  // namespace skt
