#include "gpu/check/device/library.hpp"

#include <dlfcn.h>
#include <fmt/format.h>

#include <filesystem>

#include "sim/require.hpp"

namespace skt::gpu {
namespace {

// Calls visit(symbol, member of a, member of b) for every function of the interface.
template <class A, class B, class Visit>
void for_each_function(A& a, B& b, Visit&& visit) {
  visit("skt_hash_keys", a.hash_keys, b.hash_keys);
  visit("skt_value_norms", a.value_norms, b.value_norms);
  visit("skt_pack_codes", a.pack_codes, b.pack_codes);
  visit("skt_build_index", a.build_index, b.build_index);
  visit("skt_soft_buckets", a.soft_buckets, b.soft_buckets);
  visit("skt_score_buckets", a.score_buckets, b.score_buckets);
  visit("skt_score_packed", a.score_packed, b.score_packed);
  visit("skt_select_keys", a.select_keys, b.select_keys);
  visit("skt_published_list", a.published_list, b.published_list);
  visit("skt_sparse_attention_workspace_bytes", a.sparse_attention_workspace_bytes, b.sparse_attention_workspace_bytes);
  visit("skt_sparse_attention", a.sparse_attention, b.sparse_attention);
  visit("skt_decode_step_workspace_bytes", a.decode_step_workspace_bytes, b.decode_step_workspace_bytes);
  visit("skt_decode_step", a.decode_step, b.decode_step);
}

template <class Function>
Function symbol(void* handle, const char* name) {
  return reinterpret_cast<Function>(dlsym(handle, name));
}

}  // namespace

Library load_library(const std::string& path) {
  if (!std::filesystem::is_regular_file(path)) {
    refuse("--candidate {}: no such file; allowed is a shared library", path);
  }
  // Without a slash the loader would search its own folders instead of this one.
  const std::string absolute = std::filesystem::absolute(path);
  Library library;
  library.handle = {dlopen(absolute.c_str(), RTLD_NOW | RTLD_LOCAL), [](void* handle) {
                      if (handle != nullptr) dlclose(handle);
                    }};
  if (library.handle == nullptr) {
    refuse("--candidate {}: {}; allowed is a shared library that loads here", path, dlerror());
  }
  const auto version = symbol<decltype(&skt_abi_version)>(library.handle.get(), "skt_abi_version");
  if (version == nullptr) {
    refuse(
        "--candidate {}: has no skt_abi_version; allowed is a library that implements "
        "gpu/socketlab_gpu.h",
        path);
  }
  if (version() != SKT_ABI_VERSION) {
    refuse("--candidate {}: skt_abi_version is {}, allowed is {}", path, version(), SKT_ABI_VERSION);
  }
  int found = 0;
  for_each_function(library, library, [&]<class Function>(const char* name, Function& function, Function&) {
    function = symbol<Function>(library.handle.get(), name);
    found += function != nullptr;
  });
  if (found == 0) refuse("--candidate {}: has no operation of gpu/socketlab_gpu.h", path);
  return library;
}

Library completed(const Library& candidate, const Library& own) {
  Library both = candidate;
  for_each_function(both, own, [](const char*, auto& function, const auto& own_function) {
    if (function == nullptr) function = own_function;
  });
  return both;
}

bool offers(const Library& library, const std::string& operation) {
  if (operation == "hash-keys") return library.hash_keys != nullptr || library.pack_codes != nullptr;
  if (operation == "build-index" || operation == "far-index") return library.build_index != nullptr;
  if (operation == "value-norms") return library.value_norms != nullptr;
  if (operation == "soft-buckets") return library.soft_buckets != nullptr;
  if (operation == "score-buckets" || operation == "bad-codes" || operation == "far-addresses") {
    return library.score_buckets != nullptr;
  }
  if (operation == "score-packed" || operation == "score-signed" || operation == "far-packed") {
    return library.score_packed != nullptr;
  }
  if (operation == "select-keys") return library.select_keys != nullptr;
  if (operation == "published-list") return library.published_list != nullptr;
  if (operation == "sparse-attention" || operation == "far-attention") {
    return library.sparse_attention != nullptr && library.sparse_attention_workspace_bytes != nullptr;
  }
  if (operation == "append-step") {
    return library.decode_step != nullptr && library.decode_step_workspace_bytes != nullptr;
  }
  if (operation == "decode-step" || operation == "decode-signed") {
    // It is compared with its own stages, bit for bit.
    return library.decode_step != nullptr && library.decode_step_workspace_bytes != nullptr &&
           library.soft_buckets != nullptr && library.score_packed != nullptr && library.select_keys != nullptr &&
           offers(library, "sparse-attention");
  }
  return true;  // refusals: of whatever is there; pipeline: the other stages are the project's own
}

}  // namespace skt::gpu
