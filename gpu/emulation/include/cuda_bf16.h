// The toolkit's conversions, which its header has for the host too.
#pragma once

#include <cuda_runtime.h>

#pragma push_macro("__CUDA_ARCH__")
#undef __CUDA_ARCH__
#pragma push_macro("__device__")
#pragma push_macro("__host__")
#pragma push_macro("__forceinline__")
#pragma push_macro("__align__")
#include_next <cuda_bf16.h>
#pragma pop_macro("__align__")
#pragma pop_macro("__forceinline__")
#pragma pop_macro("__host__")
#pragma pop_macro("__device__")
#pragma pop_macro("__CUDA_ARCH__")
