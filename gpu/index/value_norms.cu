// Euclidean norm of each value row (paper, Algorithm 4: the value-aware factor; published as fp16 or bf16).
//
// CPU twin: row_norms in estimators/weighted_output.hpp; gpu/check/references/host_twin.hpp repeats this arithmetic bit
// for bit.
// Arithmetic: fp32 sum of squares by fused multiply-add in order of the coordinate, correctly rounded square root,
// rounding to fp16 or bf16. A norm above 65504, the largest fp16 number, is kept as 65504 unless the published overflow
// is asked for.
// Error: relative, at most 2^-11 (fp16; bf16: 2^-8) plus (dim/2 + 1) * 2^-24; absolute 2^-25 below the normal range of
// fp16.
#include <cuda_runtime.h>

#include "gpu/device/element.cuh"
#include "gpu/device/launch.cuh"
#include "gpu/functors/index_pages.hpp"
#include "gpu/functors/lengths.hpp"
#include "gpu/index/value_norm.cuh"

namespace skt::gpu {
namespace {

constexpr int kThreads = 128;

// Grid: [ceil(count / kThreads), batch * kv_heads]; one thread to a row.
template <class Element>
__global__ void __launch_bounds__(kThreads) value_norms_kernel(PagedArguments<skt_value_norms_args> kernel) {
  wait_for_previous_kernel();
  launch_next_kernel();
  const skt_value_norms_args& args = kernel.args;
  const std::int64_t offset = std::int64_t{blockIdx.x} * kThreads + threadIdx.x;
  const KeyRange range = appended_keys(args, to_int(blockIdx.y / args.shape.kv_heads));
  const std::int64_t key = range.begin + offset;
  if (key >= range.end) return;
  const auto* value =
      static_cast<const Element*>(args.values) + cache_rows(args, blockIdx.y, key).first * args.shape.dim;
  const std::int64_t place = norm_place(args, kernel.pages, blockIdx.y, key);
  const float norm = row_norm(value, to_int(args.shape.dim));
  if (args.form == SKT_NORM_BF16) {
    static_cast<__nv_bfloat16*>(args.norms)[place] = __float2bfloat16_rn(norm);
  } else {
    static_cast<__half*>(args.norms)[place] = args.form == SKT_NORM_F16 ? saturated_half(norm) : __float2half_rn(norm);
  }
}

Validation validate(const skt_value_norms_args& args, skt_error* error) {
  Validation check(error);
  check.written(args.written, args.shape);
  check.vector_dim(args.shape.dim);
  check.type("value_type", args.value_type);
  check.in_range("form", args.form, SKT_NORM_F16, SKT_NORM_BF16);
  check.pointer("values", args.values);
  check.pointer("norms", args.norms);
  check.built_pages(args.paged, args.shape);
  return check;
}

}  // namespace
}  // namespace skt::gpu

using namespace skt::gpu;

int skt_value_norms(const skt_value_norms_args* args, CUstream_st* stream, skt_error* error) {
  const Validation check = validate(*args, error);
  if (check.failed() || args->written.count == 0) return check.code();
  const Launch shape = thread_to_a_key(args->written.count, kThreads, args->shape.batch * args->shape.kv_heads);
  const PagedArguments<skt_value_norms_args> kernel = {*args, index_pages(*args)};
  return with_element(args->value_type, [&]<class Element>(const Element*) {
    return launch(value_norms_kernel<Element>, shape, stream, kernel, error);
  });
}
