#include "gpu/check/device/library.hpp"

namespace skt::gpu {

Library built_in_library() {
  Library own;
#define SKT_FUNCTION(name) own.name = &skt_##name;
#include "gpu/check/device/functions.def"
#undef SKT_FUNCTION
  return own;
}

}  // namespace skt::gpu
