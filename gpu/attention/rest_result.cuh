// What does the sample of a head's rest say? Of the attention's merge, behind the output and its log-sum-exp.
//
// Relative to the log-sum-exp of the list, so that the list weighs 1. Symbols: gpu/attention/weigh_rest.cuh. What the sums prove:
// estimators/residual/fixed_bet.hpp.
#pragma once

#include <cuda_runtime.h>

#include <cfloat>
#include <cmath>
#include <cstdint>

#include "gpu/attention/parts.cuh"
#include "gpu/attention/rest_ceilings.cuh"
#include "gpu/device/barrier.cuh"

namespace skt::gpu {

struct RestResult {
  float weight, limit, nominal;
  std::int32_t flags;
};

// A sum relative to 2^exponent, relative to 2^log_sum; of an empty list infinite. By the root twice: the power may be too
// small a number where the sum over it is not.
__device__ inline float over_list(float sum, float exponent, float log_sum) {
  const float root = exp2f((exponent - log_sum) / 2);
  return sum == 0 ? 0 : sum * root * root;
}

// The parts of a head's rest, and what was drawn for its list.
struct RestOfHead {
  DrawnRow row;
  Part parts[kMostRestParts];
  RestSums sums[kMostRestParts];

  __device__ RestOfHead(const RestArguments& kernel, const DrawnRow& of_row, int head) : row(of_row) {
    const std::int64_t first = std::int64_t{head} * kMostRestParts;
#pragma unroll
    for (int i = 0; i < kMostRestParts; ++i) {
      parts[i] = i < kernel.parts ? kernel.softmax[first + i] : Part{};
      sums[i] = i < kernel.parts ? kernel.sums[first + i] : RestSums{};
    }
  }
  __device__ float exponent() const {
    float largest = parts[0].exponent;
#pragma unroll
    for (int i = 1; i < kMostRestParts; ++i) largest = fmaxf(largest, parts[i].exponent);
    return largest;
  }
  __device__ bool has_room(int room) const { return row.drawn <= static_cast<std::uint32_t>(room); }
};

// What was drawn for a list, of all parts; `slot`: of [lists, passes, kMostRestParts], the first of the list.
__device__ inline DrawnRow drawn_for_list(const RestArguments& kernel, int slot) {
  DrawnRow row = kernel.rows[slot];
#pragma unroll
  for (int i = 1; i < kMostRestParts; ++i) row.drawn += i < kernel.parts ? kernel.rows[slot + i].drawn : 0;
  return row;
}

// Tells the caller which keys were drawn for a list and are not in it, in order; of all threads.
template <int threads>
__device__ void tell_keys(const RestArguments& kernel, int list, int slot, const DrawnRow& row) {
  __shared__ int of_warps[threads / 32];
  if (kernel.rest.rest_keys == nullptr && kernel.rest.rest_drawn == nullptr) return;
  const int thread = static_cast<int>(threadIdx.x);
  const int lane = thread % 32, warp = thread / 32;
  const bool has_room = row.drawn <= static_cast<std::uint32_t>(kernel.room);
  std::int32_t* const keys =
      kernel.rest.rest_keys == nullptr ? nullptr : kernel.rest.rest_keys + std::int64_t{list} * kernel.room;
  int told = 0;
  for (int part = 0; has_room && row.keys != 0 && part < kernel.parts; ++part) {
    const DrawnList drawn = {kernel.drawn.of_slot(slot + part, kernel.room), to_int(kernel.rows[slot + part].drawn),
                             kernel.ends[list]};
    for (int begin = 0; begin < drawn.count; begin += threads) {
      const bool is_rest = drawn.is_rest(begin + thread);
      const unsigned of_warp = __ballot_sync(~0u, is_rest);
      if (lane == 0) of_warps[warp] = __popc(of_warp);
      block_barrier();
      int place = told + __popc(of_warp & ((1u << lane) - 1));
      for (int w = 0; w < threads / 32; ++w) {
        if (w < warp) place += of_warps[w];
        told += of_warps[w];
      }
      if (is_rest && keys != nullptr) keys[place] = drawn.drawn.key[begin + thread];
      block_barrier();
    }
  }
  for (int i = told + thread; keys != nullptr && i < kernel.room; i += threads) keys[i] = -1;
  if (thread == 0 && kernel.rest.rest_drawn != nullptr) {
    kernel.rest.rest_drawn[list] = has_room ? told : to_int(min(row.drawn, 0x7fffffffu));
  }
}

// `all`: what the rest weighs; `log_sum` of the list, to base 2.
__device__ inline RestResult result_of(const RestArguments& kernel, const RestOfHead& rest, float all, float log_sum) {
  if (rest.row.keys == 0) return {0, 0, 0, 0};  // no rest
  const float exponent = rest.exponent();
  RestSums sums = {};
#pragma unroll
  for (int i = 0; i < kMostRestParts; ++i) {
    const float factor = rescale_factor(rest.parts[i].exponent, exponent);
    sums.certain += rest.sums[i].certain * factor;
    sums.square += rest.sums[i].square * factor * factor;
#pragma unroll
    for (int bet = 0; bet < kFixedBets; ++bet) sums.lost[bet] += rest.sums[i].lost[bet];
    sums.broken += rest.sums[i].broken;
  }
  const bool is_empty = log_sum == -INFINITY;  // the list
  const bool has_room = rest.has_room(kernel.room);
  RestResult result = {all / (1 + all), 1, 1, 0};
  if (is_empty || all == INFINITY) result.weight = 1;
  if (!has_room || log_sum != log_sum) result.weight = NAN;
  float limit = over_list(sums.certain, exponent, log_sum);
  if (rest.row.keys > static_cast<std::uint32_t>(kernel.rest.rest_samples)) {
    limit +=
        fixed_bet_limit(sums.lost, ceiling_of(rest.sums[0].octaves, log_sum, rest.row.rate), kernel.rest.rest_delta);
  }
  const bool is_finite = has_room && fabsf(log_sum) <= FLT_MAX && all <= FLT_MAX;
  const bool is_known = is_finite && sums.broken == 0 && limit <= FLT_MAX;
  if (is_known) result.limit = limit / (1 + limit);
  const float deviation = over_list(sqrtf(sums.square), exponent, log_sum);
  const float nominal = all + kernel.quantile * deviation;
  if (is_finite && nominal <= FLT_MAX) result.nominal = nominal / (1 + nominal);
  if (!(result.limit <= kernel.rest.rest_target)) result.flags |= SKT_REST_ABOVE;
  if (!(result.nominal <= kernel.rest.rest_target)) result.flags |= SKT_REST_NOMINAL_ABOVE;
  if (!is_known) result.flags |= SKT_REST_UNKNOWN;
  return result;
}

__device__ inline void write_result(const skt_rest& rest, int head, const RestResult& result) {
  rest.rest_weight[head] = result.weight;
  rest.rest_limit[head] = result.limit;
  rest.rest_nominal[head] = result.nominal;
  rest.rest_flags[head] = result.flags;
  if (rest.rest_flagged == nullptr) return;
  for (int bit = 0; bit < 3; ++bit) {
    if (result.flags >> bit & 1) atomicAdd(&rest.rest_flagged[bit], 1);
  }
}

// Of coordinate `d` of a head: its output over the list alone and the list's log-sum-exp, natural, become results.
template <int dim>
__device__ void write_rest(const RestArguments& kernel, const RestOfHead& rest, int head, int d, float output,
                           float log_sum_exp) {
  const bool corrects = kernel.rest.rest_output != nullptr;
  if (d != 0 && !corrects) return;
  const float log_sum = log_sum_exp * kLog2e, exponent = rest.exponent();
  float sum = 0, vector = 0;
#pragma unroll
  for (int i = 0; i < kMostRestParts; ++i) {
    const float factor = rescale_factor(rest.parts[i].exponent, exponent);
    sum += rest.parts[i].sum * factor;
    if (corrects && i < kernel.parts) {
      vector = fmaf(kernel.vectors[(std::int64_t{head} * kMostRestParts + i) * dim + d], factor, vector);
    }
  }
  const float all = over_list(sum, exponent, log_sum);
  if (d == 0) write_result(kernel.rest, head, result_of(kernel, rest, all, log_sum));
  if (!corrects) return;
  if (rest.row.keys != 0 && rest.has_room(kernel.room)) {
    output = (output + over_list(vector, exponent, log_sum)) / (1 + all);
  }
  kernel.rest.rest_output[std::int64_t{head} * dim + d] = output;
}

}  // namespace skt::gpu
