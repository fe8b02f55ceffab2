// Does sparse attention agree with softmax attention over the same list in double (estimators/attention.hpp)?
//
// Within the bound derived in gpu/attention/attention.cu, for each coordinate. Lists are every third key or so, so
// that their keys are not neighbours; keys outside the list hold what would show if it were read. From pages, where
// the case has them, the same bits. A cache of e4m3 is held to the same bound beside its own numbers, and a NaN in it
// must come through: of a key in everything, of a value in its coordinate and nowhere else.
#include <algorithm>
#include <cmath>

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

std::vector<float> with_zeros_for_nan(std::vector<float> numbers) {
  for (float& x : numbers) x = std::isnan(x) ? 0 : x;
  return numbers;
}

// What the row must be, where keys and values may hold NaN.
class Expected {
 public:
  explicit Expected(const Problem& problem) : problem_(problem), finite_(problem) {
    finite_.keys = with_zeros_for_nan(problem.keys);
    finite_.values = with_zeros_for_nan(problem.values);
  }

  void compare(const CheckCase& c, std::int64_t row, std::span<const std::int32_t> list, std::span<const float> output,
               float log_sum_exp, Comparison& result) const {
    const AttentionReference reference = attention_reference(c, finite_, row, list);
    const bool nan_key = any_nan(c, problem_.keys, row, list, 0, c.dim);
    if (nan_key) {
      result.equal("log_sum_exp of a NaN", row, log_sum_exp, std::nan(""));
    } else {
      result.within("log_sum_exp", row, log_sum_exp, reference.log_sum_exp, reference.log_tolerance);
    }
    for (std::int64_t d = 0; d < c.dim; ++d) {
      const std::int64_t at = row * c.dim + d;
      if (list.empty() || nan_key || any_nan(c, problem_.values, row, list, d, 1)) {
        result.equal("output of a NaN", at, output[at], std::nan(""));
      } else {
        result.within("output beside a NaN", at, output[at], reference.output[d], reference.tolerance[d]);
      }
    }
  }

 private:
  static bool any_nan(const CheckCase& c, const std::vector<float>& numbers, std::int64_t row,
                      std::span<const std::int32_t> list, std::int64_t first, std::int64_t count) {
    return std::any_of(list.begin(), list.end(), [&](std::int32_t key) {
      const std::int64_t at = (row / c.group() * c.capacity + key) * c.dim + first;
      return std::any_of(&numbers[at], &numbers[at] + count, [](float x) { return std::isnan(x); });
    });
  }

  const Problem& problem_;
  Problem finite_;
};

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
    DevicePages pages(c, problem, paged_cache(c, problem));
    result.same_bits("output from pages", attend(&pages), got);
    result.same_bits("log_sum_exp from pages", log_sum_exp.to_host(), got_log);
  }
  for (const std::int64_t row : sampled_rows(rows)) {
    const auto list = std::span<const std::int32_t>(selected).subspan(row * c.list(), counts[row]);
    if (c.inputs == InputKind::non_finite) {
      Expected(problem).compare(c, row, list, got, got_log[row], result);
      continue;
    }
    const AttentionReference reference = attention_reference(c, problem, row, list);
    result.within("log_sum_exp", row, got_log[row], reference.log_sum_exp, reference.log_tolerance);
    compare_output(c.dim, reference, row, got, result);
  }
  return result;
}

}  // namespace skt::gpu
