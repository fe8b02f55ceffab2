// Which keys does a ranking leave tied?
//
// It would be wrong if two keys of equal score were in two groups, or two of unequal score in one.
#pragma once

#include <vector>

#include "sim/matrix.hpp"

namespace skt {

// Keys by falling score; those of equal score form a group. NaN is an InputError.
struct TieGroups {
  std::vector<Index> order;  // [keys], within a group by index
  std::vector<Index> begin;  // position where each group begins, then the number of keys
};
TieGroups tie_groups(const Vector& scores);

}  // namespace skt
