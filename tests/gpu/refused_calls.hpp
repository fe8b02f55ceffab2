// Calls of the C interface that are refused before anything is read.
#pragma once

#include <cstdint>
#include <string>

#include "gpu/socketlab_gpu.h"

namespace skt::gpu {

// Pointers that look right and are never followed.
template <class T>
T* somewhere(std::uintptr_t offset = 0) {
  return reinterpret_cast<T*>(std::uintptr_t{4096} + offset);
}

// Of no keys: accepted, and nothing launched.
inline skt_score_packed_args good_scores() {
  return {.half_tables = somewhere<const float>(),
          .packed = somewhere<const std::uint32_t>(),
          .norms = somewhere<void>(),
          .scores = somewhere<float>(),
          .shape = {.batch = 1, .heads = 8, .kv_heads = 2, .capacity = 256, .tables = 60, .planes = 10}};
}

// Accepted but for its workspace.
inline skt_sparse_attention_args good_attention() {
  return {.queries = somewhere<void>(),
          .cache = {.keys = somewhere<void>(), .values = somewhere<void>()},
          .selected = somewhere<const std::int32_t>(),
          .counts = somewhere<const std::int32_t>(),
          .output = somewhere<float>(),
          .workspace = somewhere<void>(),
          .shape = {.batch = 1, .heads = 1, .kv_heads = 1, .capacity = 1000, .dim = 64},
          .list = 300,
          .logit_scale = 0.125f};
}

// A step that would be launched.
inline skt_decode_step_args good_step() {
  return {.queries = somewhere<void>(),
          .cache = {.keys = somewhere<void>(), .values = somewhere<void>()},
          .hyperplanes = somewhere<const float>(),
          .packed = somewhere<const std::uint32_t>(),
          .norms = somewhere<void>(),
          .output = somewhere<float>(),
          .workspace = somewhere<void>(),
          .workspace_bytes = INT64_MAX,
          .shape = {.batch = 1, .heads = 8, .kv_heads = 2, .capacity = 256, .dim = 128, .tables = 60, .planes = 10},
          .sequences = {.used = 200},
          .list = {.budget = 20, .sink = 4, .window = 4},
          .scale = 0.125f,
          .temperature = 0.5f,
          .logit_scale = 0.125f,
          .type = SKT_BF16};
}

// The line to one change of the good arguments.
template <class Args, class Change>
std::string refused(int (*function)(const Args*, CUstream_st*, skt_error*), Args args, Change&& change) {
  change(args);
  skt_error error = {};
  return function(&args, nullptr, &error) == SKT_BAD_ARGUMENT ? error.message : "";
}

}  // namespace skt::gpu
