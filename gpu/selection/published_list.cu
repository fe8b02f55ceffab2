// The list of keys that the published code attends to: sink, window and the best of all keys, one after the other.
//
// A key that is two of these stands twice and counts twice in the softmax, so that with every key selected the output
// differs from dense attention: a defect, kept here for comparison only.
// CPU twin: attended_keys in gpu/check/cases/published_profile.hpp. Integers only.
#include <cuda_runtime.h>

#include "gpu/device/launch.cuh"
#include "gpu/functors/lengths.hpp"

namespace skt::gpu {
namespace {

constexpr int kThreads = 256;

// Grid: [rows].
__global__ void __launch_bounds__(kThreads) published_list_kernel(skt_published_list_args args) {
  wait_for_previous_kernel();
  launch_next_kernel();
  const std::int64_t row = blockIdx.x;
  const std::int64_t sink = min(args.list.sink, args.used);
  const std::int64_t window = min(args.list.window, args.used);
  const std::int64_t best = args.counts[row];
  const std::int64_t length = length_of_list(args.list);
  std::int32_t* list = args.selected + row * length;
  for (std::int64_t i = threadIdx.x; i < length; i += kThreads) {
    std::int64_t key = -1;
    if (i < sink) {
      key = i;
    } else if (i < sink + window) {
      key = args.used - window + (i - sink);
    } else if (i < sink + window + best) {
      key = args.best[row * args.list.budget + i - sink - window];
    }
    list[i] = static_cast<std::int32_t>(key);
  }
  if (threadIdx.x == 0) args.list_counts[row] = static_cast<std::int32_t>(sink + window + best);
}

Validation validate(const skt_published_list_args& args, skt_error* error) {
  Validation check(error);
  check.query_heads(args.shape);
  check.in_range("used", args.used, 0, kLargestInt);
  check.list(args.list, 1);
  check.pointer("best", args.best);
  check.pointer("counts", args.counts, 4);
  check.pointer("selected", args.selected);
  check.pointer("list_counts", args.list_counts, 4);
  return check;
}

}  // namespace
}  // namespace skt::gpu

using namespace skt::gpu;

int skt_published_list(const skt_published_list_args* args, CUstream_st* stream, skt_error* error) {
  const Validation check = validate(*args, error);
  if (check.failed()) return check.code();
  Launch shape;
  shape.grid = grid_of(all_rows(args->shape));
  shape.threads = kThreads;
  return launch(published_list_kernel, shape, stream, *args, error);
}
