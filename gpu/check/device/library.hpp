// Whose operations does gpu-check run: this project's, or those of a shared library named by the user?
//
// A library need not have every operation: what it lacks is named and skipped. One whose version of the
// interface differs is refused, as it would read other argument structs. A wrong loading would show in a
// fault, or in tests/gpu/check/device/library_test.cpp, which loads a stub without any device.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "gpu/socketlab_gpu.h"

namespace skt::gpu {

// Must fp32 results have the same bits as the documented arithmetic, or lie within the derived bounds only,
// which any order of summation meets?
enum class Agreement { bitwise, derived };

struct Library {
  decltype(&skt_hash_keys) hash_keys = nullptr;
  decltype(&skt_value_norms) value_norms = nullptr;
  decltype(&skt_pack_codes) pack_codes = nullptr;
  decltype(&skt_build_index) build_index = nullptr;
  decltype(&skt_soft_buckets) soft_buckets = nullptr;
  decltype(&skt_score_buckets) score_buckets = nullptr;
  decltype(&skt_score_packed) score_packed = nullptr;
  decltype(&skt_select_keys) select_keys = nullptr;
  decltype(&skt_published_list) published_list = nullptr;
  decltype(&skt_sparse_attention_workspace_bytes) sparse_attention_workspace_bytes = nullptr;
  decltype(&skt_sparse_attention) sparse_attention = nullptr;
  decltype(&skt_decode_step_workspace_bytes) decode_step_workspace_bytes = nullptr;
  decltype(&skt_decode_step) decode_step = nullptr;

  Agreement agreement = Agreement::bitwise;
  std::shared_ptr<void> handle{};  // of the loaded file, open as long as a copy lives
};

// The project's own operations; in builds with CUDA.
Library built_in_library();

// InputError, naming `path`, if it cannot be loaded, has another version of the interface or none of its
// operations.
Library load_library(const std::string& path);

// The operations under test in the place of the project's own where they exist: what an operation needs from
// earlier ones then still comes from somewhere.
Library completed(const Library& candidate, const Library& own);

// Which of check_operations() the library has the functions for.
bool offers(const Library& library, const std::string& operation);

}  // namespace skt::gpu
