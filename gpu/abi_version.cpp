// Which argument structs does this library read?
#include "gpu/socketlab_gpu.h"

int skt_abi_version() {
  return SKT_ABI_VERSION;
}
