// How is the selection launched? Over how many blocks: gpu/selection/spread.cuh. The kernel: gpu/selection/kernel.cuh.
#include "gpu/selection/kernel.cuh"
#include "gpu/selection/spread.cuh"

namespace skt::gpu {

int check_select_keys(const skt_select_keys_args& args, skt_error* error) {
  Validation check(error);
  check.query_heads(args.shape);
  check.capacity(args.shape);
  check.sequences(args.sequences, args.shape);
  check.list(args.list);
  check.score_type(args.score_type);
  if (args.score_type == SKT_BF16) check.multiple_of("capacity of bf16 scores", args.shape.capacity, kEight);
  check.pointer("scores", args.scores);
  check.pointer("selected", args.selected);
  check.pointer("counts", args.counts, 4);
  return check.code();
}

namespace {

template <class Score>
int launch_of(const SelectionArguments& kernel, CUstream_st* stream, skt_error* error) {
  const auto select = select_keys_kernel<Score>;
  Launch shape;
  if (const cudaError_t status =
          choose_spread<Score>(select, {all_rows(kernel.args.shape), kernel.args.sequences.used}, shape);
      status != cudaSuccess) {
    return cuda_failure(status, error);
  }
  return launch(select, shape, stream, kernel, error);
}

}  // namespace

int launch_select_keys(const skt_select_keys_args& args, const RowBins& bins, const RowProgress& progress,
                       const RestStage& rest, Inputs inputs, int unscored, CUstream_st* stream, skt_error* error) {
  const SelectionArguments kernel = {args, bins, progress, inputs, rest_ends(rest), unscored};
  return args.score_type == SKT_BF16 ? launch_of<std::uint16_t>(kernel, stream, error)
                                     : launch_of<float>(kernel, stream, error);
}

}  // namespace skt::gpu

int skt_select_keys(const skt_select_keys_args* args, CUstream_st* stream, skt_error* error) {
  using namespace skt::gpu;
  if (const int code = check_select_keys(*args, error); code != SKT_OK) return code;
  return launch_select_keys(*args, {}, {}, {}, Inputs::may_be_in_flight, 0, stream, error);
}
