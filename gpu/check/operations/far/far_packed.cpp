// Are packed words and scores found behind the 2^31-th element, by the scoring and by the selection?
//
// 2^31 packed words and 2^31 scores (21 GB with the norms), code 0 everywhere but at a few keys at the far end of
// chosen rows. Entry 0 of a high half is 0 and every other a power of two, so that a score tells, exactly, which
// words were read; the selection over all rows must then find these keys alone, as no other score is above 0.
#include <cmath>
#include <iterator>

#include "gpu/check/device/far_memory.hpp"
#include "gpu/check/device/operations.hpp"
#include "gpu/check/operations/checks.hpp"
#include "gpu/functors/packed_codes.hpp"
#include "sim/number.hpp"

namespace skt::gpu {
namespace {

constexpr std::int64_t kPlanes = 4;
constexpr float kNorm = 1.05859375f;  // the fp16 number whose bytes are 0x3c, 0x3c

int planted_code(std::int64_t row, std::int64_t key, std::int64_t table) {
  return static_cast<int>(4 + (5 * row + 3 * key + table) % 12);  // the high half is not 0
}

// Half-tables [rows, tables, 4 + 4]: 0, 2^-1, 2^-2, 2^-3 and 1, 2^-1, 2^-2, 2^-3. Exact in fp16 too.
std::vector<float> half_tables_of(const CheckCase& c) {
  std::vector<float> entries;
  for (std::int64_t i = 0; i < c.rows() * c.tables; ++i) {
    for (int entry = 0; entry < 8; ++entry) entries.push_back(entry == 0 ? 0.0f : std::ldexp(1.0f, -(entry % 4)));
  }
  return entries;
}

float planted_score(const CheckCase& c, std::int64_t row, std::int64_t key) {
  float sum = 0;
  for (std::int64_t table = 0; table < c.tables; ++table) {
    const int code = planted_code(row / c.group(), key, table);
    sum += std::ldexp(1.0f, -(code / 4 + code % 4));
  }
  return kNorm * sum;
}

// The planted words of one kv row.
void plant_words(const CheckCase& c, std::int64_t kv_row, DeviceArray<std::uint32_t>& packed) {
  const std::int64_t words = words_per_key(c.tables, kPlanes);
  for (const std::int64_t key : far_keys(c)) {
    const auto code_of = [&](std::int64_t table) -> std::uint64_t { return planted_code(kv_row, key, table); };
    for (std::int64_t word = 0; word < words; ++word) {
      set_element(packed, kv_row * c.capacity * words + packed_position(key, word, words),
                  packed_word(code_of, c.tables, kPlanes, word));
    }
  }
}

// The lists of the far keys, and their scores.
void compare_far_keys(const CheckCase& c, const std::vector<std::int32_t>& lists, const DeviceArray<float>& scores,
                      Comparison& result) {
  const std::vector<std::int64_t> expected = far_keys(c);
  for (std::int64_t row = 0; row < c.rows(); ++row) {
    for (std::int64_t i = 0; i < std::ssize(expected); ++i) {
      const std::int64_t at = row * std::ssize(expected) + i;
      const std::int64_t score = row * c.capacity + expected[i];
      result.equal("selected far key", at, lists[at], real(expected[i]));
      result.equal("score of a far key", score, element_of(scores, score), planted_score(c, row, expected[i]));
    }
  }
}

}  // namespace

Comparison check_far_packed(const Library& library, const CheckCase& c) {
  DeviceArray<std::uint32_t> packed(c.kv_rows() * c.capacity * words_per_key(c.tables, kPlanes));
  DeviceArray<std::uint16_t> norms(c.kv_rows() * c.capacity);
  DeviceArray<float> scores(c.rows() * c.capacity);
  Comparison result;
  result.holds("more than 2^31 scores", scores.size(), scores.size() > std::int64_t{1} << 31);
  require(cudaMemset(packed.data(), 0, packed.bytes()), "words");
  require(cudaMemset(norms.data(), 0x3c, norms.bytes()), "norms");
  for (std::int64_t kv_row = 0; kv_row < c.kv_rows(); ++kv_row) plant_words(c, kv_row, packed);
  DeviceArray<float> tables(half_tables_of(c));
  skt_shape shape = shape_of(c);
  shape.planes = kPlanes;
  call(library.score_packed, {.half_tables = tables.data(),
                              .packed = packed.data(),
                              .norms = norms.data(),
                              .scores = scores.data(),
                              .shape = shape,
                              .sequences = {.used = c.keys}});
  CheckCase best = c;
  best.budget = std::ssize(far_keys(c));
  best.sink = best.window = 0;
  DeviceArray<std::int32_t> selected(c.rows() * best.budget);
  DeviceArray<std::int32_t> counts(c.rows());
  call(library.select_keys, select_arguments(best, scores.data(), selected, counts));
  compare_far_keys(c, selected.to_host(), scores, result);
  return result;
}

}  // namespace skt::gpu
