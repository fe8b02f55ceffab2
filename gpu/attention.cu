// Softmax attention of each query over its selected keys: parts of the list, then one merge (split decode
// attention).
//
// CPU twin: sparse_attention in estimators/attention.hpp. Functor: gpu/softmax_merge.hpp.
// Arithmetic: fp32; a logit sums its coordinates by chunks of 16 bytes and a butterfly; running softmax in
// each group of lanes, groups, warps and parts merged in a fixed order: the same bits on every run. Error of
// the output, absolute, to first order, u = 2^-24, with V the largest |v| and E = (dim + 8) u max_j
// s|q|.|k_j| the error of a logit: |output - exact| <= (2 E + (list + 40) u) V. Bytes: keys and values of the
// selection once: 2 * dim * element to a selected key; and 8 * dim bytes of parts to 128 of them.
#include <cuda_runtime.h>

#include "gpu/element.cuh"
#include "gpu/launch.cuh"
#include "gpu/softmax_merge.hpp"

namespace skt::gpu {
namespace {

constexpr int kWarps = 4;
constexpr int kPartKeys = 128;  // of the list, to a block
constexpr int kWarpKeys = kPartKeys / kWarps;
constexpr int kKeysInFlight = 4;  // to a group of lanes: 8 loads of 16 bytes before the first is used

using Part = SoftmaxPart<float>;

std::int64_t parts_of(std::int64_t list) {
  return (list + kPartKeys - 1) / kPartKeys;
}

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

  __device__ void load(const Element* row, int lane) {
    using Layout = RowLayout<Element, dim>;
#pragma unroll
    for (int c = 0; c < Layout::chunks; ++c) {
      chunk[c] = load_chunk(row + (c * Layout::lanes + lane % Layout::lanes) * kPerLoad<Element>);
    }
  }
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

// Adds up to kKeysInFlight selected keys to a group, from position `first` of 32 whose entries the lanes
// hold; positions at or behind `end` are left out.
template <class Element, int dim>
__device__ void add_keys(const skt_sparse_attention_args& args,
                         const float (&query)[RowLayout<Element, dim>::held], std::int64_t kv_row, int entry,
                         int first, int end, Accumulator<Element, dim>& sum) {
  using Layout = RowLayout<Element, dim>;
  const int lane = threadIdx.x % 32;
  const int group = lane / Layout::lanes;
  HeldRow<Element, dim> keys[kKeysInFlight] = {};
  HeldRow<Element, dim> values[kKeysInFlight] = {};
#pragma unroll
  for (int i = 0; i < kKeysInFlight; ++i) {
    const int position = first + i * Layout::groups + group;
    const int key = __shfl_sync(~0u, entry, position % 32);
    if (position >= end) continue;
    const std::int64_t row = (kv_row * args.capacity + key) * dim;
    keys[i].load(static_cast<const Element*>(args.keys) + row, lane);
    values[i].load(static_cast<const Element*>(args.values) + row, lane);
  }
  float logits[kKeysInFlight];
  float max = sum.part.max;
#pragma unroll
  for (int i = 0; i < kKeysInFlight; ++i) {
    logits[i] = dot<Element, dim>(query, keys[i]) * args.logit_scale;
    if (first + i * Layout::groups + group < end) max = fmaxf(max, logits[i]);
  }
  sum.rescale(max);
#pragma unroll
  for (int i = 0; i < kKeysInFlight; ++i) {
    if (first + i * Layout::groups + group < end) sum.add(logits[i], values[i]);
  }
}

// The workspace: every part's vector [rows, parts, dim], then its maximum and sum [rows, parts].
struct Parts {
  float* vectors;
  Part* softmax;
  std::int64_t parts;
};

struct KernelArguments {
  skt_sparse_attention_args args;
  Parts parts;
};

// Grid: [parts, batch * heads].
template <class Element, int dim>
__global__ void __launch_bounds__(32 * kWarps) attend_parts_kernel(KernelArguments kernel) {
  launch_next_kernel();
  wait_for_previous_kernel();
  using Layout = RowLayout<Element, dim>;
  const skt_sparse_attention_args& args = kernel.args;
  __shared__ float vectors[kWarps][dim];
  __shared__ Part softmax[kWarps];
  const std::int64_t row = blockIdx.y;
  const std::int64_t kv_row =
      row / args.heads * args.kv_heads + row % args.heads / (args.heads / args.kv_heads);
  const int count = args.counts[row];
  const int warp = threadIdx.x / 32;
  const int lane = threadIdx.x % 32;
  if (static_cast<int>(blockIdx.x) * kPartKeys >= count) return;
  const int begin = static_cast<int>(blockIdx.x) * kPartKeys + warp * kWarpKeys;
  const int end = min(begin + kWarpKeys, count);
  const auto* query_row = static_cast<const Element*>(args.queries) + row * dim;
  float query[Layout::held];
#pragma unroll
  for (int i = 0; i < Layout::held; ++i) query[i] = to_float(query_row[Layout::coordinate(lane, i)]);
  static_assert(kWarpKeys % 32 == 0 && 32 % (kKeysInFlight * Layout::groups) == 0);
  const std::int32_t* list = args.selected + row * args.list;
  Accumulator<Element, dim> sum;
  int next_entry = begin + lane < end ? list[begin + lane] : 0;
  for (int begin_32 = begin; begin_32 < end; begin_32 += 32) {
    const int entry = next_entry;
    next_entry = begin_32 + 32 + lane < end ? list[begin_32 + 32 + lane] : 0;
    const int end_32 = min(32, end - begin_32);
    for (int first = 0; first < end_32; first += kKeysInFlight * Layout::groups) {
      add_keys<Element, dim>(args, query, kv_row, entry, first, end_32, sum);
    }
  }
  for (int lanes = Layout::lanes; lanes < 32; lanes *= 2) sum.merge_across(lanes);
  if (lane < Layout::lanes) {
#pragma unroll
    for (int i = 0; i < Layout::held; ++i) vectors[warp][Layout::coordinate(lane, i)] = sum.vector[i];
  }
  if (lane == 0) softmax[warp] = sum.part;
  __syncthreads();
  const std::int64_t slot = row * kernel.parts.parts + blockIdx.x;
  float max = softmax[0].max;
  for (int w = 1; w < kWarps; ++w) max = fmaxf(max, softmax[w].max);
  for (int d = threadIdx.x; d < dim; d += 32 * kWarps) {
    float vector = 0;
    for (int w = 0; w < kWarps; ++w)
      vector = fmaf(vectors[w][d], rescale_factor(softmax[w].max, max), vector);
    kernel.parts.vectors[slot * dim + d] = vector;
  }
  if (threadIdx.x == 0) {
    float total = 0;
    for (int w = 0; w < kWarps; ++w) total = fmaf(softmax[w].sum, rescale_factor(softmax[w].max, max), total);
    kernel.parts.softmax[slot] = {max, total};
  }
}

constexpr int kMergeAtOnce =
    256;  // parts whose factors lie in shared memory together; the fewest threads are 32

// Grid: [batch * heads]; one thread to a coordinate.
__global__ void merge_parts_kernel(KernelArguments kernel) {
  launch_next_kernel();
  wait_for_previous_kernel();
  __shared__ Part softmax[kMergeAtOnce];
  const skt_sparse_attention_args& args = kernel.args;
  const std::int64_t row = blockIdx.x;
  const int parts = (args.counts[row] + kPartKeys - 1) / kPartKeys;
  const Part* row_softmax = kernel.parts.softmax + row * kernel.parts.parts;
  const float* vectors = kernel.parts.vectors + row * kernel.parts.parts * args.dim + threadIdx.x;
  Part total;
  float vector = 0;
  for (int first = 0; first < parts; first += kMergeAtOnce) {
    const int count = min(parts - first, kMergeAtOnce);
    __syncthreads();
    for (int i = threadIdx.x; i < count; i += blockDim.x) softmax[i] = row_softmax[first + i];
    __syncthreads();
    float max = total.max;
    for (int i = 0; i < count; ++i) max = fmaxf(max, softmax[i].max);
    const float factor_before = rescale_factor(total.max, max);
    total = {max, total.sum * factor_before};
    vector *= factor_before;
#pragma unroll 16
    for (int i = 0; i < count; ++i) {
      const float factor = rescale_factor(softmax[i].max, max);
      total.sum = fmaf(softmax[i].sum, factor, total.sum);
      vector = fmaf(vectors[(first + i) * args.dim], factor, vector);
    }
  }
  args.output[row * args.dim + threadIdx.x] = vector / total.sum;  // 0/0 = NaN for an empty selection
  if (args.log_sum_exp != nullptr && threadIdx.x == 0) args.log_sum_exp[row] = log_sum_exp(total);
}

std::int64_t vector_bytes(const skt_sparse_attention_args& args) {
  return args.batch * args.heads * parts_of(args.list) * args.dim * static_cast<std::int64_t>(sizeof(float));
}

std::int64_t workspace_bytes(const skt_sparse_attention_args& args) {
  return vector_bytes(args) +
         args.batch * args.heads * parts_of(args.list) * static_cast<std::int64_t>(sizeof(Part));
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
  const unsigned rows = static_cast<unsigned>(kernel.args.batch * kernel.args.heads);
  Launch parts;
  parts.grid = dim3(static_cast<unsigned>(kernel.parts.parts), rows);
  parts.threads = 32 * kWarps;
  const int code = launch(attend_parts_kernel<Element, dim>, parts, stream, kernel, error);
  if (code != SKT_OK) return code;
  Launch last;
  last.grid = dim3(rows);
  last.threads = dim;
  return launch(merge_parts_kernel, last, stream, kernel, error);
}

}  // namespace
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
  const Validation check = validate(*args, error);
  if (check.failed()) return check.code();
  auto* workspace = static_cast<char*>(args->workspace);
  const KernelArguments kernel = {
      *args,
      {reinterpret_cast<float*>(workspace), reinterpret_cast<Part*>(workspace + vector_bytes(*args)),
       parts_of(args->list)}};
  return with_element(args->type, [&]<class Element>(const Element*) {
    switch (args->dim) {
      case 32:
        return launch_for<Element, 32>(kernel, stream, error);
      case 64:
        return launch_for<Element, 64>(kernel, stream, error);
      case 128:
        return launch_for<Element, 128>(kernel, stream, error);
      default:
        return launch_for<Element, 256>(kernel, stream, error);
    }
  });
}
