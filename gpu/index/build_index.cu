// How is index building launched: how are keys, and words of a key, shared among blocks? The kernel:
// gpu/index/build_kernel.cuh.
#include <algorithm>

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

// As many keys to a block as one pass over its hyperplanes allows; where keys are few, the words of a key are shared
// among blocks instead.
template <class Element, int kDim>
int launch_hash(const skt_build_index_args& args, std::int64_t given, CUstream_st* stream, skt_error* error) {
  Device device;
  if (const cudaError_t status = query_device(device); status != cudaSuccess) return cuda_failure(status, error);
  constexpr std::int64_t keys = WarpShape<kDim>::keys;
  constexpr std::int64_t word_bytes = 32 * kDim * 2;
  BuildArguments a = {args, index_pages(args), words_per_key(args.shape.tables, args.shape.planes), 0, 0, given};
  // With lengths the place of the first key within its group is not known here: as many as it may be.
  const std::int64_t before = args.written.lengths == nullptr ? args.written.first % keys : keys - 1;
  a.groups = (before + args.written.count - 1) / keys + 1;
  const std::int64_t key_blocks = ceil_div(args.shape.batch * args.shape.kv_heads * a.groups, kBuildWarps);
  const std::int64_t fit = device.shared_bytes / word_bytes;
  const std::int64_t chunks = std::clamp(device.multiprocessors / key_blocks, ceil_div(a.words, fit), a.words);
  a.words_per_block = ceil_div(a.words, chunks);  // <= fit
  const std::int64_t word_blocks = ceil_div(a.words, a.words_per_block);
  Launch shape;
  a.norms_apart = args.values != nullptr && word_blocks > 1;
  shape.grid = grid_of(std::clamp<std::int64_t>(device.multiprocessors / word_blocks, 1, key_blocks),
                       word_blocks + (a.norms_apart ? 1 : 0));
  shape.threads = kBuildThreads;
  shape.shared_bytes = a.words_per_block * word_bytes;
  shape.carveout = cudaSharedmemCarveoutMaxShared;  // as the stages of a step, whose first follows it there
  return launch(build_index_kernel<Element, kDim>, shape, stream, a, error);
}

template <class Element>
int launch_hash(const skt_build_index_args& args, std::int64_t given, CUstream_st* stream, skt_error* error) {
  return with_dim(args.shape.dim, [&]<int kDim>() { return launch_hash<Element, kDim>(args, given, stream, error); });
}

}  // namespace

int launch_build_index(const skt_build_index_args& args, std::int64_t given, CUstream_st* stream, skt_error* error) {
  return args.type == SKT_F16 ? launch_hash<__half>(args, given, stream, error)
                              : launch_hash<__nv_bfloat16>(args, given, stream, error);
}

}  // namespace skt::gpu

using namespace skt::gpu;

int skt_build_index(const skt_build_index_args* args, CUstream_st* stream, skt_error* error) {
  const int code = check_build_index(*args, error);
  if (code != SKT_OK || args->written.count == 0) return code;
  return launch_build_index(*args, 0, stream, error);
}
