// Whose operations does gpu-check run: this project's, or those of a shared library named by the user?
//
// A library need not have every operation: what it lacks is named and skipped. One whose version of the interface
// differs is refused, as it would read other argument structs. A wrong loading would show in a fault, or in
// tests/gpu/check/device/library_test.cpp, which loads a stub without any device.
#pragma once

#include <memory>
#include <string>

#include "gpu/check/cases/field_values.hpp"
#include "gpu/socketlab_gpu.h"

namespace skt::gpu {

// Must fp32 results have the same bits as the documented arithmetic, or lie within the derived bounds only, which any
// order of summation meets?
enum class Agreement { bitwise, derived };

struct Library {
#define SKT_FUNCTION(name) decltype(&skt_##name) name = nullptr;
#include "gpu/check/device/functions.def"
#undef SKT_FUNCTION

  Agreement agreement = Agreement::bitwise;
  std::shared_ptr<void> handle{};  // of the loaded file, open as long as a copy lives

  bool steps() const { return decode_step && decode_step_workspace_bytes; }
  bool stages() const {
    return soft_buckets && score_packed && select_keys && sparse_attention && sparse_attention_workspace_bytes;
  }

  // Has it the functions that the check of an operation needs (the last column of operations.def)?
  bool offers(Operation operation) const;
};

// The project's own operations; in builds with CUDA.
Library built_in_library();

// InputError, naming `path`, if it cannot be loaded, has another version of the interface or none of its operations.
Library load_library(const std::string& path);

// The operations under test in the place of the project's own where they exist: what an operation needs from earlier
// ones then still comes from somewhere.
Library completed(const Library& candidate, const Library& own);

}  // namespace skt::gpu
