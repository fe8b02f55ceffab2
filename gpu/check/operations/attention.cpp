// Does sparse attention agree with softmax attention over the same list in double (estimators/attention.hpp)?
//
// Within the bound derived in gpu/attention/attention.cu, for each coordinate. Lists are every third key or so, so
// that their keys are not neighbours; keys outside the list hold what would show if it were read. From pages, where
// the case has them, the same bits.
#include <algorithm>

#include "gpu/check/device/operations.hpp"
#include "gpu/check/operations/checks.hpp"
#include "gpu/check/references/attention.hpp"
#include "sim/number.hpp"
#include "sim/randomness.hpp"

namespace skt::gpu {
namespace {

// Rising lists of at most budget keys [batch * heads, list], -1 behind the last; the last row selects nothing.
void make_lists(const CheckCase& c, const Problem& problem, std::vector<std::int32_t>& selected,
                std::vector<std::int32_t>& counts) {
  const std::int64_t rows = c.rows();
  selected.assign(rows * c.list(), -1);
  counts.assign(rows, 0);
  for (std::int64_t row = 0; row + 1 < rows; ++row) {
    const double density = std::min(1.0, 1.1 * real(c.budget) / real(c.keys));
    std::int32_t& count = counts[row];
    for (std::int64_t key = 0; key < c.keys && count < c.budget; ++key) {
      if (!is_allowed(c, problem, row, key)) continue;
      if (random_uniforms(Seed{c.seed}, draw_address(Role::test_draw, 2, key, row))[0] >= density) continue;
      selected[row * c.list() + count++] = static_cast<std::int32_t>(key);
    }
  }
}

}  // namespace

Comparison check_sparse_attention(const Library& library, const CheckCase& c) {
  const Problem problem = make_problem(c);
  DeviceProblem device(c, problem);
  std::vector<std::int32_t> selected, counts;
  make_lists(c, problem, selected, counts);
  DeviceArray<std::int32_t> device_selected(selected);
  DeviceArray<std::int32_t> device_counts(counts);
  const std::int64_t rows = c.rows();
  DeviceArray<float> output(rows * c.dim);
  DeviceArray<float> log_sum_exp(rows);
  const auto attend = [&](DevicePages* pages = nullptr) {
    output.poison();
    log_sum_exp.poison();
    sparse_attention(library, c, device, device_selected, device_counts, output, log_sum_exp, pages);
    return output.to_host();
  };
  const std::vector<float> got = attend();
  const std::vector<float> again = attend();
  const std::vector<float> got_log = log_sum_exp.to_host();
  Comparison result;
  result.same_bits("second run", again, got);
  if (c.paged()) {
    DevicePages pages(c, paged_cache(c, problem));
    result.same_bits("output from pages", attend(&pages), got);
    result.same_bits("log_sum_exp from pages", log_sum_exp.to_host(), got_log);
  }
  for (const std::int64_t row : sampled_rows(rows)) {
    const auto list = std::span<const std::int32_t>(selected).subspan(row * c.list(), counts[row]);
    const AttentionReference reference = attention_reference(c, problem, row, list);
    result.within("log_sum_exp", row, got_log[row], reference.log_sum_exp, reference.log_tolerance);
    compare_output(c, reference, row, got, result);
  }
  return result;
}

}  // namespace skt::gpu
