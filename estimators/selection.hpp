// Which keys attend (paper, Algorithms 3 and 4; document 000, section 7)?
// The `budget` allowed keys of highest score, ties to the lower index, joined with the first `sink` and the last
// `window` keys without duplicates.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "sim/matrix.hpp"

namespace skt {

enum class Allowed : std::uint8_t { no = 0, yes = 1 };

struct SelectionRule {
  Index budget = 0;  // >= 0; more than the allowed keys selects all of them
  Index sink = 0;    // first keys, always selected where allowed, on top of the budget
  Index window = 0;  // last keys, likewise
};

// The largest number of keys that the rule can select, min(keys, budget + sink + window).
Index selection_width(Index keys, const SelectionRule& rule);

// Scores of forbidden keys become -infinity. mask may be empty (all allowed) or [keys].
Vector masked_scores(const Vector& scores, std::span<const Allowed> mask);

// Indices by falling score, ties to the lower index; forbidden keys never appear. Sink and window keys come first in
// index order, then the best of the rest. NaN in scores: InputError with its position.
std::vector<Index> select_keys(const Vector& scores, std::span<const Allowed> mask, const SelectionRule& rule);

}  // namespace skt
