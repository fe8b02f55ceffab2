// The index of a case's keys on the device, built by the operations under test.
#pragma once

#include <vector>

#include "gpu/check/cases/check_case.hpp"
#include "gpu/check/device/device_array.hpp"
#include "gpu/check/device/device_problem.hpp"
#include "gpu/check/device/library.hpp"
#include "gpu/check/references/paged_index.hpp"

namespace skt::gpu {

// By skt_build_index, or by the three calls for codes, where there are such, norms and packed codes.
enum class Appending { build_index, three_calls };

struct DeviceIndex {
  explicit DeviceIndex(const CheckCase& c);
  // In three calls, of which the last appends one key, so that appending is exercised.
  void build(const Library& library, const CheckCase& c, DeviceProblem& problem, Appending by = Appending::three_calls);
  // In bare memory, zeros in the tile of the last key: its other keys may be read, and are then thrown away.
  void clear_last_tile(const CheckCase& c);
  void poison() {
    codes.poison();
    packed.poison();
    norms.poison();
  }

  DeviceArray<std::int16_t> codes;    // [batch, kv_heads, tables, capacity]; of 16 planes without a sign
  DeviceArray<std::uint32_t> packed;  // empty for planes < 4
  DeviceArray<std::uint16_t> norms;   // bits of the profile's type
};

// An index in pages.
struct DevicePagedIndex {
  explicit DevicePagedIndex(const IndexArrays& arrays)
      : packed(arrays.packed), norms(arrays.norms), allowed(arrays.allowed) {}

  DeviceArray<std::uint32_t> packed;
  DeviceArray<std::uint16_t> norms;
  DeviceArray<std::uint8_t> allowed;
  const std::uint8_t* mask() { return allowed.size() == 0 ? nullptr : allowed.data(); }
};

struct HostIndex {
  explicit HostIndex(const DeviceIndex& index)
      : codes(index.codes.to_host()), packed(index.packed.to_host()), norms(index.norms.to_host()) {}

  std::vector<std::int16_t> codes;
  std::vector<std::uint32_t> packed;
  std::vector<std::uint16_t> norms;
};

// A case, its inputs, and an index of them by DeviceIndex::build.
struct Indexed {
  Indexed(const Library& library, const CheckCase& c) : Indexed(library, c, make_problem(c)) {}
  Indexed(const Library& library, const CheckCase& c, Problem given)
      : problem(std::move(given)), device(c, problem), index(c) {
    index.build(library, c, device);
  }

  Problem problem;
  DeviceProblem device;
  DeviceIndex index;
};

// Of the codes on the host, those of one key, [tables].
std::vector<std::int16_t> codes_of_key(const CheckCase& c, const std::vector<std::int16_t>& codes, std::int64_t kv_row,
                                       std::int64_t key);

// What a call that writes an index reads and writes.
struct IndexPlaces {
  const void *keys = nullptr, *values = nullptr;
  const float* hyperplanes = nullptr;
  std::int16_t* codes = nullptr;
  std::uint32_t* packed = nullptr;
  std::uint16_t* norms = nullptr;
  skt_pages paged = {};
};
IndexPlaces places_of(DeviceProblem& problem, DeviceIndex& index);

// One call, of the keys that are asked for. skt_build_index writes no codes, and skt_pack_codes reads them.
enum class IndexCall { hash_keys, value_norms, pack_codes, build_index };
void write_index(const Library& library, const CheckCase& c, IndexCall by, const IndexPlaces& at,
                 const skt_written& asked, cudaStream_t stream = nullptr);

void append_keys(const Library& library, const CheckCase& c, Appending by, const IndexPlaces& at,
                 const skt_written& asked, cudaStream_t stream = nullptr);
// Those that take the case's type: skt_build_index takes 16 bits only.
std::vector<Appending> ways_to_append(const CheckCase& c);

// Norms as numbers, by the profile's type.
std::vector<float> norms_to_host(const CheckCase& c, const DeviceArray<std::uint16_t>& norms);

}  // namespace skt::gpu
