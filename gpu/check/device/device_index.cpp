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

void hash_asked_keys(const Library& library, const CheckCase& c, DeviceProblem& problem, DeviceIndex& index,
                     const skt_written& asked, cudaStream_t stream) {
  call(library.hash_keys,
       {.keys = problem.keys.data(),
        .hyperplanes = problem.hyperplanes.data(),
        .codes = index.codes.data(),
        .shape = shape_of(c),
        .written = asked,
        .key_type = c.element_type()},
       stream);
}

void norm_asked_values(const Library& library, const CheckCase& c, DeviceProblem& problem, DeviceIndex& index,
                       const skt_written& asked, cudaStream_t stream) {
  call(library.value_norms,
       {.values = problem.values.data(),
        .norms = index.norms.data(),
        .shape = shape_of(c),
        .written = asked,
        .value_type = c.element_type(),
        .form = published_profile(c.profile).norm_form},
       stream);
}

void pack_asked_codes(const Library& library, const CheckCase& c, DeviceIndex& index,
                      DeviceArray<std::uint32_t>& packed, const skt_written& asked, cudaStream_t stream) {
  call(library.pack_codes,
       {.codes = index.codes.data(), .packed = packed.data(), .shape = shape_of(c), .written = asked}, stream);
}

// By the calls for codes, where it gives them, norms and packed codes.
void index_by_three_calls(const Library& library, const CheckCase& c, DeviceProblem& problem, DeviceIndex& index,
                          const skt_written& asked, cudaStream_t stream = nullptr) {
  if (c.planes <= kMostInt16Planes) hash_asked_keys(library, c, problem, index, asked, stream);
  norm_asked_values(library, c, problem, index, asked, stream);
  if (c.planes >= 4) pack_asked_codes(library, c, index, index.packed, asked, stream);
}

// Likewise by skt_build_index.
void index_by_one_call(const Library& library, const CheckCase& c, DeviceProblem& problem, DeviceIndex& index,
                       const skt_written& asked, cudaStream_t stream = nullptr) {
  call(library.build_index,
       {.keys = problem.keys.data(),
        .hyperplanes = problem.hyperplanes.data(),
        .packed = index.packed.data(),
        .values = problem.values.data(),
        .norms = index.norms.data(),
        .shape = shape_of(c),
        .written = asked,
        .type = c.element_type()},
       stream);
}

void index_by(Appending by, const Library& library, const CheckCase& c, DeviceProblem& problem, DeviceIndex& index,
              const skt_written& asked, cudaStream_t stream) {
  const auto append = by == Appending::build_index ? index_by_one_call : index_by_three_calls;
  append(library, c, problem, index, asked, stream);
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

void DeviceIndex::build(const Library& library, const CheckCase& c, DeviceProblem& problem) {
  clear_last_tile(c);
  if (c.planes > kMostInt16Planes) hash_halves(library, c, problem, *this);
  const std::int64_t split = c.keys * 2 / 3;
  index_by_three_calls(library, c, problem, *this, {.count = split});
  index_by_three_calls(library, c, problem, *this, {.first = split, .count = c.keys - split});
}

std::vector<std::int16_t> codes_of_key(const CheckCase& c, const std::vector<std::int16_t>& codes, std::int64_t kv_row,
                                       std::int64_t key) {
  std::vector<std::int16_t> of_key;
  for (std::int64_t table = 0; table < c.tables; ++table) {
    of_key.push_back(codes[(kv_row * c.tables + table) * c.capacity + key]);
  }
  return of_key;
}

void build_index(const Library& library, const CheckCase& c, DeviceProblem& problem, DeviceIndex& index) {
  index.clear_last_tile(c);
  const std::int64_t split = c.keys * 2 / 3;
  const std::int64_t last = c.keys - 1;
  for (const auto& [first, end] : {std::pair{std::int64_t{0}, split}, {split, last}, {last, c.keys}}) {
    index_by_one_call(library, c, problem, index, {.first = first, .count = std::max<std::int64_t>(end - first, 0)});
  }
}

void append_last_key(const Library& library, const CheckCase& c, Appending by, DeviceProblem& problem,
                     DeviceIndex& index, cudaStream_t stream) {
  index_by(by, library, c, problem, index, {.first = c.keys - 1, .count = 1}, stream);
}

void append_keys(const Library& library, const CheckCase& c, Appending by, DeviceProblem& problem, DeviceIndex& index,
                 std::int64_t count, const DeviceArray<std::int32_t>& lengths, cudaStream_t stream) {
  index_by(by, library, c, problem, index, {.count = count, .lengths = lengths.data()}, stream);
}

void write_all_keys(const Library& library, const CheckCase& c, IndexCall by, DeviceProblem& problem,
                    DeviceIndex& index, cudaStream_t stream) {
  const skt_written all = {.count = c.keys};
  switch (by) {
    case IndexCall::hash_keys:
      return hash_asked_keys(library, c, problem, index, all, stream);
    case IndexCall::value_norms:
      return norm_asked_values(library, c, problem, index, all, stream);
    case IndexCall::pack_codes:
      return pack_asked_codes(library, c, index, index.packed, all, stream);
    case IndexCall::build_index:
      return index_by_one_call(library, c, problem, index, all, stream);
  }
}

void pack_codes(const Library& library, const CheckCase& c, DeviceIndex& index, DeviceArray<std::uint32_t>& packed,
                cudaStream_t stream) {
  pack_asked_codes(library, c, index, packed, {.count = c.keys}, stream);
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
