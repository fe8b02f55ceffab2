// Single elements of device arrays that no host array could mirror, and the keys at the far end of a cache.
#pragma once

#include <vector>

#include "gpu/check/cases/check_case.hpp"
#include "gpu/check/cases/element_type.hpp"
#include "gpu/check/device/device_array.hpp"
#include "sim/number.hpp"

namespace skt::gpu {

template <class T>
void set_element(DeviceArray<T>& array, std::int64_t at, T value) {
  require(cudaMemcpy(array.data() + at, &value, sizeof value, cudaMemcpyHostToDevice), "element");
}
template <class T>
T element_of(const DeviceArray<T>& array, std::int64_t at) {
  T value;
  require(cudaMemcpy(&value, array.data() + at, sizeof value, cudaMemcpyDeviceToHost), "element");
  return value;
}

// A row of bf16 numbers from element `at` on.
inline void set_row(DeviceArray<std::uint16_t>& array, std::int64_t at, const std::vector<float>& numbers) {
  const std::vector<std::byte> bytes = to_bytes(SKT_BF16, numbers);
  require(cudaMemcpy(array.data() + at, bytes.data(), bytes.size(), cudaMemcpyHostToDevice), "row");
}

// Twelve keys at the far end of each row, in rising order; the last is the row's last.
inline std::vector<std::int64_t> far_keys(const CheckCase& c) {
  std::vector<std::int64_t> keys;
  for (std::int64_t i = 11; i >= 0; --i) keys.push_back(c.keys - 1 - i * i * i);
  return keys;
}

// Eighths in [-1, 1], another row for every key: exact in bf16.
inline std::vector<float> far_value(const CheckCase& c, std::int64_t row, std::int64_t key) {
  std::vector<float> value;
  for (std::int64_t d = 0; d < c.dim; ++d) {
    value.push_back(to_single(real((7 * row + 5 * key + 3 * d + key * d) % 17 - 8)) / 8);
  }
  return value;
}

}  // namespace skt::gpu
