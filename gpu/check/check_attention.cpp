// Does sparse attention agree with softmax attention over the same list in double (estimators/attention.hpp)?
//
// Within the bound derived in gpu/attention.cu, for each coordinate. Lists are every third key or so, so that
// their keys are not neighbours; keys outside the list hold what would show if it were read.
#include <algorithm>
#include <cmath>
#include <limits>

#include "estimators/attention.hpp"
#include "gpu/check/operations.hpp"
#include "gpu/check/run_check.hpp"
#include "sim/randomness.hpp"

namespace skt::gpu {
namespace {

constexpr double kUnit = 0x1p-24;

// Rising lists of at most budget keys [batch * heads, list], -1 behind the last; the last row selects
// nothing.
void make_lists(const CheckCase& c, const Problem& problem, std::vector<std::int32_t>& selected,
                std::vector<std::int32_t>& counts) {
  const std::int64_t rows = c.batch * c.heads;
  selected.assign(static_cast<std::size_t>(rows * list_of(c)), -1);
  counts.assign(static_cast<std::size_t>(rows), 0);
  for (std::int64_t row = 0; row + 1 < rows; ++row) {
    const double density = std::min(1.0, 1.1 * static_cast<double>(c.budget) / static_cast<double>(c.keys));
    std::int32_t& count = counts[static_cast<std::size_t>(row)];
    for (std::int64_t key = 0; key < c.keys && count < c.budget; ++key) {
      if (!is_allowed(c, problem, row, key)) continue;
      const DrawAddress at{Role::test_draw, 2, 0, static_cast<std::uint32_t>(key),
                           static_cast<std::uint32_t>(row)};
      if (random_uniforms(Seed{c.seed}, at)[0] >= density) continue;
      selected[static_cast<std::size_t>(row * list_of(c) + count++)] = static_cast<std::int32_t>(key);
    }
  }
}

struct RowReference {
  Vector output;
  Vector tolerance;
  double log_sum_exp = -std::numeric_limits<double>::infinity();
  double log_tolerance = 0;
};

RowReference reference_row(const CheckCase& c, const Problem& problem, std::int64_t row,
                           std::span<const std::int32_t> list) {
  const Vector query = row_of(problem.queries, row, c.dim);
  const Index n = static_cast<Index>(list.size());
  Matrix keys(n, c.dim);
  Matrix values(n, c.dim);
  std::vector<Index> all;
  for (Index i = 0; i < n; ++i) {
    const std::int64_t at = row / c.group() * c.capacity + list[static_cast<std::size_t>(i)];
    keys.row(i) = row_of(problem.keys, at, c.dim);
    values.row(i) = row_of(problem.values, at, c.dim);
    all.push_back(i);
  }
  RowReference reference;
  if (n == 0) return reference;
  const Vector logits = scaled_logits(query, keys);
  const double logit_error = static_cast<double>(c.dim + 8) * kUnit *
                             (keys.cwiseAbs() * query.cwiseAbs()).maxCoeff() *
                             static_cast<double>(inverse_sqrt_dim(c));
  reference.output = *skt::sparse_attention(logits, values, all);
  const double relative = 1.01 * (2 * logit_error + static_cast<double>(list_of(c) + 40) * kUnit);
  reference.tolerance = relative * values.cwiseAbs().colwise().maxCoeff().transpose();
  const double max = logits.maxCoeff();
  reference.log_sum_exp = max + std::log((logits.array() - max).exp().sum());
  reference.log_tolerance = relative + 4 * kUnit * std::abs(reference.log_sum_exp);
  return reference;
}

}  // namespace

Comparison check_sparse_attention(const Library& library, const CheckCase& c) {
  const Problem problem = make_problem(c);
  DeviceProblem device(c, problem);
  std::vector<std::int32_t> selected, counts;
  make_lists(c, problem, selected, counts);
  DeviceArray<std::int32_t> device_selected(selected);
  DeviceArray<std::int32_t> device_counts(counts);
  const std::int64_t rows = c.batch * c.heads;
  DeviceArray<float> output(rows * c.dim);
  DeviceArray<float> log_sum_exp(rows);
  const auto attend = [&] {
    output.poison();
    log_sum_exp.poison();
    sparse_attention(library, c, device, device_selected, device_counts, output, log_sum_exp);
    return output.to_host();
  };
  const std::vector<float> got = attend();
  const std::vector<float> again = attend();
  const std::vector<float> got_log = log_sum_exp.to_host();
  Comparison result;
  result.same_bits("second run", again, got);
  for (const std::int64_t row : sampled_rows(rows)) {
    const auto list = std::span<const std::int32_t>(selected).subspan(
        static_cast<std::size_t>(row * list_of(c)),
        static_cast<std::size_t>(counts[static_cast<std::size_t>(row)]));
    const RowReference reference = reference_row(c, problem, row, list);
    result.within("log_sum_exp", row, got_log[static_cast<std::size_t>(row)], reference.log_sum_exp,
                  reference.log_tolerance);
    for (std::int64_t d = 0; d < c.dim; ++d) {
      const std::int64_t at = row * c.dim + d;
      const double here = got[static_cast<std::size_t>(at)];
      if (list.empty()) {
        result.equal("output of an empty selection", at, here, std::nan(""));
      } else {
        result.within("output", at, here, reference.output[d], reference.tolerance[d]);
      }
    }
  }
  return result;
}

}  // namespace skt::gpu
