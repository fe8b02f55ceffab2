// Are codes and scores found behind the 2^31-th element?
//
// The code array of the case holds more than 2^31 elements. It is filled on the device with code 0; the codes of a
// few keys at the far end of each row are then set to known ones. Bucket 0 has probability 0 and the others are
// distinct powers of two, so a score tells which code was read.
#include <cmath>

#include "gpu/check/device/call.hpp"
#include "gpu/check/device/far_memory.hpp"
#include "gpu/check/operations/checks.hpp"
#include "gpu/check/problems/problem.hpp"

namespace skt::gpu {
namespace {

constexpr int kBuckets = 8;

std::int16_t planted_code(std::int64_t row, std::int64_t table, std::int64_t key) {
  return static_cast<std::int16_t>(1 + (3 * row + table + key) % (kBuckets - 1));
}

float probability_of(int bucket) {
  return bucket == 0 ? 0.0f : std::ldexp(1.0f, bucket);
}

// The keys whose codes are set, in every kv row.
std::vector<std::int64_t> planted_keys(const CheckCase& c) {
  std::vector<std::int64_t> keys;
  for (std::int64_t i = 0; i < 40; ++i) keys.push_back(c.keys - 1 - i * i);
  return keys;
}

void plant_codes(const CheckCase& c, DeviceArray<std::int16_t>& codes) {
  require(cudaMemset(codes.data(), 0, codes.bytes()), "codes");
  for (std::int64_t row = 0; row < c.kv_rows(); ++row) {
    for (std::int64_t table = 0; table < c.tables; ++table) {
      for (const std::int64_t key : planted_keys(c)) {
        set_element(codes, (row * c.tables + table) * c.capacity + key, planted_code(row, table, key));
      }
    }
  }
}

// [batch, heads, tables, buckets]
std::vector<float> probabilities_of(const CheckCase& c) {
  std::vector<float> probabilities;
  for (std::int64_t table = 0; table < c.rows() * c.tables; ++table) {
    for (int bucket = 0; bucket < kBuckets; ++bucket) probabilities.push_back(probability_of(bucket));
  }
  return probabilities;
}

}  // namespace

Comparison check_far_addresses(const Library& library, const CheckCase& c) {
  DeviceArray<std::int16_t> codes(c.kv_rows() * c.tables * c.capacity);
  plant_codes(c, codes);
  DeviceArray<float> probabilities(probabilities_of(c));
  DeviceArray<std::uint16_t> norms(std::vector<std::uint16_t>(c.kv_rows() * c.capacity, 0x3c00));
  DeviceArray<float> scores(c.rows() * c.capacity);
  skt_shape shape = shape_of(c);
  shape.planes = 3;
  call(library.score_buckets, {.probabilities = probabilities.data(),
                               .codes = codes.data(),
                               .norms = norms.data(),
                               .scores = scores.data(),
                               .shape = shape,
                               .used = c.keys,
                               .norm_type = SKT_F16});
  require(cudaDeviceSynchronize(), "scores");
  Comparison result;
  result.holds("more than 2^31 codes", codes.size(), codes.size() > std::int64_t{1} << 31);
  for (std::int64_t row = 0; row < c.rows(); ++row) {
    for (const std::int64_t key : planted_keys(c)) {
      float expected = 0;
      for (std::int64_t table = 0; table < c.tables; ++table) {
        expected += probability_of(planted_code(row / c.group(), table, key));
      }
      const std::int64_t at = row * c.capacity + key;
      result.equal("score of a far key", at, element_of(scores, at), expected);
    }
  }
  return result;
}

}  // namespace skt::gpu
