// What does the sample of a head's rest say? Of the attention's merge, behind the output and its log-sum-exp.
//
// Relative to the log-sum-exp of the list, so that the list weighs 1. Symbols: gpu/attention/drawn_rest.cuh. What the sums prove:
// estimators/residual/fixed_bet.hpp.
#pragma once

#include <cuda_runtime.h>

#include <cfloat>
#include <cmath>
#include <cstdint>

#include "gpu/attention/drawn_rest.cuh"

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

// `log_sum`: of the list, to base 2.
__device__ inline RestResult result_of(const RestArguments& kernel, const RestPart& part, float log_sum) {
  if (part.keys == 0) return {0, 0, 0, 0};     // no rest
  const bool is_empty = log_sum == -INFINITY;  // the list
  const float all = over_list(part.sums.all, part.exponent, log_sum);
  RestResult result = {all / (1 + all), 1, 1, 0};
  if (is_empty || all == INFINITY) result.weight = 1;
  if (!part.has_room || log_sum != log_sum) result.weight = NAN;
  float limit = over_list(part.sums.certain, part.exponent, log_sum);
  if (part.keys > static_cast<std::uint32_t>(kernel.rest.rest_samples)) {
    limit += fixed_bet_limit(part.sums.lost, ceiling_of(part.octaves, log_sum, part.rate), kernel.rest.rest_delta);
  }
  const bool is_finite = part.has_room && fabsf(log_sum) <= FLT_MAX && all <= FLT_MAX;
  const bool is_known = is_finite && part.sums.broken == 0 && limit <= FLT_MAX;
  if (is_known) result.limit = limit / (1 + limit);
  const float deviation = over_list(sqrtf(part.sums.square), part.exponent, log_sum);
  const float nominal = all + kernel.normal_quantile * deviation;
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

// The parts of a head as one; `factors` of each.
__device__ inline RestPart join_parts(const RestPart* parts, float (&factors)[kRestParts]) {
  RestPart joined = parts[0];
#pragma unroll
  for (int i = 1; i < kRestParts; ++i) joined.exponent = fmaxf(joined.exponent, parts[i].exponent);
  joined.sums = {};
#pragma unroll
  for (int i = 0; i < kRestParts; ++i) {
    const RestPart part = parts[i];
    factors[i] = rescale_factor(part.exponent, joined.exponent);
    joined.sums.all += part.sums.all * factors[i];
    joined.sums.certain += part.sums.certain * factors[i];
    joined.sums.square += part.sums.square * factors[i] * factors[i];
#pragma unroll
    for (int bet = 0; bet < kFixedBets; ++bet) joined.sums.lost[bet] += part.sums.lost[bet];
    joined.sums.broken += part.sums.broken;
  }
  return joined;
}

// Of coordinate `d` of a head: its output over the list alone and the list's log-sum-exp, natural, become results.
__device__ inline void write_rest(const RestArguments& kernel, int head, int d, int dim, float output,
                                  float log_sum_exp) {
  const bool corrects = kernel.rest.rest_output != nullptr;
  if (d != 0 && !corrects) return;
  float factors[kRestParts];
  const RestPart part = join_parts(kernel.parts + std::int64_t{head} * kRestParts, factors);
  const float log_sum = log_sum_exp * kLog2e;
  if (d == 0) write_result(kernel.rest, head, result_of(kernel, part, log_sum));
  if (!corrects) return;
  if (part.has_room && part.keys != 0) {
    float vector = 0;
#pragma unroll
    for (int i = 0; i < kRestParts; ++i) {
      vector = fmaf(kernel.vectors[(std::int64_t{head} * kRestParts + i) * dim + d], factors[i], vector);
    }
    vector = over_list(vector, part.exponent, log_sum);
    output = (output + vector) / (1 + over_list(part.sums.all, part.exponent, log_sum));
  }
  kernel.rest.rest_output[std::int64_t{head} * dim + d] = output;
}

}  // namespace skt::gpu
