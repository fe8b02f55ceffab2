#include "estimators/groups/kv_head_lists.hpp"

#include <fmt/format.h>

#include <cmath>
#include <limits>

#include "sim/require.hpp"

namespace skt {

PackedLists packed_lists(const std::vector<std::vector<Index>>& lists, Index capacity) {
  PackedLists packed;
  packed.keys.reserve(lists.size() * capacity);
  for (std::size_t i = 0; i < lists.size(); ++i) {
    const std::vector<Index>& list = lists[i];
    require(std::ssize(list) <= capacity, "list {} has {} keys; allowed are at most the capacity of {}", i, list.size(),
            capacity);
    Index before = -1;
    for (const Index key : list) {
      require(key > before && key <= std::numeric_limits<std::int32_t>::max(),
              "list {}: key {} behind key {}; allowed are rising numbers from 0 to 2^31 - 1", i, key, before);
      packed.keys.push_back(static_cast<std::int32_t>(key));
      before = key;
    }
    packed.counts.push_back(static_cast<std::int32_t>(list.size()));
    packed.keys.resize((i + 1) * capacity, -1);
  }
  return packed;
}

double log_sum_exp(const Vector& logits) {
  const double largest = logits.size() == 0 ? -std::numeric_limits<double>::infinity() : logits.maxCoeff();
  return std::isinf(largest) ? largest : largest + std::log((logits.array() - largest).exp().sum());
}

}  // namespace skt
