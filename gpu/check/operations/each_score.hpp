// What all checks of scores say of a row: nothing is written behind the keys, nor of a sequence that is attended to whole,
// and a forbidden key has -infinity.
#pragma once

#include <cmath>
#include <limits>
#include <vector>

#include "gpu/check/cases/check_case.hpp"
#include "gpu/check/device/device_index.hpp"
#include "gpu/check/problems/problem.hpp"
#include "gpu/check/references/comparison.hpp"

namespace skt::gpu {

// of_row(row) gives a function of each other key's place among the scores, its score, its codes and its norm. Rows are
// those of lists: of a query head, or of a kv head.
template <class OfRow>
void compare_scores(const CheckCase& c, const Problem& problem, const std::vector<float>& scores,
                    const std::vector<std::int16_t>& codes, const std::vector<float>& norms, Comparison& result,
                    OfRow&& of_row) {
  for (const std::int64_t row : sampled_rows(c.list_rows())) {
    const auto compare = of_row(row);
    const std::int64_t first_head = row * c.heads_of_list(), kv_row = first_head / c.group();
    for (const std::int64_t key : sampled_keys(c.capacity)) {
      const std::int64_t at = row * c.capacity + key;
      if (key >= c.keys || c.keys <= c.dense) {
        result.equal("score behind the keys", at, scores[at], std::nan(""));
      } else if (!is_allowed(c, problem, first_head, key)) {
        result.equal("forbidden score", at, scores[at], -std::numeric_limits<double>::infinity());
      } else {
        compare(at, double{scores[at]}, codes_of_key(c, codes, kv_row, key), norms[kv_row * c.capacity + key]);
      }
    }
  }
}

}  // namespace skt::gpu
