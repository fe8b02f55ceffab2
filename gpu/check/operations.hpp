// The operations of the C interface on a case's arrays: fills the argument structs from the case, throws if
// refused.
#pragma once

#include "gpu/check/check_case.hpp"
#include "gpu/check/device_array.hpp"
#include "gpu/check/problem.hpp"

namespace skt::gpu {

using Bytes = DeviceArray<std::byte>;

// A problem's inputs on the device.
struct DeviceProblem {
  DeviceProblem(const CheckCase& c, const Problem& problem);

  Bytes queries, keys, values;
  DeviceArray<float> hyperplanes;
  DeviceArray<std::uint8_t> allowed;
  const std::uint8_t* mask() { return allowed.size() == 0 ? nullptr : allowed.data(); }
};

// The index of the keys, built by the operations under test: in two calls, so that appending is exercised.
struct DeviceIndex {
  explicit DeviceIndex(const CheckCase& c);
  void build(const CheckCase& c, DeviceProblem& problem);

  DeviceArray<std::int16_t> codes;    // [batch, kv_heads, tables, capacity]
  DeviceArray<std::uint32_t> packed;  // empty for planes < 4
  DeviceArray<std::uint16_t> norms;   // fp16 bits
};

// The packed codes and the norms by skt_build_index, in three calls, of which the last appends one key.
void build_index(const CheckCase& c, DeviceProblem& problem, DeviceIndex& index);
void soft_buckets(const CheckCase& c, DeviceProblem& problem, std::int32_t form, DeviceArray<float>& out);
void score_buckets(const CheckCase& c, DeviceProblem& problem, DeviceIndex& index,
                   DeviceArray<float>& probabilities, DeviceArray<float>& scores);
void score_packed(const CheckCase& c, DeviceProblem& problem, DeviceIndex& index,
                  DeviceArray<float>& half_tables, DeviceArray<float>& scores);
void select_keys(const CheckCase& c, DeviceArray<float>& scores, DeviceArray<std::int32_t>& selected,
                 DeviceArray<std::int32_t>& counts);
void sparse_attention(const CheckCase& c, DeviceProblem& problem, DeviceArray<std::int32_t>& selected,
                      DeviceArray<std::int32_t>& counts, DeviceArray<float>& output,
                      DeviceArray<float>& log_sum_exp);
// The whole step; on `stream`, with a workspace of decode_step_workspace() bytes.
std::int64_t decode_step_workspace(const CheckCase& c);
void decode_step(const CheckCase& c, DeviceProblem& problem, DeviceIndex& index, Bytes& workspace,
                 DeviceArray<float>& output, cudaStream_t stream);

inline std::int64_t list_of(const CheckCase& c) {
  return c.sink + c.budget + c.window;
}
float inverse_sqrt_dim(const CheckCase& c);

}  // namespace skt::gpu
