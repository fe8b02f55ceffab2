// A case's inputs on the device.
#pragma once

#include <cstddef>

#include "gpu/check/cases/check_case.hpp"
#include "gpu/check/device/device_array.hpp"
#include "gpu/check/problems/paged_cache.hpp"
#include "gpu/check/problems/problem.hpp"

namespace skt::gpu {

using Bytes = DeviceArray<std::byte>;

struct DeviceProblem {
  DeviceProblem(const CheckCase& c, const Problem& problem);
  // Room for queries, keys and values alone, in the case's type.
  explicit DeviceProblem(const CheckCase& c);

  Bytes queries, keys, values;       // of the case's type: what an index is built of
  Bytes cached_keys, cached_values;  // as attention reads them; empty where they are the same
  DeviceArray<float> key_scales, value_scales, log_sums;
  Bytes work;  // of scores
  DeviceArray<float> hyperplanes, corners;
  DeviceArray<std::uint8_t> allowed;
  const float* corners_or_null() { return corners.size() == 0 ? nullptr : corners.data(); }
  void* keys_of_cache() { return cached_keys.size() == 0 ? keys.data() : cached_keys.data(); }
  void* values_of_cache() { return cached_values.size() == 0 ? values.data() : cached_values.data(); }
  const std::uint8_t* mask() { return allowed.size() == 0 ? nullptr : allowed.data(); }
};

// Its keys and values once more in pages.
struct DevicePages {
  DevicePages(const CheckCase& c, const Problem& problem, const PagedCache& cache);

  PagedCache shape;  // without keys and values
  Bytes keys, values;
  DeviceArray<std::int32_t> table;
};

// What a call is given of them; the table is read on the device.
skt_pages pages_of(const PagedCache& shape, const DeviceArray<std::int32_t>& table);

}  // namespace skt::gpu
