// Which keys does a list for a KV head hold, in what form do engines take it, and what does each head attend to?
//
// A list is that of estimators/selection.hpp by the group's scores, put into rising order. Engines take [batch, kv heads,
// capacity] int32 with a count for each list and -1 behind it: SGLang's (logical_indices, valid_lengths), FlashInfer's
// topk_idx, TensorRT-LLM's (indices, offsets). Wrong if a list had a key twice, or a log-sum-exp did not merge two parts
// of a list into the output of the whole: tests/estimators/groups/kv_head_lists_test.cpp.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "estimators/selection.hpp"
#include "sim/matrix.hpp"

namespace skt {

// Rising, each key once. scores [keys] of a group.
std::vector<Index> kv_head_list(const Vector& scores, std::span<const Allowed> mask, const SelectionRule& rule);

struct PackedLists {
  std::vector<std::int32_t> keys;    // [lists, capacity], -1 behind the keys of a list
  std::vector<std::int32_t> counts;  // [lists]
};

// InputError for a list longer than the capacity, out of order, or with a key outside 0 to 2^31 - 1.
PackedLists packed_lists(const std::vector<std::vector<Index>>& lists, Index capacity);

struct ListedAttention {
  Vector output;           // [value_dim], softmax of the logits over the list
  double log_sum_exp = 0;  // natural logarithm of the sum of exp(logit) over the list
};

// Natural logarithm of the sum of exp(logit); -infinity for none.
double log_sum_exp(const Vector& logits);

// Of one head: logits [keys], -infinity where forbidden; nullopt where no listed key has a weight.
std::optional<ListedAttention> listed_attention(const Vector& logits, const Matrix& values,
                                                const std::vector<Index>& list);

}  // namespace skt
