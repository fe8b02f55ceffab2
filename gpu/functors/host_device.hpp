// Marks a function that the CUDA kernels and the host tests share. Plain C++ where no CUDA compiler reads it.
#pragma once

#ifdef __CUDACC__
#define SKT_HD __host__ __device__
#else
#define SKT_HD
#endif
