// Which keys does a list for a KV head hold, in what form do engines take it, and what does each head attend to?
//
// A list is that of estimators/selection.hpp by the group's scores, put into rising order. Engines take [batch, kv heads,
// capacity] int32 with a count for each list and -1 behind it: SGLang's (logical_indices, valid_lengths), FlashInfer's
// topk_idx, TensorRT-LLM's (indices, offsets). Wrong if a list had a key twice, or a log-sum-exp lost what exponentials
// of logits leave double by: tests/estimators/groups/kv_head_lists_test.cpp.
#pragma once

#include <cstdint>
#include <vector>

#include "sim/matrix.hpp"

namespace skt {

struct PackedLists {
  std::vector<std::int32_t> keys;    // [lists, capacity], -1 behind the keys of a list
  std::vector<std::int32_t> counts;  // [lists]
};

// InputError for a list longer than the capacity, out of order, or with a key outside 0 to 2^31 - 1.
PackedLists packed_lists(const std::vector<std::vector<Index>>& lists, Index capacity);

// Natural logarithm of the sum of exp(logit); -infinity for none.
double log_sum_exp(const Vector& logits);

}  // namespace skt
