// Heads of which every number says where it stands: four query heads on two key heads, five keys, and two queries, which
// are the positions 3 and 4.
#pragma once

#include <memory>

#include "sim/learned_heads.hpp"

namespace skt {

// Query i of head h is (h + 1, i + 1); key j of key head g is (10 g + j + 1, 1), its value 100 g + j.
inline std::shared_ptr<const LearnedHeads> two_key_heads() {
  LearnedHeads heads{"made by hand", {}, {}, {}};
  for (int h = 0; h < 4; ++h) heads.queries.push_back(Matrix{{h + 1.0, 1}, {h + 1.0, 2}});
  for (int g = 0; g < 2; ++g) {
    Matrix keys(5, 2), values(5, 1);
    for (int j = 0; j < 5; ++j) {
      keys.row(j) << 10 * g + j + 1, 1;
      values(j) = 100 * g + j;
    }
    heads.keys.push_back(keys);
    heads.values.push_back(values);
  }
  return std::make_shared<const LearnedHeads>(heads);
}

}  // namespace skt
