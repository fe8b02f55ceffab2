// The inputs of one case on the host, already rounded to their type; needs no device.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "estimators/hyperplanes.hpp"
#include "gpu/check/cases/check_case.hpp"
#include "gpu/check/cases/element_type.hpp"
#include "sim/matrix.hpp"
#include "sim/randomness.hpp"

namespace skt::gpu {

// Arrays as in gpu/socketlab_gpu.h; unused places of the cache and what the mask forbids to all heads hold NaN.
struct Problem {
  std::vector<float> queries;         // [batch, heads, dim]
  std::vector<float> keys;            // [batch, kv_heads, capacity, dim]
  std::vector<float> values;          // likewise
  std::vector<float> hyperplanes;     // [tables, planes, dim]
  std::vector<float> corners;         // [2^planes, planes]; empty: {-1, +1}^planes
  std::vector<std::uint8_t> allowed;  // [batch, capacity] or [batch, heads, capacity]; empty: no mask
  // Of a cache of e4m3, [kv_heads]; empty: no scales. Keys and values are numbers of e4m3 times their head's scale, with
  // so few bits that this is exact: in the type of the case where an index is built of them, else in fp32.
  std::vector<float> key_scales, value_scales;
  // [batch, heads], as a step before might have left them: of a kv head's list by the signed rule. That of the first head
  // is -infinity, as of an empty list.
  std::vector<float> log_sums;
};

Problem make_problem(const CheckCase& c);
// With queries and log-sum-exps of all query rows.
Problem with_queries_of_rows(const CheckCase& c, Problem problem);

// Where a check's numbers are drawn.
DrawAddress draw_address(Role role, std::uint32_t trial, std::int64_t row, std::int64_t block = 0);

// Of kv head `kv_head`; 1 without scales.
float scale_of_head(const std::vector<float>& scales, std::int64_t kv_head);

// How often a drawn row occurs in the cache: long caches repeat their rows.
std::int64_t repetitions(const CheckCase& c);

// Scores for the selection alone, [batch * heads, capacity], drawn by the case's kind of input; forbidden ones are
// -inf.
std::vector<float> make_scores(const CheckCase& c);

// Does the mask differ between heads? The causal one does: heads stand at different positions.
bool mask_per_head(const CheckCase& c);

// May query row `row` = batch * heads + head attend to the key?
bool is_allowed(const CheckCase& c, const Problem& problem, std::int64_t row, std::int64_t key);

// Row `row` of numbers in rows of `width`.
std::span<const float> float_row(std::span<const float> numbers, std::int64_t row, std::int64_t width);

// Likewise, in double.
Vector row_of(const std::vector<float>& numbers, std::int64_t row, std::int64_t dim);

// The hyperplanes as the estimators take them.
Hyperplanes double_hyperplanes(const CheckCase& c, const Problem& problem);

// A float that is the case's temperature, so that device and reference divide by the same number.
float temperature_of(const CheckCase& c);
float inverse_sqrt_dim(const CheckCase& c);
// By which a signed score over norms of keys, of queries times 1/sqrt(dim), estimates a logit to base 2: of b bits,
// |k| sqrt(pi/2) / b * sum_i sign(w_i.k) (w_i.q) does that to k.q, in the mean over Gaussian w.
float weight_scale_of(const CheckCase& c);
// The sizes of its arrays, and of its lists, as the interface has them.
skt_shape shape_of(const CheckCase& c);
skt_shape shape_of_lists(const CheckCase& c);  // of arrays with a row to each list
skt_list list_of(const CheckCase& c);

}  // namespace skt::gpu
