// Within which distance does the error stay with probability 1 - delta, exactly, where its law is binomial?
//
// A bound that holds with probability 1 - delta is at least this quantile, and the ratio of the two says how tight the
// bound is. It would be wrong if a smaller distance were enough: tests/proofs_check/laws/exact_quantiles_test.cpp works
// small cases out by hand.
#pragma once

#include <cstdint>

namespace skt {

// The least t with P(|T| > t) <= delta, T as in two_stage_deviation (exact_tails.hpp). tables > 0, 1e-20 < delta < 1.
double two_stage_quantile(std::uint64_t tables, std::uint64_t samples, double delta);

}  // namespace skt
