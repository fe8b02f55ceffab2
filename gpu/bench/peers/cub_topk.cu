// How long does cub::DeviceTopK take for the rows of a selection? A library that gpu/bench/peers/peers.py loads
// (--cub); no build of this project needs it. It wants CCCL 3.3 or later, which the CUDA 13.0 toolkit lacks and
// NVIDIA's wheel has:
//
//   pip download --no-deps nvidia-cuda-cccl==13.3.5.0.6 && unzip -q nvidia_cuda_cccl-*.whl -d cccl
//   nvcc -std=c++20 -O3 -arch=sm_90a -I cccl/nvidia/cu13/include/cccl -shared -Xcompiler -fPIC
//     gpu/bench/peers/cub_topk.cu -o libcub_topk.so
//
// CUB takes one row at a time. Its set is that of the best; which of equal scores are in it, and the order, it leaves
// open. cub::DeviceBatchedTopK of CCCL 3.5 takes many rows, but only such as fit one block.
#include <cuda_runtime.h>

#include <cstdint>
#include <cub/device/device_topk.cuh>
#include <cuda/iterator>
#include <cuda/stream>
#include <cuda/version>

namespace {

constexpr int kMostLanes = 32;

struct Lanes {  // streams that a capture forks into, kept for the life of the process
  cudaStream_t streams[kMostLanes];
  cudaEvent_t begun, ended[kMostLanes];

  Lanes() {
    cudaEventCreateWithFlags(&begun, cudaEventDisableTiming);
    for (int lane = 0; lane < kMostLanes; ++lane) {
      cudaStreamCreateWithFlags(&streams[lane], cudaStreamNonBlocking);
      cudaEventCreateWithFlags(&ended[lane], cudaEventDisableTiming);
    }
  }
};

cudaError_t best_of_row(void* workspace, std::size_t& bytes, const float* scores, float* best, std::int32_t* selected,
                        std::int32_t keys, std::int32_t budget, cudaStream_t stream) {
  const auto wanted = cuda::execution::require(cuda::execution::determinism::not_guaranteed,
                                               cuda::execution::output_ordering::unsorted);
  const auto environment = cuda::std::execution::env{cuda::stream_ref{stream}, wanted};
  return cub::DeviceTopK::MaxPairs(workspace, bytes, scores, best, cuda::counting_iterator<std::int32_t>{0}, selected,
                                   keys, budget, environment);
}

}  // namespace

// As CCCL counts: 3005000 is 3.5.0.
extern "C" int cub_topk_cccl_version() {
  return CCCL_VERSION;
}

// Bytes of workspace for each lane; negative: minus the CUDA error.
extern "C" std::int64_t cub_topk_lane_bytes(std::int32_t keys, std::int32_t budget) {
  std::size_t bytes = 0;
  const cudaError_t status = best_of_row(nullptr, bytes, nullptr, nullptr, nullptr, keys, budget, nullptr);
  const std::size_t rounded = (bytes + 255) / 256 * 256;
  return status == cudaSuccess ? static_cast<std::int64_t>(rounded) : -static_cast<std::int64_t>(status);
}

// Scores [rows, keys]; out: best [rows, budget] and selected [rows, budget]; workspace of lanes * lane_bytes. Rows go
// through the lanes in turn: with 1 lane one after the other, with 32 side by side. Returns the CUDA error.
extern "C" int cub_topk(const float* scores, float* best, std::int32_t* selected, std::int32_t rows, std::int32_t keys,
                        std::int32_t budget, std::int32_t lanes, void* workspace, std::int64_t lane_bytes,
                        cudaStream_t stream) {
  static const Lanes all;
  if (lanes < 1 || lanes > kMostLanes) return cudaErrorInvalidValue;
  cudaError_t status = cudaEventRecord(all.begun, stream);
  for (int lane = 0; lane < lanes && status == cudaSuccess; ++lane) {
    status = cudaStreamWaitEvent(all.streams[lane], all.begun, 0);
    for (std::int64_t row = lane; row < rows && status == cudaSuccess; row += lanes) {
      std::size_t bytes = lane_bytes;
      status = best_of_row(static_cast<char*>(workspace) + lane * lane_bytes, bytes, scores + row * keys,
                           best + row * budget, selected + row * budget, keys, budget, all.streams[lane]);
    }
    if (status == cudaSuccess) status = cudaEventRecord(all.ended[lane], all.streams[lane]);
    if (status == cudaSuccess) status = cudaStreamWaitEvent(stream, all.ended[lane], 0);
  }
  return status;
}
