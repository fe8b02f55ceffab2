// Merges the parts of each row's attention to its output. Beside it, where a step appends keys, it builds their index.
//
// Arithmetic and error: gpu/attention/attention.cu. Blocks that build the index come first and wait for nothing, so that
// they run while others attend. No stage of the step reads what they write (gpu/decode/decode_step.cpp).
#include <cuda_runtime.h>

#include "gpu/attention/arguments.cuh"
#include "gpu/attention/rest_result.cuh"
#include "gpu/device/element.cuh"
#include "gpu/device/launch.cuh"
#include "gpu/index/build_kernel.cuh"

namespace skt::gpu {
namespace {

struct MergeArguments {
  AttentionArguments attention;
  BuildArguments append;
};

// Grid: [blocks that append + batch * query rows * heads].
template <int dim, bool has_rest, bool appends>
__global__ void __launch_bounds__(kAttentionThreads) merge_rows_kernel(MergeArguments a) {
  launch_next_kernel();
  int row = static_cast<int>(blockIdx.x);
  if constexpr (appends) {
    extern __shared__ uint4 planes[];
    const unsigned blocks = blocks_of(a.append);
    if (blockIdx.x < blocks) {
      return a.append.index.type == SKT_F16
                 ? build_index<__half, WarpShape<dim, true>, kAttentionWarps>(a.append, blockIdx.x, planes)
                 : build_index<__nv_bfloat16, WarpShape<dim, true>, kAttentionWarps>(a.append, blockIdx.x, planes);
    }
    row -= to_int(blocks);
  }
  wait_for_previous_kernel();
  const AttentionArguments& kernel = a.attention;
  Target target = target_of<1>(kernel, row);
  if (share_lists(kernel.args)) {
    target.list = row / to_int(kernel.args.shape.heads) * to_int(kernel.args.shape.kv_heads) + target.kv_head;
  }
  const Attended attended = attended_of(kernel.args, target);
  const Parts parts = parts_of(kernel, attended.whole);
  const auto rest = [&] {
    if constexpr (has_rest) {
      const int slot = target.list * kernel.passes * kMostRestParts;
      const DrawnRow drawn = attended.whole ? DrawnRow{} : drawn_for_list(kernel.rest, slot);
      if (row == target.list * heads_to_list(kernel.args)) {
        tell_keys<kAttentionThreads>(kernel.rest, target.list, slot, drawn);
      }
      return RestOfHead(kernel.rest, drawn, row);
    } else {
      return 0;
    }
  }();
  const float value_scale = scale_of(kernel.args.cache.value_scales, target.kv_head);
  merge_parts<kAttentionThreads, dim>(
      parts, row, parts.used(attended.count), [&](int d, float vector, const Part& total) {
        const skt_sparse_attention_args& args = kernel.args;
        vector *= value_scale;  // before the division, as skt_merge_parts divides a part: one rank's bits are the same
        if (args.part != nullptr) {
          float* part = args.part + std::int64_t{row} * (dim + 2);
          part[d] = vector;
          if (d == 0) part[dim] = total.exponent;
          if (d == 1) part[dim + 1] = total.sum;
          return;
        }
        const float output = vector / total.sum;  // 0/0 = NaN for an empty selection
        store_as(args.output_type, args.output, std::int64_t{row} * dim + d, output);
        if (args.log_sum_exp != nullptr && d == 0) args.log_sum_exp[row] = log_sum_exp(total);
        if constexpr (has_rest) {
          write_rest<dim>(kernel.rest, rest, row, d, output, log_sum_exp(total));
        }
      });
}

template <int dim, bool has_rest>
int launch_for(const AttentionArguments& kernel, const BuildStage& append, CUstream_st* stream, skt_error* error) {
  MergeArguments a = {kernel, {}};
  Launch shape;
  shape.threads = kAttentionThreads;
  shape.carveout = cudaSharedmemCarveoutMaxShared;
  const std::int64_t rows = all_rows(kernel.args.shape);
  shape.grid = grid_of(rows);
  if (!append.any()) return launch(merge_rows_kernel<dim, has_rest, false>, shape, stream, a, error);
  Device device;
  if (const cudaError_t status = query_device(device); status != cudaSuccess) return cuda_failure(status, error);
  // One word of a key to a block, so that blocks are many and short.
  a.append = build_arguments<WarpShape<dim, true>>(append, kAttentionWarps, 1, device.multiprocessors);
  shape.grid = grid_of(blocks_of(a.append) + rows);
  shape.shared_bytes = a.append.words_per_block * (32 * dim * 2);
  return launch(merge_rows_kernel<dim, has_rest, true>, shape, stream, a, error);
}

}  // namespace

int launch_merge_rows(const AttentionArguments& kernel, const BuildStage& append, CUstream_st* stream,
                      skt_error* error) {
  return with_dim(kernel.args.shape.dim, [&]<int dim>() {
    // A step with a rest has kernels of its own: others would be slower for what they do not do.
    return kernel.rest.samples() ? launch_for<dim, true>(kernel, append, stream, error)
                                 : launch_for<dim, false>(kernel, append, stream, error);
  });
}

}  // namespace skt::gpu
