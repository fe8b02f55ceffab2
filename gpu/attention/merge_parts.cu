// Merges the parts that ranks have of the same rows, each over its own keys, in the order of the ranks.
//
// CPU twin: twin_merged_parts in gpu/check/references/shards.hpp; vector and sum with the same bits.
// Functors: gpu/functors/softmax_merge.hpp, which rescales by powers of two: exact, but for what falls below the smallest
// normal number.
// Error: that of gpu/attention/attention.cu with an addition more to a rank, in the vector and in the sum:
//   |output - exact| <= (2 E + (list + 40 + 2 ranks) u) A + list 2^-124 max |v|, with 280 for 40 on the tensor cores.
// The grouping of the sums follows the runs of keys and the blocks of each rank's attention, so that other runs may give
// other bits; of one rank the bits are those of skt_sparse_attention over the same list.
// Bytes: 4 (dim + 2) to a row and rank.
#include <cuda_runtime.h>

#include "gpu/device/element.cuh"
#include "gpu/device/launch.cuh"
#include "gpu/functors/softmax_merge.hpp"

namespace skt::gpu {
namespace {

constexpr std::int64_t kMostRanks = 1024;

// Grid: [rows]; a thread to a coordinate.
template <int dim>
__global__ void __launch_bounds__(dim) merge_ranks_kernel(skt_merge_parts_args args) {
  launch_next_kernel();
  wait_for_previous_kernel();
  const std::int64_t row = blockIdx.x;
  const int d = threadIdx.x;
  SoftmaxPart<float> total;
  float vector = 0;
  for (std::int64_t rank = 0; rank < args.ranks; ++rank) {
    const float* part = args.parts + (rank * gridDim.x + row) * (dim + 2);
    const SoftmaxMerge<float> both = merge(total, SoftmaxPart<float>{part[dim], part[dim + 1]});
    vector = vector * both.left_factor + part[d] * both.right_factor;
    total = both.merged;
  }
  args.output[row * dim + d] = vector / total.sum;  // 0/0 = NaN where no rank has a key
  if (args.log_sum_exp != nullptr && d == 0) args.log_sum_exp[row] = log_sum_exp(total);
}

Validation validate(const skt_merge_parts_args& args, skt_error* error) {
  Validation check(error);
  check.in_range("ranks", args.ranks, 1, kMostRanks);
  check.query_heads(args.shape);
  check.kernel_dim(args.shape.dim);
  check.pointer("parts", args.parts);
  check.pointer("output", args.output);
  check.optional_pointer("log_sum_exp", args.log_sum_exp, 4);
  return check;
}

}  // namespace
}  // namespace skt::gpu

using namespace skt::gpu;

int skt_merge_parts(const skt_merge_parts_args* args, CUstream_st* stream, skt_error* error) {
  const Validation check = validate(*args, error);
  if (check.failed()) return check.code();
  Launch shape;
  shape.grid = grid_of(all_rows(args->shape));
  shape.threads = to_int(args->shape.dim);
  return with_dim(args->shape.dim,
                  [&]<int dim>() { return launch(merge_ranks_kernel<dim>, shape, stream, *args, error); });
}
