// Are packed words, scores, keys and values found behind the 2^31-th element in a decode step's stages?
//
// far-packed: 2^31 packed words and 2^31 scores (21 GB with the norms), code 0 everywhere but at a few keys
// at the far end of chosen rows. Entry 0 of a high half is 0 and every other a power of two, so that a score
// tells, exactly, which words were read; the selection over all rows must then find these keys alone, as no
// other score is above 0. far-attention: keys and values of more than 2^31 elements each (9 GB), zeros but
// for the listed rows. Half of the listed keys point at the query, so that the output is the mean of their
// values: both addresses must be right.
#include <cmath>

#include "gpu/check/device/far_memory.hpp"
#include "gpu/check/device/operations.hpp"
#include "gpu/check/run_check.hpp"
#include "gpu/functors/packed_codes.hpp"
#include "sim/number.hpp"

namespace skt::gpu {
namespace {

constexpr std::int64_t kPlanes = 4;
constexpr float kNorm = 1.05859375f;  // the fp16 number whose bytes are 0x3c, 0x3c

std::uint32_t planted_code(std::int64_t row, std::int64_t key, std::int64_t table) {
  return static_cast<std::uint32_t>(4 + (5 * row + 3 * key + table) % 12);  // the high half is not 0
}

// Half-tables [rows, tables, 4 + 4]: 0, 2^-1, 2^-2, 2^-3 and 1, 2^-1, 2^-2, 2^-3. Exact in fp16 too.
std::vector<float> half_tables_of(const CheckCase& c) {
  std::vector<float> entries;
  for (std::int64_t i = 0; i < c.batch * c.heads * c.tables; ++i) {
    for (int entry = 0; entry < 8; ++entry) entries.push_back(entry == 0 ? 0.0f : std::ldexp(1.0f, -(entry % 4)));
  }
  return entries;
}

float planted_score(const CheckCase& c, std::int64_t row, std::int64_t key) {
  float sum = 0;
  for (std::int64_t table = 0; table < c.tables; ++table) {
    const std::uint32_t code = planted_code(row / c.group(), key, table);
    sum += std::ldexp(1.0f, -static_cast<int>(code / 4 + code % 4));
  }
  return kNorm * sum;
}

// The planted words of one kv row.
void plant_words(const CheckCase& c, std::int64_t kv_row, DeviceArray<std::uint32_t>& packed) {
  const std::int64_t words = words_per_key(c.tables, kPlanes);
  for (const std::int64_t key : far_keys(c)) {
    const auto code_of = [&](std::int64_t table) { return std::uint64_t{planted_code(kv_row, key, table)}; };
    for (std::int64_t word = 0; word < words; ++word) {
      set_element(packed, kv_row * c.capacity * words + packed_position(key, word, words),
                  packed_word(code_of, c.tables, kPlanes, word));
    }
  }
}

}  // namespace

Comparison check_far_packed(const Library& library, const CheckCase& c) {
  const std::int64_t kv_rows = c.batch * c.kv_heads;
  const std::int64_t rows = c.batch * c.heads;
  DeviceArray<std::uint32_t> packed(kv_rows * c.capacity * words_per_key(c.tables, kPlanes));
  DeviceArray<std::uint16_t> norms(kv_rows * c.capacity);
  DeviceArray<float> scores(rows * c.capacity);
  Comparison result;
  result.holds("more than 2^31 scores", scores.size(), scores.size() > std::int64_t{1} << 31);
  require(cudaMemset(packed.data(), 0, packed.bytes()), "words");
  require(cudaMemset(norms.data(), 0x3c, norms.bytes()), "norms");
  for (std::int64_t kv_row = 0; kv_row < kv_rows; ++kv_row) plant_words(c, kv_row, packed);
  DeviceArray<float> tables(half_tables_of(c));
  skt_error error = {};
  const skt_score_packed_args score = {
      tables.data(), packed.data(), norms.data(), nullptr,  scores.data(), c.batch, c.heads,
      c.kv_heads,    c.capacity,    c.keys,       c.tables, kPlanes,       0,       SKT_SOFT_COLLISION};
  require(library.score_packed(&score, nullptr, &error), error);
  CheckCase best = c;
  best.budget = static_cast<std::int64_t>(far_keys(c).size());
  best.sink = best.window = 0;
  DeviceArray<std::int32_t> selected(rows * best.budget);
  DeviceArray<std::int32_t> counts(rows);
  select_keys(library, best, scores, selected, counts);
  const std::vector<std::int32_t> lists = selected.to_host();
  const std::vector<std::int64_t> expected = far_keys(c);
  for (std::int64_t row = 0; row < rows; ++row) {
    for (std::size_t i = 0; i < expected.size(); ++i) {
      const std::int64_t at = row * best.budget + static_cast<std::int64_t>(i);
      result.equal("selected far key", at, lists[at], real(expected[i]));
      result.equal("score of a far key", row * c.capacity + expected[i],
                   element_of(scores, row * c.capacity + expected[i]), planted_score(c, row, expected[i]));
    }
  }
  return result;
}

Comparison check_far_attention(const Library& library, const CheckCase& c) {
  const std::int64_t rows = c.batch * c.heads;
  const std::int64_t elements = c.batch * c.kv_heads * c.capacity * c.dim;
  DeviceArray<std::uint16_t> keys(elements), values(elements);
  Comparison result;
  result.holds("more than 2^31 elements", elements, elements > std::int64_t{1} << 31);
  require(cudaMemset(keys.data(), 0, keys.bytes()), "keys");
  require(cudaMemset(values.data(), 0, values.bytes()), "values");
  std::vector<float> query(rows * c.dim, 1.0f);
  std::vector<std::int32_t> lists, counts;
  for (std::int64_t row = 0; row < rows; ++row) {
    const std::vector<std::int64_t> listed = far_keys(c);
    counts.push_back(static_cast<std::int32_t>(listed.size()));
    for (std::size_t i = 0; i < listed.size(); ++i) {
      const std::int64_t at = (row / c.group() * c.capacity + listed[i]) * c.dim;
      lists.push_back(static_cast<std::int32_t>(listed[i]));
      // A logit of 4 dim / sqrt(dim), or 0.
      set_row(keys, at, std::vector<float>(c.dim, i % 2 == 0 ? 4.0f : 0.0f));
      set_row(values, at, far_value(c, row / c.group(), listed[i]));
    }
  }
  Bytes queries(to_bytes(SKT_BF16, query));
  DeviceArray<std::int32_t> selected(lists), device_counts(counts);
  DeviceArray<float> output(rows * c.dim);
  skt_sparse_attention_args args = attention_arguments(c);
  args.queries = queries.data();
  args.keys = keys.data();
  args.values = values.data();
  args.selected = selected.data();
  args.counts = device_counts.data();
  args.output = output.data();
  args.list = counts[0];
  skt_error error = {};
  require(library.sparse_attention_workspace_bytes(&args, &args.workspace_bytes, &error), error);
  Bytes workspace(args.workspace_bytes);
  args.workspace = workspace.data();
  require(library.sparse_attention(&args, nullptr, &error), error);
  const std::vector<float> got = output.to_host();
  const double logit = 4 * real(c.dim) * inverse_sqrt_dim(c);
  for (std::int64_t row = 0; row < rows; ++row) {
    std::vector<double> mean(c.dim, 0.0);
    double weights = 0;
    for (std::size_t i = 0; i < far_keys(c).size(); ++i) {
      const double weight = i % 2 == 0 ? 1 : std::exp(-logit);
      const std::vector<float> value = far_value(c, row / c.group(), far_keys(c)[i]);
      for (std::size_t d = 0; d < mean.size(); ++d) mean[d] += weight * double{value[d]};
      weights += weight;
    }
    // gpu/attention/attention.cu, with values of at most 1.
    const double tolerance = 1.01 * (2 * real(c.dim + 8) * logit + counts[0] + 40) * 0x1p-24;
    for (std::int64_t d = 0; d < c.dim; ++d) {
      const std::int64_t at = row * c.dim + d;
      result.within("output over far keys", at, got[at], mean[d] / weights, tolerance);
    }
  }
  return result;
}

}  // namespace skt::gpu
