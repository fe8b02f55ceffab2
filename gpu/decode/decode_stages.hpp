// What do the stages of one decode step tell each other beside their public arguments?
//
// While the scores are made they are counted in bins, so that the selection begins at the right one; the half-tables'
// kernel clears the bins. The public functions launch the same kernels without, but those that clear and count for
// ranks.
#pragma once

#include <cstdint>
#include <limits>

#include "gpu/functors/score_bins.hpp"
#include "gpu/socketlab_gpu.h"

namespace skt::gpu {

// Counts of the candidates, allowed keys outside sink and window, in the bins of gpu/functors/score_bins.hpp; or in those
// of gpu/functors/shards.hpp, as many.
struct RowBins {
  std::uint32_t* counts = nullptr;  // [rows, kScoreBins]; null: scores are not counted
  int sink = 0;
  // Without counts all keys are in the window, so that none is counted: a block has no memory for counts then, and
  // would write over what its warps copy.
  int window = std::numeric_limits<int>::max();
  std::uint32_t lowest = kUsualLowestScoreBin;
  bool of_shards = false;
  int whole_length = 0;          // of shards: the most keys from the rank's first on, those of ranks behind among them
  float* normalisers = nullptr;  // [batch, heads]; null, or out of the scores of kv heads' lists: in steps
  bool scores_stay = false;      // counted scores are read again behind the selection
};

// How far the rows of a step have come (gpu/decode/row_progress.cuh).
struct RowProgress {
  std::uint32_t* scored = nullptr;    // [rows]: tiles of keys; null: no counters, each stage waits for all rows
  std::uint32_t* selected = nullptr;  // [rows]: shares of kWholeRow
};
constexpr std::uint32_t kWholeRow = 27720;  // of which 1 to 12 blocks each take an equal share
constexpr int kRowCounters = 4;             // of a row, two of them used: the bins are cleared by fours

// settled: nothing that may still run writes what the kernel reads of the caller's (codes, norms, lengths and the block
// table, where nothing else is named), so that it may be read before the wait for the kernel before.
enum class Inputs { may_be_in_flight, settled };

// Keys whose index is built: whatever skt_build_index is asked for, or the newest of a step. `given`: 0, and keys and
// values are in the cache; else they are arrays [batch, kv_heads, given, dim] of those that are written.
struct BuildStage {
  skt_build_index_args index = {};  // written.count 0: none
  std::int64_t given = 0;

  bool any() const { return index.written.count != 0; }
};

// What a step says of the rest of its lists (gpu/rest/arguments.hpp).
struct RestStage {
  skt_rest rest = {};                // rest_samples 0: nothing
  skt_score_packed_args score = {};  // of the step,
  RowBins bins = {};                 // its counts
  skt_list list = {};                // and its lists
  float logit_scale = 0;
  const std::uint32_t* scored = nullptr;  // as RowProgress has it
  int unscored = 0;                       // as launch_select_keys() has it
  void* work = nullptr;
};
std::int64_t rest_work_bytes(const RestStage& stage);

// What each stage refuses, nothing launched: the public functions ask before they launch, and a step asks all of them
// before it launches the first. The launches below look at nothing again.
int check_build_index(const skt_build_index_args& args, skt_error* error);
int check_soft_buckets(const skt_soft_buckets_args& args, skt_error* error);
int check_score_packed(const skt_score_packed_args& args, skt_error* error);
int check_select_keys(const skt_select_keys_args& args, skt_error* error);
int check_sparse_attention(const skt_sparse_attention_args& args, skt_error* error);
int check_rest(const RestStage& stage, const skt_sparse_attention_args& attention, skt_error* error);

int launch_build_index(const BuildStage& stage, CUstream_st* stream, skt_error* error);
// Clears the first `words` of `cleared`, a multiple of 4, if it is not null. Beside the buckets looks at norms for `rest`.
int launch_soft_buckets(const skt_soft_buckets_args& args, std::uint32_t* cleared, std::int64_t words,
                        const RestStage& rest, CUstream_st* stream, skt_error* error);
// Of which enum skt_type a step's scores are: SKT_BF16 where they are bf16 numbers, else SKT_F32.
std::int32_t step_score_type(std::int32_t rule, const skt_shape& shape);
// Whether scores of this shape can be counted: the bins of a block need room beside its half-tables.
bool can_count_scores(const skt_score_packed_args& args);
// Whether rows are long enough that it pays to count how far each has come.
bool should_count_rows(const skt_score_packed_args& args);
int launch_score_packed(const skt_score_packed_args& args, const RowBins& bins, const RowProgress& progress,
                        Inputs inputs, CUstream_st* stream, skt_error* error);
// The counts of a rank, by a pass of their own; launched behind the scores.
int launch_count_scores(const skt_score_packed_args& args, CUstream_st* stream, skt_error* error);
// Scores that were counted are the step's own, and undetermined afterwards. The last `unscored` keys of a row, all in its
// window, are listed whatever stands for their scores.
int launch_select_keys(const skt_select_keys_args& args, const RowBins& bins, const RowProgress& progress,
                       const RestStage& rest, Inputs inputs, int unscored, CUstream_st* stream, skt_error* error);
// `inputs`: queries, keys, values and lengths. Beside the attention builds the index of `append`.
int launch_sparse_attention(const skt_sparse_attention_args& args, const RowProgress& progress, const RestStage& rest,
                            const BuildStage& append, Inputs inputs, CUstream_st* stream, skt_error* error);

}  // namespace skt::gpu
