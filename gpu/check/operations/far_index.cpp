// Are keys, values, codes and packed words found behind the 2^31-th element when an index is built?
//
// Keys and values have more than 2^31 elements each, codes and packed words too (30 GB in all). The last keys
// of every row are hashed, as appended keys are; numbers are eighths and hyperplanes of -1, 0 and 1, so that
// projections are exact, by either kernel, and every bit must be right. All else is zeros, whose codes would
// have every bit set.
#include <cmath>

#include "gpu/check/device/far_memory.hpp"
#include "gpu/check/device/operations.hpp"
#include "gpu/check/run_check.hpp"
#include "gpu/functors/packed_codes.hpp"

namespace skt::gpu {
namespace {

std::vector<float> hyperplanes_of(const CheckCase& c) {
  std::vector<float> numbers;
  for (std::int64_t i = 0; i < c.tables * c.planes; ++i) {
    for (std::int64_t d = 0; d < c.dim; ++d) numbers.push_back(static_cast<float>((i * i + 11 * d + i * d) % 3 - 1));
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

}  // namespace

Comparison check_far_index(const Library& library, const CheckCase& c) {
  const std::int64_t rows = c.batch * c.kv_heads;
  const std::int64_t words = words_per_key(c.tables, c.planes);
  DeviceArray<std::uint16_t> keys(rows * c.capacity * c.dim), values(rows * c.capacity * c.dim);
  DeviceArray<std::int16_t> codes(rows * c.tables * c.capacity);
  DeviceArray<std::uint32_t> packed(rows * c.capacity * words);
  DeviceArray<std::uint16_t> norms(rows * c.capacity);
  Comparison result;
  constexpr std::int64_t limit = std::int64_t{1} << 31;
  result.holds("more than 2^31 elements of each", 0,
               keys.size() > limit && codes.size() > limit && packed.size() > limit);
  require(cudaMemset(keys.data(), 0, keys.bytes()), "keys");
  require(cudaMemset(values.data(), 0, values.bytes()), "values");
  for (std::int64_t row = 0; row < rows; ++row) {
    for (const std::int64_t key : far_keys(c)) {
      set_row(keys, (row * c.capacity + key) * c.dim, far_value(c, row, key));
      set_row(values, (row * c.capacity + key) * c.dim, far_value(c, row, key));
    }
  }
  const std::vector<float> planes = hyperplanes_of(c);
  DeviceArray<float> hyperplanes(planes);
  const std::int64_t first = far_keys(c).front();
  const std::int64_t count = c.keys - first;
  skt_error error = {};
  const skt_hash_keys_args hash = {keys.data(), hyperplanes.data(), codes.data(), c.batch,
                                   c.kv_heads,  c.capacity,         first,        count,
                                   c.dim,       c.tables,           c.planes,     SKT_BF16};
  const skt_pack_codes_args pack = {codes.data(), packed.data(), c.batch,  c.kv_heads, c.capacity,
                                    first,        count,         c.tables, c.planes};
  const skt_build_index_args build = {keys.data(), hyperplanes.data(), packed.data(), values.data(), norms.data(),
                                      c.batch,     c.kv_heads,         c.capacity,    first,         count,
                                      c.dim,       c.tables,           c.planes,      SKT_BF16};
  require(library.hash_keys(&hash, nullptr, &error), error);
  for (const bool packs : {true, false}) {  // codes hashed and packed, then the index in one call
    packed.poison();
    require(packs ? library.pack_codes(&pack, nullptr, &error) : library.build_index(&build, nullptr, &error), error);
    require(cudaDeviceSynchronize(), "index");
    for (const std::int64_t row : {std::int64_t{0}, rows / 2, rows - 1}) {
      for (const std::int64_t key : far_keys(c)) {
        const std::vector<float> numbers = far_value(c, row, key);
        const auto code = [&](std::int64_t table) { return code_of(c, planes, numbers, table); };
        for (std::int64_t word = 0; word < words; ++word) {
          const std::int64_t at = row * c.capacity * words + packed_position(key, word, words);
          result.equal("packed word", at, element_of(packed, at), packed_word(code, c.tables, c.planes, word));
        }
        if (packs) continue;
        double squares = 0;
        for (const float x : numbers) squares += double{x} * double{x};  // exact
        result.equal("norm of a far value", row * c.capacity + key,
                     half_from_bits(element_of(norms, row * c.capacity + key)),
                     round_to_half(static_cast<float>(std::sqrt(squares))));
      }
    }
  }
  return result;
}

}  // namespace skt::gpu
