#include "gpu/check/device/device_index.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include "gpu/check/cases/element_type.hpp"
#include "gpu/check/cases/published_profile.hpp"
#include "gpu/functors/packed_codes.hpp"

namespace skt::gpu {
namespace {

// Codes of 16 planes, which skt_hash_keys does not give: it hashes them as twice the tables of 8, of which two by two
// are the halves of a code, first the most significant.
void hash_halves(const Library& library, const CheckCase& c, DeviceProblem& problem, DeviceIndex& index) {
  const std::int64_t height = c.kv_rows() * c.tables;
  const std::int64_t used = c.keys;
  const std::size_t used_bytes = used * sizeof(std::int16_t);
  const std::size_t row_bytes = c.capacity * sizeof(std::int16_t);
  DeviceArray<std::int16_t> halves(2 * height * c.capacity);
  skt_shape shape = shape_of(c);
  shape.tables = 2 * c.tables;
  shape.planes = c.planes / 2;
  call(library.hash_keys, {.keys = problem.keys.data(),
                           .hyperplanes = problem.hyperplanes.data(),
                           .codes = halves.data(),
                           .shape = shape,
                           .written = {.count = c.keys},
                           .key_type = c.element_type()});
  std::vector<std::int16_t> of_keys(2 * height * used), codes(height * used);
  require(cudaMemcpy2D(of_keys.data(), used_bytes, halves.data(), row_bytes, used_bytes, 2 * height,
                       cudaMemcpyDeviceToHost),
          "halves of codes");
  for (std::int64_t at = 0; at < std::ssize(codes); ++at) {
    const std::int64_t high = at / used * 2 * used + at % used;
    codes[at] = static_cast<std::int16_t>(of_keys[high] << c.planes / 2 | of_keys[high + used]);
  }
  require(
      cudaMemcpy2D(index.codes.data(), row_bytes, codes.data(), used_bytes, used_bytes, height, cudaMemcpyHostToDevice),
      "codes");
}

}  // namespace

DeviceIndex::DeviceIndex(const CheckCase& c)
    : codes(c.kv_rows() * c.tables * c.capacity),
      packed(c.planes < 4 ? 0 : c.kv_rows() * c.capacity * words_per_key(c.tables, c.planes)),
      norms(c.kv_rows() * c.capacity) {}

void DeviceIndex::clear_last_tile(const CheckCase& c) {
  if (memory_of_checks == Memory::guarded) return;
  const std::int64_t words = words_per_key(c.tables, c.planes);
  const std::int64_t tile = c.keys / kTileKeys * kTileKeys;
  const std::int64_t in_tile = std::min(kTileKeys, c.capacity - tile);
  for (std::int64_t row = 0; row < c.kv_rows(); ++row) {
    require(cudaMemset(norms.data() + row * c.capacity + tile, 0, 2 * in_tile), "norms");
    if (packed.size() == 0) continue;
    require(cudaMemset(packed.data() + (row * c.capacity + tile) * words, 0, 4 * in_tile * words), "last tile");
  }
}

void DeviceIndex::build(const Library& library, const CheckCase& c, DeviceProblem& problem, Appending by) {
  clear_last_tile(c);
  if (by == Appending::three_calls && c.planes > kMostInt16Planes) hash_halves(library, c, problem, *this);
  const std::int64_t split = c.keys * 2 / 3, last = c.keys - 1;
  for (const auto& [first, end] : {std::pair{std::int64_t{0}, split}, {split, last}, {last, c.keys}})
    append_keys(library, c, by, places_of(problem, *this), {.first = first, .count = end - first});
}

IndexPlaces places_of(DeviceProblem& problem, DeviceIndex& index) {
  return {.keys = problem.keys.data(),
          .values = problem.values.data(),
          .hyperplanes = problem.hyperplanes.data(),
          .codes = index.codes.data(),
          .packed = index.packed.data(),
          .norms = index.norms.data()};
}

void write_index(const Library& library, const CheckCase& c, IndexCall by, const IndexPlaces& at,
                 const skt_written& asked, cudaStream_t stream) {
  switch (by) {
    case IndexCall::hash_keys:
      return call(library.hash_keys,
                  {.keys = at.keys,
                   .hyperplanes = at.hyperplanes,
                   .codes = at.codes,
                   .shape = shape_of(c),
                   .written = asked,
                   .key_type = c.element_type()},
                  stream);
    case IndexCall::value_norms:
      return call(library.value_norms,
                  {.values = at.values,
                   .norms = at.norms,
                   .shape = shape_of(c),
                   .written = asked,
                   .paged = at.paged,
                   .value_type = c.element_type(),
                   .form = published_profile(c.profile).norm_form},
                  stream);
    case IndexCall::pack_codes:
      return call(library.pack_codes,
                  {.codes = at.codes, .packed = at.packed, .shape = shape_of(c), .written = asked, .paged = at.paged},
                  stream);
    case IndexCall::build_index:
      return call(library.build_index,
                  {.keys = at.keys,
                   .hyperplanes = at.hyperplanes,
                   .packed = at.packed,
                   .values = at.values,
                   .norms = at.norms,
                   .shape = shape_of(c),
                   .written = asked,
                   .paged = at.paged,
                   .type = c.element_type()},
                  stream);
  }
}

void append_keys(const Library& library, const CheckCase& c, Appending by, const IndexPlaces& at,
                 const skt_written& asked, cudaStream_t stream) {
  if (by == Appending::build_index) return write_index(library, c, IndexCall::build_index, at, asked, stream);
  if (c.planes <= kMostInt16Planes) write_index(library, c, IndexCall::hash_keys, at, asked, stream);
  write_index(library, c, IndexCall::value_norms, at, asked, stream);
  if (c.planes >= 4) write_index(library, c, IndexCall::pack_codes, at, asked, stream);
}

std::vector<Appending> ways_to_append(const CheckCase& c) {
  if (c.element_type() == SKT_F32) return {Appending::three_calls};
  return {Appending::build_index, Appending::three_calls};
}

std::vector<std::int16_t> codes_of_key(const CheckCase& c, const std::vector<std::int16_t>& codes, std::int64_t kv_row,
                                       std::int64_t key) {
  std::vector<std::int16_t> of_key;
  for (std::int64_t table = 0; table < c.tables; ++table) {
    of_key.push_back(codes[(kv_row * c.tables + table) * c.capacity + key]);
  }
  return of_key;
}

std::vector<float> norms_to_host(const CheckCase& c, const DeviceArray<std::uint16_t>& norms) {
  const bool half = published_profile(c.profile).norm_type() == SKT_F16;
  std::vector<float> numbers;
  for (const std::uint16_t bits : norms.to_host()) {
    numbers.push_back(half ? half_from_bits(bits) : bfloat_from_bits(bits));
  }
  return numbers;
}

}  // namespace skt::gpu
