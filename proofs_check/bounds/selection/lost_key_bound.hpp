// How probable is it, at most, that a given key is not among the keys of highest score?
//
// Source: docs/bounds/selection.md, Theorem 11, for scores without the value's norm. A lost key has at least `budget`
// competitors of no lower score, so the sum of the probabilities of that, over `budget`, bounds its loss, whatever the
// rule for ties. The probability for one competitor is that of score_difference.hpp. It rises with the competitor's
// cosine to the query and falls with the cosine of the angle by which it is turned from the key: competitors near each
// other are counted as if all had the worst of both, and groups are divided until that costs little. It would be wrong
// if a key were lost more often, or if the sum fell short of that over every competitor by itself.
#pragma once

#include "estimators/population/parameters.hpp"
#include "sim/instance.hpp"

namespace skt {

struct LostKey {
  double probability = 0;  // of being lost, at most
  Index evaluated = 0;     // groups of competitors that the sum is over; each at its worst member's place
};

// tables >= 1, 1 <= budget <= keys, 0 <= key < keys, otherwise InputError. Cost O(keys dim) and a millisecond or less
// for each pair evaluated, some hundreds of them; memory O(keys).
LostKey lost_key(const Instance& instance, const PopulationParameters& parameters, Index tables, Index budget,
                 Index key);
double lost_key_bound(const Instance& instance, const PopulationParameters& parameters, Index tables, Index budget,
                      Index key);

}  // namespace skt
