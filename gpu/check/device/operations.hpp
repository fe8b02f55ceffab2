// The operations of the C interface on a case's arrays: fills the argument structs from the case, throws if
// refused.
#pragma once

#include "gpu/check/cases/check_case.hpp"
#include "gpu/check/cases/published_profile.hpp"
#include "gpu/check/device/device_array.hpp"
#include "gpu/check/device/library.hpp"
#include "gpu/check/problems/paged_cache.hpp"
#include "gpu/check/problems/problem.hpp"

namespace skt::gpu {

using Bytes = DeviceArray<std::byte>;

// A problem's inputs on the device.
struct DeviceProblem {
  DeviceProblem(const CheckCase& c, const Problem& problem);

  Bytes queries, keys, values;
  DeviceArray<float> hyperplanes, corners;
  DeviceArray<std::uint8_t> allowed;
  const float* corners_or_null() { return corners.size() == 0 ? nullptr : corners.data(); }
  const std::uint8_t* mask() { return allowed.size() == 0 ? nullptr : allowed.data(); }
};

// Its keys and values once more in pages.
struct DevicePages {
  DevicePages(const CheckCase& c, const PagedCache& cache);

  PagedCache shape;  // without keys and values
  Bytes keys, values;
  DeviceArray<std::int32_t> table;
};

// The index of the keys, built by the operations under test: in two calls, so that appending is exercised.
struct DeviceIndex {
  explicit DeviceIndex(const CheckCase& c);
  void build(const Library& library, const CheckCase& c, DeviceProblem& problem);
  // In bare memory, zeros in the tile of the last key: its other keys may be read, and are then thrown away.
  void clear_last_tile(const CheckCase& c);

  DeviceArray<std::int16_t> codes;    // [batch, kv_heads, tables, capacity]; of 16 planes without a sign
  DeviceArray<std::uint32_t> packed;  // empty for planes < 4
  DeviceArray<std::uint16_t> norms;   // bits of the profile's type
};

// The packed codes and the norms by skt_build_index, in three calls, of which the last appends one key.
void build_index(const Library& library, const CheckCase& c, DeviceProblem& problem, DeviceIndex& index);
// The calls that append the last key: skt_build_index, or the three calls for its codes, packed codes and
// norm.
enum class Appending { build_index, three_calls };
void append_last_key(const Library& library, const CheckCase& c, Appending by, DeviceProblem& problem,
                     DeviceIndex& index, cudaStream_t stream);
// Norms as numbers, by the profile's type.
std::vector<float> norms_to_host(const CheckCase& c, const DeviceArray<std::uint16_t>& norms);

// Probabilities of all buckets in `type`.
void soft_buckets(const Library& library, const CheckCase& c, DeviceProblem& problem, std::int32_t type, Bytes& out);
// Half-tables, or half sums, by the case's rule.
void half_tables(const Library& library, const CheckCase& c, DeviceProblem& problem, DeviceArray<float>& out);
void score_buckets(const Library& library, const CheckCase& c, DeviceProblem& problem, DeviceIndex& index,
                   Bytes& probabilities, DeviceArray<float>& scores);
// With checked codes: returns the operation's code, and its message.
int score_checked_buckets(const Library& library, const CheckCase& c, DeviceProblem& problem, DeviceIndex& index,
                          Bytes& probabilities, DeviceArray<float>& scores, DeviceArray<std::int64_t>& bad_codes,
                          skt_error& error);
void score_packed(const Library& library, const CheckCase& c, DeviceProblem& problem, DeviceIndex& index,
                  DeviceArray<float>& half_tables, DeviceArray<float>& scores);
void select_keys(const Library& library, const CheckCase& c, DeviceArray<float>& scores,
                 DeviceArray<std::int32_t>& selected, DeviceArray<std::int32_t>& counts);
// The sizes, over one cache and without pointers.
skt_sparse_attention_args attention_arguments(const CheckCase& c);
void sparse_attention(const Library& library, const CheckCase& c, DeviceProblem& problem,
                      DeviceArray<std::int32_t>& selected, DeviceArray<std::int32_t>& counts,
                      DeviceArray<float>& output, DeviceArray<float>& log_sum_exp, DevicePages* pages = nullptr);
void published_list(const Library& library, const CheckCase& c, DeviceArray<std::int32_t>& best,
                    DeviceArray<std::int32_t>& counts, DeviceArray<std::int32_t>& selected,
                    DeviceArray<std::int32_t>& list_counts);
// The whole step; on `stream`, with a workspace of decode_step_workspace() bytes.
std::int64_t decode_step_workspace(const Library& library, const CheckCase& c);
skt_decode_step_args decode_arguments(const CheckCase& c, DeviceProblem& problem, DeviceIndex& index, Bytes& workspace,
                                      DeviceArray<float>& output);
void decode_step(const Library& library, const CheckCase& c, DeviceProblem& problem, DeviceIndex& index,
                 Bytes& workspace, DeviceArray<float>& output, cudaStream_t stream, DevicePages* pages = nullptr);

inline std::int64_t list_of(const CheckCase& c) {
  return c.sink + c.budget + c.window;
}

}  // namespace skt::gpu
