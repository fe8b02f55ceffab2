// Does sparse attention agree with softmax attention over the same list in double (estimators/attention.hpp)?
//
// Within the bound derived in gpu/attention/attention.cu, for each coordinate. Lists are every third key or so, so
// that their keys are not neighbours; keys outside the list hold what would show if it were read. From pages, where
// the case has them, the same bits. A cache of e4m3 is held to the same bound beside its own numbers, and a NaN in it
// must come through: of a key in everything, of a value in its coordinate and nowhere else. Lists of kv heads are read by
// each of their query heads. Sequences that are attended to whole have the bits of a list of all their keys, and the
// others those of their lists; their lengths are on the device.
#include <algorithm>
#include <cmath>
#include <numeric>

#include "gpu/check/device/operations.hpp"
#include "gpu/check/operations/checks.hpp"
#include "gpu/check/references/attention.hpp"
#include "sim/number.hpp"
#include "sim/randomness.hpp"

namespace skt::gpu {
namespace {

struct Lists {
  std::vector<std::int32_t> selected, counts;  // [rows of lists, width], [rows of lists]
  std::int64_t width;

  std::span<const std::int32_t> of(std::int64_t row) const {
    return std::span<const std::int32_t>(selected).subspan(row * width, counts[row]);
  }
};

// Rising lists of at most budget keys, -1 behind the last; the last row selects nothing.
Lists make_lists(const CheckCase& c, const Problem& problem) {
  const std::int64_t rows = c.list_rows();
  Lists lists = {std::vector<std::int32_t>(rows * c.list(), -1), std::vector<std::int32_t>(rows, 0), c.list()};
  for (std::int64_t row = 0; row + 1 < rows; ++row) {
    const double density = std::min(1.0, 1.1 * real(c.budget) / real(c.keys));
    std::int32_t& count = lists.counts[row];
    for (std::int64_t key = 0; key < c.keys && count < c.budget; ++key) {
      if (!is_allowed(c, problem, row * c.heads_of_list(), key)) continue;
      if (random_uniforms(Seed{c.seed}, draw_address(Role::test_draw, 2, key, row))[0] >= density) continue;
      lists.selected[row * c.list() + count++] = static_cast<std::int32_t>(key);
    }
  }
  return lists;
}

// Sequence b has keys to the b-th of these: none, one, on both sides of what is still attended to whole, and all.
std::vector<std::int32_t> lengths_around_dense(const CheckCase& c) {
  const std::int64_t all[] = {c.dense, c.dense + 1, c.keys, 1, 0};
  std::vector<std::int32_t> lengths;
  for (std::int64_t b = 0; b < c.batch; ++b) lengths.push_back(static_cast<std::int32_t>(std::min(all[b % 5], c.keys)));
  return lengths;
}

// All keys of sequences that are attended to whole, in lists of as many entries as one of them may have.
Lists lists_of_whole_sequences(const CheckCase& c, const std::vector<std::int32_t>& lengths) {
  const std::int64_t rows = c.list_rows(), width = std::min(c.dense, c.keys);
  Lists whole = {std::vector<std::int32_t>(rows * width, -1), std::vector<std::int32_t>(rows, 0), width};
  for (std::int64_t row = 0; row < rows; ++row) {
    const std::int32_t length = lengths[row / c.list_heads()];
    if (length > c.dense) continue;
    whole.counts[row] = length;
    const auto begin = whole.selected.begin() + row * width;
    std::iota(begin, begin + length, 0);
  }
  return whole;
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
        result.equal("output of a NaN or no key", at, output[at], std::nan(""));
      } else {
        result.within("output", at, output[at], reference.output[d], reference.tolerance[d]);
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

CheckCase without_dense(CheckCase c) {
  c.dense = 0;
  return c;
}

void compare_whole_sequences(const Library& library, const CheckCase& c, const Problem& problem, DeviceProblem& device,
                             const Lists& lists, Comparison& result) {
  const std::vector<std::int32_t> lengths = lengths_around_dense(c);
  const Lists whole = lists_of_whole_sequences(c, lengths);
  DeviceArray<float> output(c.rows() * c.dim), log_sum_exp(c.rows());
  std::unique_ptr<DevicePages> pages;
  if (c.paged()) pages = std::make_unique<DevicePages>(c, problem, paged_cache(c, problem));
  struct Got {
    std::vector<float> output, log_sum_exp;
  };
  const auto attended = [&](const CheckCase& of, const Lists& given, const std::int32_t* device_lengths) -> Got {
    DeviceArray<std::int32_t> selected(given.selected), counts(given.counts);
    output.poison();
    log_sum_exp.poison();
    sparse_attention(library, of, device, selected, counts, output, log_sum_exp,
                     {.lengths = device_lengths, .pages = pages.get()});
    return {output.to_host(), log_sum_exp.to_host()};
  };
  CheckCase of_whole = without_dense(c);
  of_whole.budget = whole.width - c.sink - c.window;
  const Got expected_whole = attended(of_whole, whole, nullptr);
  const Got expected_listed = attended(without_dense(c), lists, nullptr);
  Lists given = lists;  // those of whole sequences are not read
  for (std::int64_t row = 0; row < c.list_rows(); ++row) {
    if (lengths[row / c.list_heads()] <= c.dense) given.counts[row] = -1;
  }
  const DeviceArray<std::int32_t> device_lengths(lengths);
  const Got got = attended(c, given, device_lengths.data());
  for (std::int64_t row = 0; row < c.rows(); ++row) {
    const bool is_whole = lengths[row / c.heads] <= c.dense;
    const Got& expected = is_whole ? expected_whole : expected_listed;
    result.equal("log_sum_exp of whole sequences and lists", row, got.log_sum_exp[row], expected.log_sum_exp[row]);
    for (std::int64_t at = row * c.dim; at < (row + 1) * c.dim; ++at)
      result.equal("output of whole sequences and lists", at, got.output[at], expected.output[at]);
    if (!is_whole || c.inputs == InputKind::non_finite) continue;
    const auto list = whole.of(row / c.heads_of_list());
    compare_output(c.dim, attention_reference(of_whole, problem, row, list), row, got.output, result);
  }
}

}  // namespace

Comparison check_sparse_attention(const Library& library, const CheckCase& c) {
  const Problem problem = make_problem(c);
  DeviceProblem device(c, problem);
  const Lists lists = make_lists(c, problem);
  DeviceArray<std::int32_t> device_selected(lists.selected);
  DeviceArray<std::int32_t> device_counts(lists.counts);
  const std::int64_t rows = c.rows();
  DeviceArray<float> output(rows * c.dim);
  DeviceArray<float> log_sum_exp(rows);
  const auto attend = [&](DevicePages* pages = nullptr) {
    output.poison();
    log_sum_exp.poison();
    sparse_attention(library, without_dense(c), device, device_selected, device_counts, output, log_sum_exp,
                     {.pages = pages});
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
  const Expected expected(problem);
  for (const std::int64_t row : sampled_rows(rows))
    expected.compare(c, row, lists.of(row / c.heads_of_list()), got, got_log[row], result);
  if (c.dense > 0) compare_whole_sequences(library, c, problem, device, lists, result);
  return result;
}

}  // namespace skt::gpu
