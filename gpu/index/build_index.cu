// What index building refuses, and how it is launched. The kernel: gpu/index/build_kernel.cuh.
#include "gpu/decode/decode_stages.hpp"
#include "gpu/index/build_kernel.cuh"

namespace skt::gpu {

int check_build_index(const skt_build_index_args& args, skt_error* error) {
  Validation check(error);
  check.written(args.written, args.shape);
  check.packed_hash(args.shape);
  check.in_range("type", args.type, SKT_F16, SKT_BF16);
  check.kernel_dim(args.shape.dim);
  check.pointer("keys", args.keys);
  check.pointer("hyperplanes", args.hyperplanes);
  check.pointer("packed", args.packed);
  if (args.values != nullptr || args.norms != nullptr) {  // both or neither
    check.pointer("values", args.values);
    check.pointer("norms", args.norms);
  }
  check.built_pages(args.paged, args.shape);
  return check.code();
}

namespace {

template <class Element, int kDim>
__global__ void __launch_bounds__(32 * kBuildWarps, 1) build_index_kernel(BuildArguments a) {
  wait_for_previous_kernel();
  launch_next_kernel();
  extern __shared__ uint4 planes[];
  build_index<Element, WarpShape<kDim>, kBuildWarps>(a, blockIdx.x, planes);
}

template <class Element, int kDim>
int launch_hash(const BuildStage& stage, CUstream_st* stream, skt_error* error) {
  Device device;
  if (const cudaError_t status = query_device(device); status != cudaSuccess) return cuda_failure(status, error);
  constexpr std::int64_t word_bytes = 32 * kDim * 2;
  const BuildArguments a =
      build_arguments<WarpShape<kDim>>(stage, kBuildWarps, device.shared_bytes / word_bytes, device.multiprocessors);
  Launch shape;
  shape.grid = grid_of(blocks_of(a));
  shape.threads = 32 * kBuildWarps;
  shape.shared_bytes = a.words_per_block * word_bytes;
  shape.carveout = cudaSharedmemCarveoutMaxShared;  // as the stages of a step, whose first follows it there
  return launch(build_index_kernel<Element, kDim>, shape, stream, a, error);
}

template <class Element>
int launch_hash(const BuildStage& stage, CUstream_st* stream, skt_error* error) {
  return with_dim(stage.index.shape.dim, [&]<int kDim>() { return launch_hash<Element, kDim>(stage, stream, error); });
}

}  // namespace

int launch_build_index(const BuildStage& stage, CUstream_st* stream, skt_error* error) {
  return stage.index.type == SKT_F16 ? launch_hash<__half>(stage, stream, error)
                                     : launch_hash<__nv_bfloat16>(stage, stream, error);
}

}  // namespace skt::gpu

using namespace skt::gpu;

int skt_build_index(const skt_build_index_args* args, CUstream_st* stream, skt_error* error) {
  const int code = check_build_index(*args, error);
  if (code != SKT_OK || args->written.count == 0) return code;
  return launch_build_index({*args, 0}, stream, error);
}
