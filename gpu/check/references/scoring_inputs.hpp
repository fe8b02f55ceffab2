// What does a scoring kernel read in a case?
//
// Codes and norms by the kernels' own fp32 arithmetic (host_twin.hpp); probabilities and half-tables from the
// reference in double, rounded to fp32 and then to the type of the profile: a kernel's own may differ by their bound,
// but scores are asked for over exactly these. It would be wrong if they left the bounds of reference.hpp.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "gpu/check/cases/check_case.hpp"
#include "gpu/check/problems/problem.hpp"

namespace skt::gpu {

struct ScoringInputs {
  std::vector<std::int16_t> codes;   // [batch, kv_heads, tables, keys]
  std::vector<float> norms;          // [batch, kv_heads, keys]; numbers of the profile's type
  std::vector<float> probabilities;  // score-buckets: [batch, heads, tables, 2^planes]; likewise
  std::vector<float> half_tables;    // score-packed: [batch, heads, tables, entries], gpu/functors/half_table.hpp

  // Of one key, [tables].
  std::vector<std::int16_t> codes_of(const CheckCase& c, std::int64_t kv_row, std::int64_t key) const;
  // Of one query row, [tables, entries]: probabilities or half-tables.
  std::span<const float> tables_of(const CheckCase& c, std::int64_t row) const;
};

ScoringInputs scoring_inputs(const CheckCase& c, const Problem& problem);

// The codes in the words of gpu/functors/packed_codes.hpp: [batch, kv_heads, tiles, words, 64], 0 behind the last key.
std::vector<std::uint32_t> packed_codes(const CheckCase& c, const ScoringInputs& inputs);

bool scores_packed_codes(const CheckCase& c);  // by half-tables; else by the probabilities of buckets
// May the kernel sum fp16 entries (gpu/functors/half_score.hpp)?
bool may_score_in_half(const CheckCase& c);

}  // namespace skt::gpu
