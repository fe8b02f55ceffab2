// The toolkit's conversions, which its header has for the host too.
#pragma once

#include <cuda_runtime.h>

#pragma push_macro("__CUDA_ARCH__")
#undef __CUDA_ARCH__
#pragma push_macro("__device__")
#pragma push_macro("__host__")
#pragma push_macro("__forceinline__")
#pragma push_macro("__align__")
#include_next <cuda_fp16.h>
#pragma pop_macro("__align__")
#pragma pop_macro("__forceinline__")
#pragma pop_macro("__host__")
#pragma pop_macro("__device__")
#pragma pop_macro("__CUDA_ARCH__")

// These the toolkit has for the device alone.
inline __half __hfma(__half a, __half b, __half c) {
  const auto bits = [](__half x) { return static_cast<__half_raw>(x).x; };
  return __half(__half_raw{skt::emulation::fused_halves(bits(a), bits(b), bits(c))});
}
inline __half2 __hfma2(__half2 a, __half2 b, __half2 c) {
  return {__hfma(a.x, b.x, c.x), __hfma(a.y, b.y, c.y)};
}
