// Is the list of the published code what attended_keys (gpu/check/published_profile.hpp) says, and does a key
// that stands twice count twice?
//
// The list: integers, equal. Attention over it: within the bound derived in gpu/attention.cu of softmax
// attention in double over the list with its repetitions.
#include <cmath>

#include "estimators/attention.hpp"
#include "gpu/check/operations.hpp"
#include "gpu/check/run_check.hpp"

namespace skt::gpu {
namespace {

struct Lists {
  std::vector<std::int32_t> best, best_counts, selected, counts;
};

void compare_list(const CheckCase& c, const Lists& lists, std::int64_t row, Comparison& result) {
  const auto begin = lists.best.begin() + row * c.budget;
  const std::vector<std::int32_t> best(begin, begin + lists.best_counts[static_cast<std::size_t>(row)]);
  const std::vector<std::int32_t> expected =
      attended_keys(ListRule::repeated, best, c.keys, c.sink, c.window);
  result.equal("list count", row, lists.counts[static_cast<std::size_t>(row)],
               static_cast<double>(expected.size()));
  for (std::int64_t i = 0; i < list_of(c); ++i) {
    const std::int64_t at = row * list_of(c) + i;
    const bool used = i < static_cast<std::int64_t>(expected.size());
    result.equal("listed key", at, lists.selected[static_cast<std::size_t>(at)],
                 used ? expected[static_cast<std::size_t>(i)] : -1);
  }
}

// Softmax attention in double over the row's list, each repetition a term of its own.
void compare_output(const CheckCase& c, const Problem& problem, const Lists& lists, std::int64_t row,
                    const std::vector<float>& output, Comparison& result) {
  const Index n = lists.counts[static_cast<std::size_t>(row)];
  Matrix keys(n, c.dim);
  Matrix values(n, c.dim);
  std::vector<Index> all;
  for (Index i = 0; i < n; ++i) {
    const std::int64_t at =
        row / c.group() * c.capacity + lists.selected[static_cast<std::size_t>(row * list_of(c) + i)];
    keys.row(i) = row_of(problem.keys, at, c.dim);
    values.row(i) = row_of(problem.values, at, c.dim);
    all.push_back(i);
  }
  if (n == 0 || !keys.allFinite() || !values.allFinite())
    return;  // a forbidden sink key is listed all the same
  const Vector query = row_of(problem.queries, row, c.dim);
  const Vector expected = *skt::sparse_attention(scaled_logits(query, keys), values, all);
  const double logit_error = static_cast<double>(c.dim + 8) * 0x1p-24 *
                             (keys.cwiseAbs() * query.cwiseAbs()).maxCoeff() * double{inverse_sqrt_dim(c)};
  const double relative = 1.01 * (2 * logit_error + static_cast<double>(list_of(c) + 40) * 0x1p-24);
  for (std::int64_t d = 0; d < c.dim; ++d) {
    result.within("output over the published list", row * c.dim + d,
                  output[static_cast<std::size_t>(row * c.dim + d)], expected[d],
                  relative * values.col(d).cwiseAbs().maxCoeff());
  }
}

}  // namespace

Comparison check_published_list(const Library& library, const CheckCase& c) {
  const Problem problem = make_problem(c);
  DeviceProblem device(c, problem);
  CheckCase best_only = c;
  best_only.sink = best_only.window = 0;
  const std::int64_t rows = c.batch * c.heads;
  DeviceArray<float> scores(make_scores(c));
  DeviceArray<std::int32_t> best(rows * c.budget);
  DeviceArray<std::int32_t> best_counts(rows);
  DeviceArray<std::int32_t> selected(rows * list_of(c));
  DeviceArray<std::int32_t> counts(rows);
  DeviceArray<float> output(rows * c.dim);
  DeviceArray<float> log_sum_exp(rows);
  select_keys(library, best_only, scores, best, best_counts);
  published_list(library, c, best, best_counts, selected, counts);
  sparse_attention(library, c, device, selected, counts, output, log_sum_exp);
  const std::vector<float> got = output.to_host();
  const Lists lists = {best.to_host(), best_counts.to_host(), selected.to_host(), counts.to_host()};
  Comparison result;
  for (const std::int64_t row : sampled_rows(rows)) {
    compare_list(c, lists, row, result);
    compare_output(c, problem, lists, row, got, result);
  }
  return result;
}

}  // namespace skt::gpu
