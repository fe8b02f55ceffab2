// Does the installed library have the version of the installed header?
#include <socketlab_gpu.h>

int main(void) { return skt_abi_version() == SKT_ABI_VERSION ? 0 : 1; }
