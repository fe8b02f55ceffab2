// Are keys, values, codes and packed words found behind the 2^31-th element when an index is built?
//
// Keys and values have more than 2^31 elements each, codes and packed words too (30 GB in all). The last keys of
// every row are hashed, as appended keys are; numbers are eighths and hyperplanes of -1, 0 and 1, so that projections
// are exact, by either kernel, and every bit must be right. All else is zeros, whose codes would have every bit set.
#include <cmath>

#include "gpu/check/device/device_index.hpp"
#include "gpu/check/device/far_memory.hpp"
#include "gpu/check/operations/checks.hpp"
#include "gpu/check/problems/problem.hpp"
#include "gpu/functors/packed_codes.hpp"
#include "sim/number.hpp"

namespace skt::gpu {
namespace {

std::vector<float> hyperplanes_of(const CheckCase& c) {
  std::vector<float> numbers;
  for (std::int64_t i = 0; i < c.tables * c.planes; ++i) {
    for (std::int64_t d = 0; d < c.dim; ++d) numbers.push_back(to_single(real((i * i + 11 * d + i * d) % 3 - 1)));
  }
  return numbers;
}

std::uint64_t code_of(const CheckCase& c, const std::vector<float>& hyperplanes, const std::vector<float>& key,
                      std::int64_t table) {
  std::uint64_t code = 0;
  for (std::int64_t plane = 0; plane < c.planes; ++plane) {
    double projection = 0;
    for (std::int64_t d = 0; d < c.dim; ++d) {
      projection += double{hyperplanes[(table * c.planes + plane) * c.dim + d]} * double{key[d]};
    }
    code = 2 * code + (projection >= 0 ? 1u : 0u);
  }
  return code;
}

// Zeros but for the far keys and values.
struct FarIndex {
  explicit FarIndex(const CheckCase& c)
      : keys(c.kv_rows() * c.capacity * c.dim),
        values(keys.size()),
        codes(c.kv_rows() * c.tables * c.capacity),
        packed(c.kv_rows() * c.capacity * words_per_key(c.tables, c.planes)),
        norms(c.kv_rows() * c.capacity) {
    require(cudaMemset(keys.data(), 0, keys.bytes()), "keys");
    require(cudaMemset(values.data(), 0, values.bytes()), "values");
    for (std::int64_t row = 0; row < c.kv_rows(); ++row) {
      for (const std::int64_t key : far_keys(c)) {
        set_row(keys, (row * c.capacity + key) * c.dim, far_value(c, row, key));
        set_row(values, (row * c.capacity + key) * c.dim, far_value(c, row, key));
      }
    }
  }

  DeviceArray<std::uint16_t> keys, values;
  DeviceArray<std::int16_t> codes;
  DeviceArray<std::uint32_t> packed;
  DeviceArray<std::uint16_t> norms;
};

void compare_words(const CheckCase& c, const std::vector<float>& hyperplanes, const FarIndex& index, std::int64_t row,
                   std::int64_t key, Comparison& result) {
  const std::int64_t words = words_per_key(c.tables, c.planes);
  const std::vector<float> numbers = far_value(c, row, key);
  const auto code = [&](std::int64_t table) { return code_of(c, hyperplanes, numbers, table); };
  for (std::int64_t word = 0; word < words; ++word) {
    const std::int64_t at = row * c.capacity * words + packed_position(key, word, words);
    result.equal("packed word", at, element_of(index.packed, at), packed_word(code, c.tables, c.planes, word));
  }
}

void compare_norm(const CheckCase& c, const FarIndex& index, std::int64_t row, std::int64_t key, Comparison& result) {
  double squares = 0;
  for (const float x : far_value(c, row, key)) squares += double{x} * double{x};  // exact
  const std::int64_t at = row * c.capacity + key;
  result.equal("norm of a far value", at, half_from_bits(element_of(index.norms, at)),
               round_to(SKT_F16, std::sqrt(squares)));
}

}  // namespace

Comparison check_far_index(const Library& library, const CheckCase& c) {
  constexpr std::int64_t kLimit = std::int64_t{1} << 31;
  FarIndex index(c);
  Comparison result;
  result.holds("more than 2^31 elements of each", 0,
               index.keys.size() > kLimit && index.codes.size() > kLimit && index.packed.size() > kLimit);
  const std::vector<float> planes = hyperplanes_of(c);
  DeviceArray<float> hyperplanes(planes);
  const std::int64_t first = far_keys(c).front();
  const std::int64_t count = c.keys - first;
  const skt_written written = {.first = first, .count = count};
  const IndexPlaces at = {.keys = index.keys.data(),
                          .values = index.values.data(),
                          .hyperplanes = hyperplanes.data(),
                          .codes = index.codes.data(),
                          .packed = index.packed.data(),
                          .norms = index.norms.data()};
  CheckCase of_bf16 = c;
  of_bf16.type = NumberType::bf16;
  write_index(library, of_bf16, IndexCall::hash_keys, at, written);
  for (const bool packs : {true, false}) {  // codes hashed and packed, then the index in one call
    index.packed.poison();
    write_index(library, of_bf16, packs ? IndexCall::pack_codes : IndexCall::build_index, at, written);
    require(cudaDeviceSynchronize(), "index");
    for (const std::int64_t row : {std::int64_t{0}, c.kv_rows() / 2, c.kv_rows() - 1}) {
      for (const std::int64_t key : far_keys(c)) {
        compare_words(c, planes, index, row, key, result);
        if (!packs) compare_norm(c, index, row, key, result);
      }
    }
  }
  return result;
}

}  // namespace skt::gpu
