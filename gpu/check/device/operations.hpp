// The operations of the C interface on a case's arrays: fills the argument structs from the case, throws if refused.
#pragma once

#include "gpu/check/cases/check_case.hpp"
#include "gpu/check/device/device_array.hpp"
#include "gpu/check/device/device_index.hpp"
#include "gpu/check/device/device_problem.hpp"
#include "gpu/check/device/library.hpp"

namespace skt::gpu {

// Probabilities of all buckets in `type`.
void soft_buckets(const Library& library, const CheckCase& c, DeviceProblem& problem, std::int32_t type, Bytes& out);
// Half-tables, or half sums, by the case's rule.
skt_soft_buckets_args half_table_arguments(const CheckCase& c, DeviceProblem& problem, DeviceArray<float>& out);
void half_tables(const Library& library, const CheckCase& c, DeviceProblem& problem, DeviceArray<float>& out);
void score_buckets(const Library& library, const CheckCase& c, DeviceProblem& problem, DeviceIndex& index,
                   Bytes& probabilities, DeviceArray<float>& scores, cudaStream_t stream = nullptr);
// With checked codes: returns the operation's code, and its message.
int score_checked_buckets(const Library& library, const CheckCase& c, DeviceProblem& problem, DeviceIndex& index,
                          Bytes& probabilities, DeviceArray<float>& scores, DeviceArray<std::int64_t>& bad_codes,
                          skt_error& error);
// Of all keys; a check may give them lengths.
skt_score_packed_args score_packed_arguments(const CheckCase& c, DeviceProblem& problem, DeviceIndex& index,
                                             DeviceArray<float>& half_tables, void* scores);
skt_select_keys_args select_arguments(const CheckCase& c, const void* scores, DeviceArray<std::int32_t>& selected,
                                      DeviceArray<std::int32_t>& counts);
void score_packed(const Library& library, const CheckCase& c, DeviceProblem& problem, DeviceIndex& index,
                  DeviceArray<float>& half_tables, DeviceArray<float>& scores, cudaStream_t stream = nullptr);
void select_keys(const Library& library, const CheckCase& c, DeviceArray<float>& scores,
                 DeviceArray<std::int32_t>& selected, DeviceArray<std::int32_t>& counts);
// The sizes, over one cache and without pointers.
skt_sparse_attention_args attention_sizes(const CheckCase& c);
// Without what is written, and the workspace.
skt_sparse_attention_args attention_arguments(const CheckCase& c, DeviceProblem& problem,
                                              DeviceArray<std::int32_t>& selected, DeviceArray<std::int32_t>& counts,
                                              DevicePages* pages = nullptr);
void sparse_attention(const Library& library, const CheckCase& c, DeviceProblem& problem,
                      DeviceArray<std::int32_t>& selected, DeviceArray<std::int32_t>& counts,
                      DeviceArray<float>& output, DeviceArray<float>& log_sum_exp, DevicePages* pages = nullptr,
                      const std::int32_t* lengths = nullptr);
void published_list(const Library& library, const CheckCase& c, DeviceArray<std::int32_t>& best,
                    DeviceArray<std::int32_t>& counts, DeviceArray<std::int32_t>& selected,
                    DeviceArray<std::int32_t>& list_counts);
// The whole step; on `stream`, with a workspace of decode_step_workspace() bytes.
std::int64_t decode_step_workspace(const Library& library, const CheckCase& c);
skt_decode_step_args decode_arguments(const CheckCase& c, DeviceProblem& problem, DeviceIndex& index, Bytes& workspace,
                                      DeviceArray<float>& output, DevicePages* pages = nullptr);
void decode_step(const Library& library, const CheckCase& c, DeviceProblem& problem, DeviceIndex& index,
                 Bytes& workspace, DeviceArray<float>& output, cudaStream_t stream, DevicePages* pages = nullptr);

}  // namespace skt::gpu
