// How is the first kernel of a step launched that appends keys? The kernel: gpu/scores/buckets_kernel.cuh.
#include "gpu/scores/buckets_kernel.cuh"

namespace skt::gpu {

int launch_appending_buckets(const BucketArguments& args, const skt_build_index_args& append, std::int64_t given,
                             CUstream_st* stream, skt_error* error) {
  Device device;
  if (const cudaError_t status = query_device(device); status != cudaSuccess) return cuda_failure(status, error);
  const auto launch_of = [&]<class Element, int dim>() {
    // One word of a key to a block, so that blocks are many and short.
    const BuildArguments build =
        build_arguments<WarpShape<dim, true>>(append, given, kBucketWarps, 1, device.multiprocessors);
    Launch shape = bucket_launch(args, blocks_of(build));
    shape.shared_bytes = build.words_per_block * (32 * dim * 2);
    return launch(soft_buckets_kernel<Element, dim>, shape, stream, FirstArguments{args, build}, error);
  };
  return with_dim(append.shape.dim, [&]<int dim>() {
    return append.type == SKT_F16 ? launch_of.template operator()<__half, dim>()
                                  : launch_of.template operator()<__nv_bfloat16, dim>();
  });
}

}  // namespace skt::gpu
