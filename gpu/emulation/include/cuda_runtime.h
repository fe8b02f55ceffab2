// The toolkit's header as a host compiler reads it, and behind it what a kernel's source needs (kernel_language.hpp).
// Stands before the toolkit's in the search for headers, in the translated kernels alone.
#pragma once

#pragma push_macro("__CUDA_ARCH__")
#undef __CUDA_ARCH__
#define cudaLaunchKernelEx toolkit_cudaLaunchKernelEx
#include_next <cuda_runtime.h>
#undef cudaLaunchKernelEx
#pragma pop_macro("__CUDA_ARCH__")

#include "gpu/emulation/kernel_language.hpp"
