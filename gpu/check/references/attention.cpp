#include "gpu/check/references/attention.hpp"

#include <cmath>
#include <iterator>
#include <numeric>
#include <vector>

#include "estimators/attention.hpp"
#include "sim/number.hpp"

namespace skt::gpu {
namespace {

constexpr double kUnit = 0x1p-24;
constexpr double kSmallestSubnormal = 0x1p-149;
constexpr double kFlushed = 0x1p-124;  // of a weight, see gpu/attention/attention.cu

}  // namespace

AttentionUnits fp32_units(std::int64_t dim) {
  return {real(dim + 8), 40};
}

AttentionUnits attention_units(const CheckCase& c) {
  const bool by_products = c.shares_lists() && c.type == NumberType::bf16 && !c.has_e4m3_cache() && c.dim <= 128;
  return by_products ? AttentionUnits{1.5 * real(c.dim) + 8, 280} : fp32_units(c.dim);
}

AttentionReference attention_reference(const ListedRows& rows, double inverse_sqrt_dim, std::int64_t longest_list,
                                       const AttentionUnits& units) {
  const Matrix &keys = rows.keys, &values = rows.values;
  AttentionReference reference;
  if (keys.rows() == 0) return reference;
  const Vector logits = scaled_logits(rows.query, keys);
  const double logit_error =
      units.logit *
      (kUnit * (keys.cwiseAbs() * rows.query.cwiseAbs()).maxCoeff() * inverse_sqrt_dim + kSmallestSubnormal);
  std::vector<Index> all(keys.rows());
  std::iota(all.begin(), all.end(), Index{0});
  reference.output = *skt::sparse_attention(logits, values, all);
  const double list_length = real(longest_list);
  const double relative = 1.01 * (2 * logit_error + units.sum(list_length) * kUnit);
  const double absolute = (2 * list_length + 41) * kSmallestSubnormal;
  const double max = logits.maxCoeff();
  const Vector weights = (logits.array() - max).exp();
  const Vector average = values.cwiseAbs().transpose() * weights / weights.sum();
  const Vector largest = values.cwiseAbs().colwise().maxCoeff().transpose();
  reference.tolerance = (relative * average + list_length * kFlushed * largest).array() + absolute;
  reference.log_sum_exp = max + std::log(weights.sum());
  reference.log_tolerance = relative + 4 * kUnit * std::abs(reference.log_sum_exp);
  return reference;
}

AttentionReference attention_reference(const CheckCase& c, const Problem& problem, std::int64_t row,
                                       std::span<const std::int32_t> list) {
  const Index n = std::ssize(list);
  ListedRows rows{row_of(problem.queries, row, c.dim), Matrix(n, c.dim), Matrix(n, c.dim)};
  for (Index i = 0; i < n; ++i) {
    const std::int64_t at = row / c.group() * c.capacity + list[i];
    rows.keys.row(i) = row_of(problem.keys, at, c.dim);
    rows.values.row(i) = row_of(problem.values, at, c.dim);
  }
  return attention_reference(rows, inverse_sqrt_dim(c), c.list(), attention_units(c));
}

void compare_output(std::int64_t dim, const AttentionReference& reference, std::int64_t row,
                    std::span<const float> output, Comparison& result) {
  for (std::int64_t d = 0; d < dim; ++d) {
    const std::int64_t at = row * dim + d;
    const double here = output[at];
    if (reference.output.size() == 0) {
      result.equal("output of an empty selection", at, here, std::nan(""));
    } else {
      result.within("output", at, here, reference.output[d], reference.tolerance[d]);
    }
  }
}

}  // namespace skt::gpu
