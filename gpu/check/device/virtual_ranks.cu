// The sum over ranks that are all on one GPU, in whole numbers: of any order the same.
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

}  // namespace

void all_reduce_sum(const std::vector<std::int32_t*>& arrays, std::int64_t count, cudaStream_t stream) {
  constexpr int kThreads = 256;
  if (arrays.size() > kMostRanks) throw std::runtime_error("more ranks than a sum is made for");
  Arrays given = {{}, static_cast<int>(arrays.size()), count};
  for (std::size_t r = 0; r < arrays.size(); ++r) given.of_rank[r] = arrays[r];
  sum_kernel<<<static_cast<unsigned>((count + kThreads - 1) / kThreads), kThreads, 0, stream>>>(given);
  require(cudaGetLastError(), "sum over ranks");
}

}  // namespace skt::gpu
