// An index in pages on the device.
#pragma once

#include "gpu/check/device/device_array.hpp"
#include "gpu/check/device/device_problem.hpp"
#include "gpu/check/references/paged_index.hpp"

namespace skt::gpu {

struct DevicePagedIndex {
  explicit DevicePagedIndex(const IndexArrays& arrays)
      : packed(arrays.packed), norms(arrays.norms), allowed(arrays.allowed) {}

  DeviceArray<std::uint32_t> packed;
  DeviceArray<std::uint16_t> norms;
  DeviceArray<std::uint8_t> allowed;
  const std::uint8_t* mask() { return allowed.size() == 0 ? nullptr : allowed.data(); }
};

}  // namespace skt::gpu
