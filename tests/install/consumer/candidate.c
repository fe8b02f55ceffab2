// A library with the interface's version and one of its operations, which says that it does not have this case: what
// `socketlab gpu-check --candidate` loads before it asks for a device.
#include <socketlab_gpu.h>

int skt_abi_version(void) { return SKT_ABI_VERSION; }

int skt_value_norms(const skt_value_norms_args* args, struct CUstream_st* stream, skt_error* error) {
  (void)args, (void)stream, (void)error;
  return SKT_UNSUPPORTED;
}
