// An index in pages on the device, and how a call is given the table.
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

// The pages of an index by `table`, which is read on the device.
template <class Arguments>
void take_table(Arguments& args, const PagedCache& shape, const DeviceArray<std::int32_t>& table) {
  args.block_table = table.data();
  args.blocks = shape.blocks;
  args.pages = shape.pages;
  args.page_size = shape.page_size;
}

// Keys and values, or values alone, of the pages.
template <class Arguments>
void take_strides(Arguments& args, const PagedCache& shape) {
  args.page_stride = shape.page_stride;
  args.head_stride = shape.head_stride;
  args.token_stride = shape.token_stride;
}

}  // namespace skt::gpu
