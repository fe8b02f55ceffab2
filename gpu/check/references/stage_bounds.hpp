// Are codes, norms, a selection or an output that were computed elsewhere those of this case?
//
// Needs no device. Each stage against its own reference in double, whatever the order of summation:
// - a code may differ in the bits whose exact projection lies within its rounding bound, and in no other;
// - a norm lies within the interval of its type and form;
// - a selection holds every allowed key of sink and window and as many others as the budget asks for, each once, and no
//   other key that was left out is certainly better than one of them: its lowest score above their highest;
// - an output is the softmax attention over the keys that are listed with it, within the bound of attention.hpp.
// A selection and the output over it are a whole decode step. It would be wrong if it refused the host twins, or let
// pass a lie in one stage: tests/gpu/check/references/stage_bounds_test.cpp.
#pragma once

#include <cstdint>
#include <span>

#include "gpu/check/cases/check_case.hpp"
#include "gpu/check/references/comparison.hpp"

namespace skt::gpu {

// [batch, kv_heads, tables, keys]; plane 0 is the most significant bit. Keys that the mask forbids to all heads are
// not asked for.
Comparison compare_codes(const CheckCase& c, std::span<const std::int64_t> codes);

// [batch, kv_heads, keys]; likewise.
Comparison compare_norms(const CheckCase& c, std::span<const double> norms);

// [batch, heads, width]: keys in any order, -1 where there are fewer.
Comparison compare_selection(const CheckCase& c, std::span<const std::int64_t> lists, std::int64_t width);

// [batch, heads, dim], over the lists above; NaN where a list is empty. A list that holds what is no key fails.
Comparison compare_outputs(const CheckCase& c, std::span<const std::int64_t> lists, std::int64_t width,
                           std::span<const double> outputs);

}  // namespace skt::gpu
