// The operations of the C interface on a case's arrays: fills the argument structs from the case, throws if refused.
#pragma once

#include <span>
#include <vector>

#include "gpu/check/cases/check_case.hpp"
#include "gpu/check/device/device_array.hpp"
#include "gpu/check/device/device_index.hpp"
#include "gpu/check/device/device_problem.hpp"
#include "gpu/check/device/library.hpp"

namespace skt::gpu {

// What scores, selections, attention and steps are given beside their case, in device memory; null: nothing of it.
struct Given {
  const std::int32_t* lengths = nullptr;
  std::int64_t sparsity = 0;
  const float* log_sums = nullptr;
  DevicePages* pages = nullptr;                      // of keys and values
  DevicePagedIndex* index = nullptr;                 // in the place of one without pages
  const DeviceArray<std::int32_t>* table = nullptr;  // in the place of that of `pages`, of an index in pages
};

// What the stages of a step leave, of all query rows.
struct HostStages {
  std::vector<float> scores;                   // [rows of lists, capacity]
  std::vector<std::int32_t> selected, counts;  // [rows of lists, list], [rows of lists]
  std::vector<float> output, log_sum_exp;      // [rows, dim], [rows]
};
struct Stages {
  explicit Stages(const CheckCase& c);
  HostStages to_host() const {
    HostStages all = results_to_host();
    all.scores = scores.to_host();
    return all;
  }
  // All but the scores, which are most of the bytes.
  HostStages results_to_host() const {
    return {{}, selected.to_host(), counts.to_host(), output.to_host(), log_sum_exp.to_host()};
  }
  void poison_results() { poison_all(selected, counts, output, log_sum_exp); }

  DeviceArray<float> halves, scores;
  DeviceArray<std::int32_t> selected, counts;
  DeviceArray<float> output, log_sum_exp;
};

// One stage after the other; the scores have their poison before.
void run_stages(const Library& library, const CheckCase& c, DeviceProblem& problem, DeviceIndex& index,
                const Given& given, Stages& out);

// Probabilities of all buckets in `type`.
void soft_buckets(const Library& library, const CheckCase& c, DeviceProblem& problem, std::int32_t type, Bytes& out);
// Half-tables, or half sums, by the case's rule, of all query rows.
std::int64_t half_table_floats(const CheckCase& c);
skt_soft_buckets_args half_table_arguments(const CheckCase& c, DeviceProblem& problem, DeviceArray<float>& out);
void half_tables(const Library& library, const CheckCase& c, DeviceProblem& problem, DeviceArray<float>& out);
skt_score_buckets_args score_buckets_arguments(const CheckCase& c, DeviceProblem& problem, DeviceIndex& index,
                                               Bytes& probabilities, DeviceArray<float>& scores);
skt_score_packed_args score_packed_arguments(const CheckCase& c, DeviceProblem& problem, DeviceIndex& index,
                                             DeviceArray<float>& half_tables, void* scores, const Given& given = {});
skt_select_keys_args select_arguments(const CheckCase& c, const void* scores, DeviceArray<std::int32_t>& selected,
                                      DeviceArray<std::int32_t>& counts, const Given& given = {});
// The sizes, over one cache and without pointers.
skt_sparse_attention_args attention_sizes(const CheckCase& c);
std::int64_t attention_workspace(const Library& library, const skt_sparse_attention_args& args);
// Without what is written, and the workspace.
skt_sparse_attention_args attention_arguments(const CheckCase& c, DeviceProblem& problem,
                                              DeviceArray<std::int32_t>& selected, DeviceArray<std::int32_t>& counts,
                                              const Given& given = {});
// Waits for its end.
void sparse_attention(const Library& library, const CheckCase& c, DeviceProblem& problem,
                      DeviceArray<std::int32_t>& selected, DeviceArray<std::int32_t>& counts,
                      DeviceArray<float>& output, DeviceArray<float>& log_sum_exp, const Given& given = {});
void published_list(const Library& library, const CheckCase& c, DeviceArray<std::int32_t>& best,
                    DeviceArray<std::int32_t>& counts, DeviceArray<std::int32_t>& selected,
                    DeviceArray<std::int32_t>& list_counts);
// The whole step, with a workspace of decode_step_workspace() bytes.
std::int64_t decode_step_workspace(const Library& library, const CheckCase& c, std::int64_t rest_samples = 0);
skt_decode_step_args decode_arguments(const CheckCase& c, DeviceProblem& problem, DeviceIndex& index, Bytes& workspace,
                                      DeviceArray<float>& output, const Given& given = {});

}  // namespace skt::gpu
