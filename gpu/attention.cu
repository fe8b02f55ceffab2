// Softmax attention of each query over its selected keys: parts of the list, then one merge (split decode
// attention).
//
// CPU twin: sparse_attention in estimators/attention.hpp. Functor: gpu/softmax_merge.hpp.
// Arithmetic: fp32; a logit sums its coordinates by chunks of 16 bytes and a butterfly; running softmax in
// each group of lanes, groups, warps and parts merged in a fixed order: the same bits on every run. Error of
// the output, absolute, to first order, u = 2^-24, with V the largest |v| and E = (dim + 8) u max_j
// s|q|.|k_j| the error of a logit: |output - exact| <= (2 E + (list + 40) u) V. Bytes: keys and values of the
// selection once: 2 * dim * element to a selected key; and 8 * dim bytes of parts to 128 of them.
#include <cuda_pipeline_primitives.h>
#include <cuda_runtime.h>

#include <algorithm>
#include <cstddef>

#include "gpu/decode_stages.hpp"
#include "gpu/element.cuh"
#include "gpu/launch.cuh"
#include "gpu/softmax_merge.hpp"

namespace skt::gpu {
namespace {

constexpr int kWarps = 4;
constexpr int kThreads = 32 * kWarps;
constexpr int kBlocksPerMultiprocessor = 4;  // 16 warps, each with its ring of copies in flight
constexpr int kFewestPartKeys = 64;          // of the list, to a block
constexpr int kStageBytes = 4096;            // of keys and values to a warp: one round of copies
constexpr std::int64_t kMostParts = 512;     // of a row: one row alone fills the device
constexpr int kStages = 3;                   // 4 blocks * 4 warps * 3 * 4 KB = 192 of 228 KB

using Part = SoftmaxPart<float>;

// What a thread holds of a row of `dim` elements: `chunks` times 16 bytes; `lanes` threads hold a row.
template <class Element, int dim>
struct RowLayout {
  static constexpr int all_chunks = dim / kPerLoad<Element>;
  static constexpr int lanes = all_chunks < 32 ? all_chunks : 32;
  static constexpr int chunks = all_chunks / lanes;
  static constexpr int groups = 32 / lanes;  // rows to a warp at a time
  static constexpr int held = chunks * kPerLoad<Element>;
  // Element i of the thread's `held` is coordinate coordinate(lane, i) of the row.
  __device__ static int coordinate(int lane, int i) {
    return (i / kPerLoad<Element> * lanes + lane % lanes) * kPerLoad<Element> + i % kPerLoad<Element>;
  }
};

template <class Element, int dim>
struct HeldRow {
  Chunk<Element> chunk[RowLayout<Element, dim>::chunks];

  __device__ float operator[](int i) const {
    return to_float(chunk[i / kPerLoad<Element>].element[i % kPerLoad<Element>]);
  }
};

// Partial softmax average of a group of lanes; each holds its own coordinates of the vector.
template <class Element, int dim>
struct Accumulator {
  static constexpr int held = RowLayout<Element, dim>::held;
  Part part;
  float vector[held] = {};

  __device__ void rescale(float max) {
    const float factor = rescale_factor(part.max, max);
    part = {max, part.sum * factor};
#pragma unroll
    for (int i = 0; i < held; ++i) vector[i] *= factor;
  }
  __device__ void add(float logit, const HeldRow<Element, dim>& value) {
    const float weight = expf(logit - part.max);
    part.sum += weight;
#pragma unroll
    for (int i = 0; i < held; ++i) vector[i] = fmaf(weight, value[i], vector[i]);
  }
  // Merges with the group `lanes` away.
  __device__ void merge_across(int lanes) {
    const Part other = {__shfl_xor_sync(~0u, part.max, lanes), __shfl_xor_sync(~0u, part.sum, lanes)};
    const SoftmaxMerge<float> both = merge(part, other);
    part = both.merged;
#pragma unroll
    for (int i = 0; i < held; ++i) {
      vector[i] = vector[i] * both.left_factor + __shfl_xor_sync(~0u, vector[i], lanes) * both.right_factor;
    }
  }
};

template <class Element, int dim>
__device__ float dot(const float (&query)[RowLayout<Element, dim>::held], const HeldRow<Element, dim>& key) {
  using Layout = RowLayout<Element, dim>;
  float sum = 0;
#pragma unroll
  for (int i = 0; i < Layout::held; ++i) sum = fmaf(query[i], key[i], sum);
#pragma unroll
  for (int lanes = Layout::lanes / 2; lanes > 0; lanes /= 2) sum += __shfl_xor_sync(~0u, sum, lanes);
  return sum;
}

// The copies of a warp in flight: kStages rounds of `at_once` keys and values to each group of lanes. A lane
// copies what it alone reads, so that nothing but its own waits orders them.
template <class Element, int dim>
class Ring {
 public:
  using Layout = RowLayout<Element, dim>;
  static constexpr int row_bytes = dim * static_cast<int>(sizeof(Element));
  static constexpr int keys = kStageBytes / (2 * row_bytes);  // to a stage
  static constexpr int at_once = keys / Layout::groups;
  static_assert(at_once * Layout::groups == keys && 32 % keys == 0);

  __device__ Ring(std::byte* memory, const skt_sparse_attention_args& args, std::int64_t kv_row,
                  const std::int32_t* list, int begin, int end)
      : memory_(memory + threadIdx.x / 32 * kStages * kStageBytes),
        keys_(static_cast<const Element*>(args.keys) + kv_row * args.capacity * dim),
        values_(static_cast<const Element*>(args.values) + kv_row * args.capacity * dim),
        list_(list),
        next_(begin),
        end_(end),
        next_entries_(entries_from(begin)) {}

  // Starts the copies of the next `keys` entries of the list; behind its end an empty round.
  __device__ void start() {
    if (filled_ % 32 == 0) {  // entries are read 32 at a time, one read ahead
      entries_ = next_entries_;
      next_entries_ = entries_from(next_ + 32);
    }
    std::byte* stage = memory_ + start_slot_ * kStageBytes;
#pragma unroll
    for (int i = 0; i < at_once; ++i) {
      const int position = i * Layout::groups + lane() / Layout::lanes;
      const int key = __shfl_sync(~0u, entries_, (filled_ + position) % 32);
      if (next_ + position >= end_) continue;
      const std::int64_t row = static_cast<std::int64_t>(key) * dim;
#pragma unroll
      for (int c = 0; c < Layout::chunks; ++c) {
        const int column = (c * Layout::lanes + lane() % Layout::lanes) * kPerLoad<Element>;
        __pipeline_memcpy_async(chunk(stage, 0, i, c), keys_ + row + column, 16);
        __pipeline_memcpy_async(chunk(stage, 1, i, c), values_ + row + column, 16);
      }
    }
    __pipeline_commit();
    next_ += keys;
    filled_ += keys;
    start_slot_ = (start_slot_ + 1) % kStages;
  }
  // The oldest round started, once it has come.
  __device__ void take(HeldRow<Element, dim> (&key)[at_once], HeldRow<Element, dim> (&value)[at_once]) {
    __pipeline_wait_prior(kStages - 2);  // all but the rounds after it
    std::byte* stage = memory_ + take_slot_ * kStageBytes;
#pragma unroll
    for (int i = 0; i < at_once; ++i) {
#pragma unroll
      for (int c = 0; c < Layout::chunks; ++c) {
        key[i].chunk[c] = load_chunk(reinterpret_cast<const Element*>(chunk(stage, 0, i, c)));
        value[i].chunk[c] = load_chunk(reinterpret_cast<const Element*>(chunk(stage, 1, i, c)));
      }
    }
    take_slot_ = (take_slot_ + 1) % kStages;
  }

 private:
  __device__ static int lane() { return static_cast<int>(threadIdx.x % 32); }
  __device__ int entries_from(int position) const {
    return position + lane() < end_ ? list_[position + lane()] : 0;
  }
  __device__ static std::byte* chunk(std::byte* stage, int value, int i, int c) {
    return stage + (((value * at_once + i) * Layout::chunks + c) * 32 + lane()) * 16;
  }

  std::byte* memory_;
  const Element* keys_;
  const Element* values_;
  const std::int32_t* list_;
  int next_, end_;
  int filled_ = 0;
  int start_slot_ = 0;
  int take_slot_ = 0;
  int entries_ = 0;
  int next_entries_;
};

// Adds one round of the ring to a group's sum; `left` keys of the list begin at its first.
template <class Element, int dim>
__device__ void add_round(Ring<Element, dim>& ring, const float (&query)[RowLayout<Element, dim>::held],
                          float logit_scale, int left, Accumulator<Element, dim>& sum) {
  using Layout = RowLayout<Element, dim>;
  constexpr int at_once = Ring<Element, dim>::at_once;
  HeldRow<Element, dim> keys[at_once];
  HeldRow<Element, dim> values[at_once];
  ring.take(keys, values);
  const int group = static_cast<int>(threadIdx.x % 32) / Layout::lanes;
  float logits[at_once];
  float max = sum.part.max;
#pragma unroll
  for (int i = 0; i < at_once; ++i) {
    logits[i] = dot<Element, dim>(query, keys[i]) * logit_scale;
    if (i * Layout::groups + group < left) max = fmaxf(max, logits[i]);
  }
  sum.rescale(max);
#pragma unroll
  for (int i = 0; i < at_once; ++i) {
    if (i * Layout::groups + group < left) sum.add(logits[i], values[i]);
  }
}

// The workspace: every part's vector [rows, parts, dim], its maximum and sum [rows, parts], and how many parts
// of a row are done [rows].
struct Parts {
  float* vectors;
  Part* softmax;
  std::uint32_t* done;
  int parts;
};

struct KernelArguments {
  skt_sparse_attention_args args;
  Parts parts;
};

// The parts of a row, merged in their order by all threads of a block.
template <int dim>
__device__ void merge_parts(const skt_sparse_attention_args& args, const Parts& parts, std::int64_t row,
                            int used) {
  const Part* softmax = parts.softmax + row * parts.parts;
  const float* vectors = parts.vectors + row * parts.parts * dim;
  __shared__ float factors[kMostParts];
  __shared__ float sums[kMostParts];
  for (int i = threadIdx.x; i < used; i += kThreads) {
    factors[i] = __ldcg(&softmax[i].max);
    sums[i] = __ldcg(&softmax[i].sum);
  }
  __syncthreads();
  float max = -INFINITY;
  for (int i = 0; i < used; ++i) max = fmaxf(max, factors[i]);
  for (int d = threadIdx.x; d < dim; d += kThreads) {
    Part total = {max, 0};
    float vector = 0;
#pragma unroll 16
    for (int i = 0; i < used; ++i) {
      const float factor = rescale_factor(factors[i], max);
      total.sum = fmaf(sums[i], factor, total.sum);
      vector = fmaf(__ldcg(&vectors[i * dim + d]), factor, vector);
    }
    args.output[row * dim + d] = vector / total.sum;  // 0/0 = NaN for an empty selection
    if (args.log_sum_exp != nullptr && d == 0) args.log_sum_exp[row] = log_sum_exp(total);
  }
}

// The warps' sums of a block as one part of the row, in the workspace.
template <class Element, int dim>
__device__ void write_part(const Parts& parts, std::int64_t slot, const Accumulator<Element, dim>& sum) {
  using Layout = RowLayout<Element, dim>;
  __shared__ float vectors[kWarps][dim];
  __shared__ Part softmax[kWarps];
  const int warp = threadIdx.x / 32;
  const int lane = threadIdx.x % 32;
  if (lane < Layout::lanes) {
#pragma unroll
    for (int i = 0; i < Layout::held; ++i) vectors[warp][Layout::coordinate(lane, i)] = sum.vector[i];
  }
  if (lane == 0) softmax[warp] = sum.part;
  __syncthreads();
  float max = softmax[0].max;
  for (int w = 1; w < kWarps; ++w) max = fmaxf(max, softmax[w].max);
  for (int d = threadIdx.x; d < dim; d += kThreads) {
    float vector = 0;
    for (int w = 0; w < kWarps; ++w)
      vector = fmaf(vectors[w][d], rescale_factor(softmax[w].max, max), vector);
    parts.vectors[slot * dim + d] = vector;
  }
  if (threadIdx.x == 0) {
    float total = 0;
    for (int w = 0; w < kWarps; ++w) total = fmaf(softmax[w].sum, rescale_factor(softmax[w].max, max), total);
    parts.softmax[slot] = {max, total};
  }
}

// Whether this block is the last of `used` to finish its part of the row; what they wrote is then visible.
__device__ bool is_last_part(const Parts& parts, std::int64_t row, int used) {
  __shared__ bool is_last;
  __threadfence();
  __syncthreads();
  if (threadIdx.x == 0) is_last = atomicAdd(&parts.done[row], 1u) + 1 == static_cast<std::uint32_t>(used);
  __syncthreads();
  __threadfence();
  return is_last;
}

// Grid: [parts, batch * heads].
template <class Element, int dim>
__global__ void __launch_bounds__(kThreads, kBlocksPerMultiprocessor)
    sparse_attention_kernel(KernelArguments kernel) {
  using Layout = RowLayout<Element, dim>;
  extern __shared__ __align__(16) std::byte ring_memory[];
  launch_next_kernel();
  wait_for_previous_kernel();
  const skt_sparse_attention_args& args = kernel.args;
  const std::int64_t row = blockIdx.y;
  const std::int64_t kv_row =
      row / args.heads * args.kv_heads + row % args.heads / (args.heads / args.kv_heads);
  const int lane = threadIdx.x % 32;
  const auto* query_row = static_cast<const Element*>(args.queries) + row * dim;
  float query[Layout::held];
#pragma unroll
  for (int i = 0; i < Layout::held; ++i) query[i] = to_float(query_row[Layout::coordinate(lane, i)]);
  const int count = args.counts[row];
  const int per_warp = (count + kernel.parts.parts * kWarps - 1) / (kernel.parts.parts * kWarps);
  const int used = per_warp == 0 ? 1 : (count + per_warp * kWarps - 1) / (per_warp * kWarps);
  if (static_cast<int>(blockIdx.x) >= used) return;
  const int begin =
      min((static_cast<int>(blockIdx.x) * kWarps + static_cast<int>(threadIdx.x) / 32) * per_warp, count);
  const int end = min(begin + per_warp, count);
  Ring<Element, dim> ring(ring_memory, args, kv_row, args.selected + row * args.list, begin, end);
#pragma unroll
  for (int i = 0; i < kStages - 1; ++i) ring.start();
  Accumulator<Element, dim> sum;
  for (int first = begin; first < end; first += Ring<Element, dim>::keys) {
    add_round<Element, dim>(ring, query, args.logit_scale, end - first, sum);
    ring.start();
  }
  for (int lanes = Layout::lanes; lanes < 32; lanes *= 2) sum.merge_across(lanes);
  write_part<Element, dim>(kernel.parts, row * kernel.parts.parts + blockIdx.x, sum);
  if (is_last_part(kernel.parts, row, used)) merge_parts<dim>(args, kernel.parts, row, used);
}

// As many parts to a row as the device holds blocks at once; none shorter than kFewestPartKeys.
std::int64_t most_parts(const skt_sparse_attention_args& args) {
  return std::max<std::int64_t>(1, (args.list + kFewestPartKeys - 1) / kFewestPartKeys);
}
int parts_of(const skt_sparse_attention_args& args, const Device& device) {
  const std::int64_t resident = static_cast<std::int64_t>(device.multiprocessors) * kBlocksPerMultiprocessor;
  const std::int64_t share = std::max<std::int64_t>(1, resident / (args.batch * args.heads));
  return static_cast<int>(std::min({share, most_parts(args), kMostParts}));
}

std::int64_t reserved_parts(const skt_sparse_attention_args& args) {
  return args.batch * args.heads * std::min(most_parts(args), kMostParts);
}
std::int64_t vector_bytes(const skt_sparse_attention_args& args) {
  return reserved_parts(args) * args.dim * static_cast<std::int64_t>(sizeof(float));
}
std::int64_t softmax_bytes(const skt_sparse_attention_args& args) {
  return reserved_parts(args) * static_cast<std::int64_t>(sizeof(Part));
}
std::int64_t workspace_bytes(const skt_sparse_attention_args& args) {
  return vector_bytes(args) + softmax_bytes(args) +
         args.batch * args.heads * static_cast<std::int64_t>(sizeof(std::uint32_t));
}

void validate_sizes(const skt_sparse_attention_args& args, Validation& check) {
  check.heads(args.batch, args.heads, args.kv_heads);
  check.cache(args.capacity);
  check.in_range("list", args.list, 1, (std::int64_t{1} << 31) - 1);
  if (args.dim != 32 && args.dim != 64 && args.dim != 128 && args.dim != 256) {
    check.refuse(SKT_BAD_ARGUMENT, "dim", args.dim, "32, 64, 128 or 256");
  }
  check.type("type", args.type);
}

Validation validate(const skt_sparse_attention_args& args, skt_error* error) {
  Validation check(error);
  validate_sizes(args, check);
  check.positive("logit_scale", args.logit_scale);
  check.pointer("queries", args.queries);
  check.pointer("keys", args.keys);
  check.pointer("values", args.values);
  check.pointer("selected", args.selected);
  check.pointer("counts", args.counts, 4);
  check.pointer("output", args.output);
  check.optional_pointer("log_sum_exp", args.log_sum_exp, 4);
  check.pointer("workspace", args.workspace, 256);
  if (!check.failed())
    check.in_range("workspace_bytes", args.workspace_bytes, workspace_bytes(args), INT64_MAX);
  return check;
}

template <class Element, int dim>
int launch_for(const KernelArguments& kernel, CUstream_st* stream, skt_error* error) {
  Launch shape;
  shape.grid = dim3(static_cast<unsigned>(kernel.parts.parts),
                    static_cast<unsigned>(kernel.args.batch * kernel.args.heads));
  shape.threads = kThreads;
  shape.carveout = cudaSharedmemCarveoutMaxShared;
  shape.shared_bytes = static_cast<std::size_t>(kWarps) * kStages * kStageBytes;
  return launch(sparse_attention_kernel<Element, dim>, shape, stream, kernel, error);
}

}  // namespace

std::uint32_t* part_counts_of(const skt_sparse_attention_args& args) {
  return reinterpret_cast<std::uint32_t*>(static_cast<char*>(args.workspace) + vector_bytes(args) +
                                          softmax_bytes(args));
}

int launch_sparse_attention(const skt_sparse_attention_args& args, PartCounts counts, CUstream_st* stream,
                            skt_error* error) {
  const Validation check = validate(args, error);
  if (check.failed()) return check.code();
  Device device;
  cudaError_t status = query_device(device);
  auto* workspace = static_cast<char*>(args.workspace);
  const Parts parts = {reinterpret_cast<float*>(workspace),
                       reinterpret_cast<Part*>(workspace + vector_bytes(args)), part_counts_of(args),
                       parts_of(args, device)};
  if (status == cudaSuccess && counts == PartCounts::dirty) {
    status = cudaMemsetAsync(parts.done, 0,
                             sizeof(std::uint32_t) * static_cast<std::size_t>(args.batch * args.heads), stream);
  }
  if (status != cudaSuccess) return cuda_failure(status, error);
  return with_element(args.type, [&]<class Element>(const Element*) {
    switch (args.dim) {
      case 32:
        return launch_for<Element, 32>({args, parts}, stream, error);
      case 64:
        return launch_for<Element, 64>({args, parts}, stream, error);
      case 128:
        return launch_for<Element, 128>({args, parts}, stream, error);
      default:
        return launch_for<Element, 256>({args, parts}, stream, error);
    }
  });
}

}  // namespace skt::gpu

using namespace skt::gpu;

int skt_sparse_attention_workspace_bytes(const skt_sparse_attention_args* args, std::int64_t* bytes,
                                         skt_error* error) {
  Validation check(error);
  validate_sizes(*args, check);
  if (!check.failed()) *bytes = workspace_bytes(*args);
  return check.code();
}

int skt_sparse_attention(const skt_sparse_attention_args* args, CUstream_st* stream, skt_error* error) {
  return launch_sparse_attention(*args, PartCounts::dirty, stream, error);
}
