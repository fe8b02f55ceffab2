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
  check.score_type(args.score_type);
  if (args.score_type == SKT_BF16) check.multiple_of("capacity of bf16 scores", args.capacity, kEight);
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

template <class Score>
int launch_of(const SelectionArguments& kernel, CUstream_st* stream, skt_error* error) {
  Launch shape;
  if (const cudaError_t status =
          choose_spread<Score>(select_keys_kernel<Score>, {kernel.args.rows, kernel.args.keys}, shape);
      status != cudaSuccess) {
    return cuda_failure(status, error);
  }
  return launch(select_keys_kernel<Score>, shape, stream, kernel, error);
}

}  // namespace

int check_select_keys(const skt_select_keys_args& args, skt_error* error) {
  return validate(args, error).code();
}

int launch_select_keys(const skt_select_keys_args& args, const RowBins& bins, const RowProgress& progress,
                       Inputs inputs, CUstream_st* stream, skt_error* error) {
  const Validation check = validate(args, error);
  if (check.failed()) return check.code();
  const SelectionArguments kernel = {args, bins, progress, inputs};
  return args.score_type == SKT_BF16 ? launch_of<std::uint16_t>(kernel, stream, error)
                                     : launch_of<float>(kernel, stream, error);
}

}  // namespace skt::gpu

int skt_select_keys(const skt_select_keys_args* args, CUstream_st* stream, skt_error* error) {
  return skt::gpu::launch_select_keys(*args, {}, {}, skt::gpu::Inputs::may_be_in_flight, stream, error);
}
