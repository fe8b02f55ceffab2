// A library for the tests of loading one: an operation that runs on the host, another version of the
// interface, or nothing at all.
#include "gpu/socketlab_gpu.h"

#ifdef SKT_STUB_VERSION
int skt_abi_version() {
  return SKT_STUB_VERSION;
}
#endif

#ifdef SKT_STUB_OPERATION
int skt_value_norms(const skt_value_norms_args* args, CUstream_st*, skt_error*) {
  return args->shape.dim == 64 ? SKT_OK : SKT_UNSUPPORTED;
}
#endif
