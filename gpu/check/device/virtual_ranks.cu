// Sums over ranks that are all on one GPU are of whole numbers: of any order the same. What is gathered is copied by a
// kernel: initcheck looks at the source of a cudaMemcpyAsync when a graph begins, before the graph has written it.
#include "gpu/check/device/virtual_ranks.hpp"

namespace skt::gpu {
namespace {

constexpr int kMostRanks = 8;

struct Arrays {
  std::int32_t* of_rank[kMostRanks];
  int ranks;
  std::int64_t count;
};

// A thread to an element.
__global__ void sum_kernel(Arrays arrays) {
  const std::int64_t i = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i >= arrays.count) return;
  std::int32_t sum = 0;
  for (int r = 0; r < arrays.ranks; ++r) sum += arrays.of_rank[r][i];
  for (int r = 0; r < arrays.ranks; ++r) arrays.of_rank[r][i] = sum;
}

__global__ void copy_kernel(const std::uint32_t* from, std::uint32_t* to, std::int64_t words) {
  const std::int64_t i = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i < words) to[i] = from[i];
}

constexpr int kThreads = 256;

unsigned blocks_of(std::int64_t elements) {
  return static_cast<unsigned>((elements + kThreads - 1) / kThreads);
}

}  // namespace

void copy_words(const void* from, void* to, std::int64_t words, cudaStream_t stream) {
  copy_kernel<<<blocks_of(words), kThreads, 0, stream>>>(static_cast<const std::uint32_t*>(from),
                                                         static_cast<std::uint32_t*>(to), words);
  require(cudaGetLastError(), "gather");
}

void all_reduce_sum(const std::vector<std::int32_t*>& arrays, std::int64_t count, cudaStream_t stream) {
  if (arrays.size() > kMostRanks) throw std::runtime_error("more ranks than a sum is made for");
  Arrays given = {{}, static_cast<int>(arrays.size()), count};
  for (std::size_t r = 0; r < arrays.size(); ++r) given.of_rank[r] = arrays[r];
  sum_kernel<<<blocks_of(count), kThreads, 0, stream>>>(given);
  require(cudaGetLastError(), "sum over ranks");
}

}  // namespace skt::gpu
