// Softmax attention of one query row over a list of keys, in double, with what the kernel may differ by: the bound
// derived in gpu/attention/attention.cu, for each coordinate. Below the normal range fp32 adds an absolute part: a
// vector takes at most `list` fused multiply-adds, as many rescalings and 40 of warps and parts, each off by 2^-150,
// and is divided by a sum of at least 1/2, as the largest weight is; a logit likewise.
#pragma once

#include <limits>
#include <span>

#include "gpu/check/problems/problem.hpp"
#include "gpu/check/references/comparison.hpp"

namespace skt::gpu {

struct AttentionReference {
  Vector output;     // [dim]; empty for an empty list
  Vector tolerance;  // [dim]
  double log_sum_exp = -std::numeric_limits<double>::infinity();
  double log_tolerance = 0;
};

// What one row attends to.
struct ListedRows {
  Vector query;   // [dim]
  Matrix keys;    // [list, dim]
  Matrix values;  // [list, value_dim]
};

// By how many 2^-24 the kernel may be off (gpu/attention/attention.cu): a logit, of the scaled sum of its products' sizes; and
// beside that a sum of `list` weighted values, of the sum of their sizes.
struct AttentionUnits {
  double logit, beside_list;

  double sum(double list) const { return list + beside_list; }
};
AttentionUnits fp32_units(std::int64_t dim);
AttentionUnits attention_units(const CheckCase& c);

// Of rows that are at hand, all finite; `longest_list` is the most keys that a list of the run may have.
AttentionReference attention_reference(const ListedRows& rows, double inverse_sqrt_dim, std::int64_t longest_list,
                                       const AttentionUnits& units);

// A key that stands twice in the list counts twice. Keys and values of the list must be finite.
AttentionReference attention_reference(const CheckCase& c, const Problem& problem, std::int64_t row,
                                       std::span<const std::int32_t> list);

// The row's output, of all rows' [rows, dim], against the reference; NaN for an empty list.
void compare_output(std::int64_t dim, const AttentionReference& reference, std::int64_t row,
                    std::span<const float> output, Comparison& result);

}  // namespace skt::gpu
