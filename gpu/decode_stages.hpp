// What do the stages of one decode step tell each other beside their public arguments?
//
// While the scores are made they are counted in bins, so that the selection begins at the right one; the
// half-tables' kernel clears the bins. The public functions launch the same kernels without.
#pragma once

#include <cstdint>

#include "gpu/host_device.hpp"
#include "gpu/score_bins.hpp"
#include "gpu/socketlab_gpu.h"

namespace skt::gpu {

// Counts of gpu/score_bins.hpp of the candidates: allowed keys outside sink and window.
struct RowBins {
  std::uint32_t* counts = nullptr;  // [rows, kScoreBins]; null: scores are not counted
  int sink = 0;
  int window_begin = 0;
  std::uint32_t lowest = kUsualLowestScoreBin;

  SKT_HD bool is_candidate(int key) const { return key >= sink && key < window_begin; }
};

// settled: nothing that may still run writes codes and norms, so that a kernel may read them before it waits
// for the one before it.
enum class Codes { may_be_in_flight, settled };

// What each stage refuses, nothing launched: a step asks all of them before it launches the first.
int check_soft_buckets(const skt_soft_buckets_args& args, skt_error* error);
int check_score_packed(const skt_score_packed_args& args, skt_error* error);
int check_select_keys(const skt_select_keys_args& args, skt_error* error);
int check_sparse_attention(const skt_sparse_attention_args& args, skt_error* error);

int launch_soft_buckets(const skt_soft_buckets_args& args, const RowBins& cleared, CUstream_st* stream,
                        skt_error* error);
// Whether scores of this shape can be counted: the bins of a block need room beside its half-tables.
bool can_count_scores(const skt_score_packed_args& args);
int launch_score_packed(const skt_score_packed_args& args, const RowBins& bins, Codes codes,
                        CUstream_st* stream, skt_error* error);
int launch_select_keys(const skt_select_keys_args& args, const RowBins& bins, CUstream_st* stream,
                       skt_error* error);

}  // namespace skt::gpu
