// The one function that a library must have to be loaded by `socketlab gpu-check --candidate`.
#include <socketlab_gpu.h>

int skt_abi_version(void) { return SKT_ABI_VERSION; }
