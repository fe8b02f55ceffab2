// Are keys and values found behind the 2^31-th element by attention over a list?
//
// Keys and values of more than 2^31 elements each (9 GB), zeros but for the listed rows. Half of the listed keys
// point at the query, so that the output is the mean of their values: both addresses must be right.
#include <cmath>
#include <iterator>

#include "gpu/check/device/far_memory.hpp"
#include "gpu/check/device/operations.hpp"
#include "gpu/check/operations/checks.hpp"
#include "gpu/check/references/attention.hpp"
#include "sim/number.hpp"

namespace skt::gpu {
namespace {

// Of a key that points at the query, which is all ones; every second one does, the others are 0.
constexpr float kCoordinate = 4;

struct FarCache {
  explicit FarCache(const CheckCase& c) : keys(c.kv_rows() * c.capacity * c.dim), values(keys.size()) {
    require(cudaMemset(keys.data(), 0, keys.bytes()), "keys");
    require(cudaMemset(values.data(), 0, values.bytes()), "values");
    for (std::int64_t row = 0; row < c.rows(); ++row) {
      const std::vector<std::int64_t> listed = far_keys(c);
      for (std::size_t i = 0; i < listed.size(); ++i) {
        const std::int64_t at = (row / c.group() * c.capacity + listed[i]) * c.dim;
        set_row(keys, at, std::vector<float>(c.dim, i % 2 == 0 ? kCoordinate : 0.0f));
        set_row(values, at, far_value(c, row / c.group(), listed[i]));
      }
    }
  }

  DeviceArray<std::uint16_t> keys, values;
};

std::vector<float> attend(const Library& library, const CheckCase& c, const FarCache& cache) {
  std::vector<std::int32_t> lists;
  for (std::int64_t row = 0; row < c.rows(); ++row) {
    for (const std::int64_t key : far_keys(c)) lists.push_back(static_cast<std::int32_t>(key));
  }
  const std::int32_t length = static_cast<std::int32_t>(std::ssize(far_keys(c)));
  Bytes queries(to_bytes(SKT_BF16, std::vector<float>(c.rows() * c.dim, 1.0f)));
  DeviceArray<std::int32_t> selected(lists), counts(std::vector<std::int32_t>(c.rows(), length));
  DeviceArray<float> output(c.rows() * c.dim);
  skt_sparse_attention_args args = attention_sizes(c);
  args.queries = queries.data();
  args.cache = {.keys = cache.keys.data(), .values = cache.values.data()};
  args.selected = selected.data();
  args.counts = counts.data();
  args.output = output.data();
  args.list = length;
  args.workspace_bytes = attention_workspace(library, args);
  Bytes workspace(args.workspace_bytes);
  args.workspace = workspace.data();
  call(library.sparse_attention, args);
  return output.to_host();
}

// The output of a query row, [dim], by the weights 1 and exp(-logit).
std::vector<double> expected_output(const CheckCase& c, std::int64_t row, double logit) {
  std::vector<double> mean(c.dim, 0.0);
  double weights = 0;
  const std::vector<std::int64_t> listed = far_keys(c);
  for (std::size_t i = 0; i < listed.size(); ++i) {
    const double weight = i % 2 == 0 ? 1 : std::exp(-logit);
    const std::vector<float> value = far_value(c, row / c.group(), listed[i]);
    for (std::size_t d = 0; d < mean.size(); ++d) mean[d] += weight * double{value[d]};
    weights += weight;
  }
  for (double& x : mean) x /= weights;
  return mean;
}

}  // namespace

Comparison check_far_attention(const Library& library, const CheckCase& c) {
  FarCache cache(c);
  Comparison result;
  result.holds("more than 2^31 elements", cache.keys.size(), cache.keys.size() > std::int64_t{1} << 31);
  const std::vector<float> got = attend(library, c, cache);
  const double logit = double{kCoordinate} * real(c.dim) * inverse_sqrt_dim(c);
  // gpu/attention/attention.cu, with values of at most 1.
  const AttentionUnits units = attention_units(c);
  const double tolerance = 1.01 * (2 * units.logit * logit + units.sum(real(far_keys(c).size()))) * 0x1p-24;
  for (std::int64_t row = 0; row < c.rows(); ++row) {
    const std::vector<double> expected = expected_output(c, row, logit);
    for (std::int64_t d = 0; d < c.dim; ++d) {
      const std::int64_t at = row * c.dim + d;
      result.within("output over far keys", at, got[at], expected[d], tolerance);
    }
  }
  return result;
}

}  // namespace skt::gpu
