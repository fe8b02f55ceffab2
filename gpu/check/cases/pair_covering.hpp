// Few combinations of many axes in which every pair of values of two axes occurs.
//
// A fault that shows for one value, or for one pair of values, of the axes (a type with a dimension, a mask with a
// number of keys) is then met, at a cost near the product of the two longest axes instead of the product of all.
// Greedy: each combination starts from a pair not yet met and takes, axis by axis, the value that meets most new
// pairs. It would be wrong if an allowed pair occurred in no combination.
#pragma once

#include <cstddef>
#include <functional>
#include <limits>
#include <vector>

namespace skt::gpu {

using Combination = std::vector<std::size_t>;  // index of the value taken on each axis

// `allowed` says whether a combination may be run; an axis not chosen yet holds kUnset, and what is allowed must stay
// allowed when a chosen axis is unset. Pairs that no allowed combination holds are left out.
inline constexpr std::size_t kUnset = std::numeric_limits<std::size_t>::max();
std::vector<Combination> pair_covering(const std::vector<std::size_t>& sizes,
                                       const std::function<bool(const Combination&)>& allowed);

}  // namespace skt::gpu
