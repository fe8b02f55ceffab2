#include "gpu/check/device/library.hpp"

#include <dlfcn.h>

#include <filesystem>

#include "sim/require.hpp"

namespace skt::gpu {
namespace {

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
    refuse("--candidate {}: has no skt_abi_version; allowed is a library that implements gpu/socketlab_gpu.h", path);
  }
  if (version() != SKT_ABI_VERSION) {
    refuse("--candidate {}: skt_abi_version is {}, allowed is {}", path, version(), SKT_ABI_VERSION);
  }
  int found = 0;
#define SKT_FUNCTION(name)                                                           \
  library.name = symbol<decltype(library.name)>(library.handle.get(), "skt_" #name); \
  found += library.name != nullptr;
#include "gpu/check/device/functions.def"
#undef SKT_FUNCTION
  if (found == 0) refuse("--candidate {}: has no operation of gpu/socketlab_gpu.h", path);
  return library;
}

Library completed(const Library& candidate, const Library& own) {
  Library both = candidate;
#define SKT_FUNCTION(name) \
  if (both.name == nullptr) both.name = own.name;
#include "gpu/check/device/functions.def"
#undef SKT_FUNCTION
  return both;
}

bool Library::offers(Operation operation) const {
  switch (operation) {
#define SKT_OPERATION(operation, name, least_planes, most_planes, check, needs) \
  case Operation::operation:                                                    \
    return needs;
#include "gpu/check/cases/operations.def"
#undef SKT_OPERATION
  }
  return false;
}

}  // namespace skt::gpu
