// How is the selection launched? Over how many blocks: gpu/selection/spread.cuh. The kernel: gpu/selection/kernel.cuh.
#include "gpu/selection/kernel.cuh"
#include "gpu/selection/spread.cuh"

namespace skt::gpu {
namespace {

Validation validate(const skt_select_keys_args& args, skt_error* error) {
  Validation check(error);
  check.in_range("rows", args.rows, 1, 65535);
  check.cache(args.capacity);
  check.in_range("keys", args.keys, 0, args.capacity);
  check.list(args.budget, args.sink, args.window);
  check.sparsity(args.sparsity);
  check.pointer("scores", args.scores);
  check.pointer("selected", args.selected);
  check.pointer("counts", args.counts, 4);
  check.optional_pointer("lengths", args.lengths, 4);
  check.in_range("query_rows", args.query_rows, 0, kMostQueryRows);
  if (!check.failed() && (args.lengths != nullptr || args.query_rows > 1)) {
    check.in_range("rows_per_length", args.rows_per_length, 1, args.rows);
    if (!check.failed()) check.multiple_of("rows", args.rows, args.rows_per_length * query_rows_of(args.query_rows));
  }
  return check;
}

}  // namespace

int check_select_keys(const skt_select_keys_args& args, skt_error* error) {
  return validate(args, error).code();
}

int launch_select_keys(const skt_select_keys_args& args, const RowBins& bins, const RowProgress& progress,
                       Inputs inputs, CUstream_st* stream, skt_error* error) {
  const Validation check = validate(args, error);
  if (check.failed()) return check.code();
  Launch shape;
  if (const cudaError_t status = choose_spread(select_keys_kernel, {args.rows, args.keys}, shape);
      status != cudaSuccess) {
    return cuda_failure(status, error);
  }
  return launch(select_keys_kernel, shape, stream, {args, bins, progress, inputs}, error);
}

}  // namespace skt::gpu

int skt_select_keys(const skt_select_keys_args* args, CUstream_st* stream, skt_error* error) {
  return skt::gpu::launch_select_keys(*args, {}, {}, skt::gpu::Inputs::may_be_in_flight, stream, error);
}
