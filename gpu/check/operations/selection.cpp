// Does the device select what estimators/selection.hpp selects from the same scores, in fp32 and rounded to bf16? The
// same set, exactly, whatever the ties: both rank the same numbers by the same rule. The list rises and ends in -1.
#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>

#include "estimators/selection.hpp"
#include "gpu/check/device/operations.hpp"
#include "gpu/check/operations/checks.hpp"
#include "sim/number.hpp"

namespace skt::gpu {
namespace {

std::vector<Index> reference_selection(const CheckCase& c, const std::vector<float>& scores, std::int64_t row) {
  const Vector all = row_of(scores, row, c.capacity).head(c.keys);
  std::vector<Allowed> mask;
  Vector finite = all;  // the reference is told by its mask what the device is told by -infinity and NaN
  for (Index key = 0; key < c.keys; ++key) {
    const bool forbidden = std::isnan(all[key]) || all[key] == -std::numeric_limits<double>::infinity();
    mask.push_back(forbidden ? Allowed::no : Allowed::yes);
    if (forbidden) finite[key] = 0;
    if (std::isinf(finite[key])) finite[key] = std::numeric_limits<double>::max();  // above every float
  }
  std::vector<Index> selected = skt::select_keys(finite, mask, {c.budget, c.sink, c.window});
  std::sort(selected.begin(), selected.end());
  return selected;
}

// Of scores of `type`, whose numbers are `scores`.
void check_selection(const Library& library, const CheckCase& c, std::int32_t type, const std::vector<float>& scores,
                     Comparison& result) {
  Bytes device_scores(to_bytes(type, scores));
  const std::int64_t rows = c.rows();
  DeviceArray<std::int32_t> selected(rows * c.list());
  DeviceArray<std::int32_t> counts(rows);
  const auto select = [&] {
    selected.poison();
    counts.poison();
    skt_select_keys_args args = select_arguments(c, device_scores.data(), selected, counts);
    args.score_type = type;
    call(library.select_keys, args);
    return selected.to_host();
  };
  const std::vector<std::int32_t> got = select();
  const std::vector<std::int32_t> again = select();
  const std::vector<std::int32_t> got_counts = counts.to_host();
  for (const std::int64_t row : sampled_rows(rows)) {
    const std::vector<Index> expected = reference_selection(c, scores, row);
    result.equal("count", row, got_counts[row], real(expected.size()));
    for (std::int64_t i = 0; i < c.list(); ++i) {
      const std::int64_t at = row * c.list() + i;
      const std::int32_t index = got[at];
      result.equal("selected", at, index, i < std::ssize(expected) ? real(expected[i]) : -1);
      result.equal("second run", at, again[at], index);
    }
  }
}

}  // namespace

Comparison check_select_keys(const Library& library, const CheckCase& c) {
  std::vector<float> scores = make_scores(c);
  Comparison result;
  check_selection(library, c, SKT_F32, scores, result);
  if (c.capacity % 8 != 0) return result;  // such rows of bf16 are refused; those of the grids are whole tiles
  for (float& score : scores) score = round_to(SKT_BF16, score);
  check_selection(library, c, SKT_BF16, scores, result);
  return result;
}

}  // namespace skt::gpu
