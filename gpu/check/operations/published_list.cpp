// Is the list of the published code what attended_keys (gpu/check/cases/published_profile.hpp) says, and does a key
// that stands twice count twice?
//
// The list: integers, equal. Attention over it: within the bound derived in gpu/attention/attention.cu of softmax
// attention in double over the list with its repetitions.
#include <algorithm>
#include <iterator>
#include <span>

#include "gpu/check/cases/published_profile.hpp"
#include "gpu/check/device/operations.hpp"
#include "gpu/check/operations/checks.hpp"
#include "gpu/check/references/attention.hpp"
#include "gpu/check/references/listed_keys.hpp"
#include "sim/number.hpp"

namespace skt::gpu {
namespace {

struct Lists {
  std::vector<std::int32_t> best, best_counts, selected, counts;
};

void compare_list(const CheckCase& c, const Lists& lists, std::int64_t row, Comparison& result) {
  const std::vector<std::int32_t> best = listed_keys(c.keys, lists.best, lists.best_counts, c.budget, row, result);
  const std::vector<std::int32_t> expected = attended_keys(ListRule::repeated, best, c.keys, c.sink, c.window);
  result.equal("list count", row, lists.counts[row], real(expected.size()));
  for (std::int64_t i = 0; i < c.list(); ++i) {
    const std::int64_t at = row * c.list() + i;
    const bool used = i < std::ssize(expected);
    result.equal("listed key", at, lists.selected[at], used ? expected[i] : -1);
  }
}

// A forbidden sink key, which holds NaN, is listed all the same: its row is not compared.
bool is_finite(const CheckCase& c, const Problem& problem, std::int64_t row, std::span<const std::int32_t> list) {
  return std::all_of(list.begin(), list.end(), [&](std::int32_t key) {
    const std::int64_t at = row / c.group() * c.capacity + key;
    return row_of(problem.keys, at, c.dim).allFinite() && row_of(problem.values, at, c.dim).allFinite();
  });
}

}  // namespace

Comparison check_published_list(const Library& library, const CheckCase& c) {
  const Problem problem = make_problem(c);
  DeviceProblem device(c, problem);
  CheckCase best_only = c;
  best_only.sink = best_only.window = 0;
  const std::int64_t rows = c.rows();
  DeviceArray<float> scores(make_scores(c));
  DeviceArray<std::int32_t> best(rows * c.budget);
  DeviceArray<std::int32_t> best_counts(rows);
  DeviceArray<std::int32_t> selected(rows * c.list());
  DeviceArray<std::int32_t> counts(rows);
  DeviceArray<float> output(rows * c.dim);
  DeviceArray<float> log_sum_exp(rows);
  call(library.select_keys, select_arguments(best_only, scores.data(), best, best_counts));
  published_list(library, c, best, best_counts, selected, counts);
  sparse_attention(library, c, device, selected, counts, output, log_sum_exp);
  const std::vector<float> got = output.to_host();
  const Lists lists = {best.to_host(), best_counts.to_host(), selected.to_host(), counts.to_host()};
  Comparison result;
  for (const std::int64_t row : sampled_rows(rows)) {
    compare_list(c, lists, row, result);
    const auto list = listed_keys(c.keys, lists.selected, lists.counts, c.list(), row, result);
    if (list.empty() || !is_finite(c, problem, row, list)) continue;
    compare_output(c.dim, attention_reference(c, problem, row, list), row, got, result);
  }
  return result;
}

}  // namespace skt::gpu
