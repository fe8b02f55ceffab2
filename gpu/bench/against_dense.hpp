// How far is a decode step from dense attention over the same keys? Dense attention is the operation of
// gpu/attention/attention.cu over a list of all keys, which gpu-check holds against double precision; the softmax mass
// of a selection is the ratio of the two sums of exponentials.
#pragma once

#include "gpu/socketlab_gpu.h"

namespace skt::gpu {

struct Accuracy {
  double output_error = 0;  // |output - dense| / |dense|, median over the query heads
  double softmax_mass = 0;  // what dense attention gives to the selected keys, median over the query heads
};

// Runs the step; `attention` reads the list that the step selects. Waits for the device; std::runtime_error if an
// operation refuses.
Accuracy against_dense(const skt_decode_step_args& step, const skt_sparse_attention_args& attention);

}  // namespace skt::gpu
