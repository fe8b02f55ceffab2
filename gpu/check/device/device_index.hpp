// The index of a case's keys on the device, built by the operations under test.
#pragma once

#include <vector>

#include "gpu/check/cases/check_case.hpp"
#include "gpu/check/device/device_array.hpp"
#include "gpu/check/device/device_problem.hpp"
#include "gpu/check/device/library.hpp"

namespace skt::gpu {

struct DeviceIndex {
  explicit DeviceIndex(const CheckCase& c);
  // In two calls, so that appending is exercised.
  void build(const Library& library, const CheckCase& c, DeviceProblem& problem);
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

struct HostIndex {
  explicit HostIndex(const DeviceIndex& index)
      : codes(index.codes.to_host()), packed(index.packed.to_host()), norms(index.norms.to_host()) {}

  std::vector<std::int16_t> codes;
  std::vector<std::uint32_t> packed;
  std::vector<std::uint16_t> norms;
};

// Of the codes on the host, those of one key, [tables].
std::vector<std::int16_t> codes_of_key(const CheckCase& c, const std::vector<std::int16_t>& codes, std::int64_t kv_row,
                                       std::int64_t key);

// The packed codes and the norms by skt_build_index, in three calls, of which the last appends one key.
void build_index(const Library& library, const CheckCase& c, DeviceProblem& problem, DeviceIndex& index);
// The calls that append the last key: skt_build_index, or the three calls for its codes, packed codes and norm.
enum class Appending { build_index, three_calls };
void append_last_key(const Library& library, const CheckCase& c, Appending by, DeviceProblem& problem,
                     DeviceIndex& index, cudaStream_t stream);
// The last `count` keys of each sequence, whose lengths, [batch], are read on the device.
void append_keys(const Library& library, const CheckCase& c, Appending by, DeviceProblem& problem, DeviceIndex& index,
                 std::int64_t count, const DeviceArray<std::int32_t>& lengths, cudaStream_t stream);
// One call of those that write an index, of all keys. skt_build_index writes no codes, and skt_pack_codes reads them.
enum class IndexCall { hash_keys, value_norms, pack_codes, build_index };
void write_all_keys(const Library& library, const CheckCase& c, IndexCall by, DeviceProblem& problem,
                    DeviceIndex& index, cudaStream_t stream);
// The packed codes of all keys, beside the index.
void pack_codes(const Library& library, const CheckCase& c, DeviceIndex& index, DeviceArray<std::uint32_t>& packed,
                cudaStream_t stream);
// Norms as numbers, by the profile's type.
std::vector<float> norms_to_host(const CheckCase& c, const DeviceArray<std::uint16_t>& norms);

}  // namespace skt::gpu
