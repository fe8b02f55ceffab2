// Does the emulated device let through what the order of memory allows, and end a kernel that relies on more?
#include <algorithm>
#include <cstdint>

#include "tests/catch.hpp"
#include "tests/gpu/emulation/array.hpp"
#include "tests/gpu/emulation/memory_order_kernels.hpp"

using namespace skt::emulated_tests;

namespace {

// Of launches whose first error was `begun`: that, or how those in flight ended.
cudaError_t ended(cudaError_t begun) {
  const cudaError_t error = cudaDeviceSynchronize();
  return begun != cudaSuccess ? begun : error;
}

cudaError_t counted(Release release, Acquire acquire) {
  const Array<int> written(64), out(64);
  const Array<std::uint32_t> counter(1);
  counter[0] = 0;
  const cudaError_t error = ended(awaits_count(written.data(), counter.data(), out.data(), release, acquire));
  if (error == cudaSuccess) CHECK(std::count(out.data(), out.data() + 64, 5) == 64);
  return error;
}

}  // namespace

TEST_CASE("a count is awaited behind a fence of who counts", "[unit][gpu]") {
  CHECK(counted(Release::fence, Acquire::by_load) == cudaSuccess);
  CHECK(counted(Release::none, Acquire::by_load) == cudaErrorLaunchFailure);
}

TEST_CASE("a fence before a barrier does not release what the barrier brings", "[unit][gpu]") {
  CHECK(counted(Release::fence_before_the_barrier, Acquire::by_load) == cudaErrorLaunchFailure);
  CHECK(counted(Release::fence_before_the_wait, Acquire::by_load) == cudaErrorLaunchFailure);
}

TEST_CASE("a count is awaited by a load that acquires, or has a fence behind it", "[unit][gpu]") {
  CHECK(counted(Release::fence, Acquire::by_fence) == cudaSuccess);
  CHECK(counted(Release::fence, Acquire::by_second_load) == cudaSuccess);
  CHECK(counted(Release::fence, Acquire::none) == cudaErrorLaunchFailure);
}

TEST_CASE("every block that counts has released, whichever was the last", "[unit][gpu]") {
  const Array<std::uint32_t> counter(1);

  counter[0] = 0;
  CHECK(ended(awaits_two_blocks(counter.data(), Release::fence)) == cudaSuccess);
  counter[0] = 0;
  CHECK(ended(awaits_two_blocks(counter.data(), Release::none)) == cudaErrorLaunchFailure);
}

TEST_CASE("a sum needs no fence for its own block or behind the kernel's end", "[unit][gpu]") {
  const Array<std::uint32_t> sum(1);

  sum[0] = 0;
  CHECK(ended(awaits_itself(sum.data())) == cudaSuccess);
  sum[0] = 0;
  CHECK(ended(reads_sum_behind_wait(sum.data())) == cudaSuccess);
  sum[0] = 0;
  CHECK(ended(looks_at_sum_with_no_wait(sum.data())) == cudaErrorLaunchFailure);
}

TEST_CASE("a word that was a sum counts anew when it is cleared", "[unit][gpu]") {
  const Array<std::uint32_t> sum(1);
  sum[0] = 0;

  CHECK(ended(counts_in_cleared_sum(sum.data())) == cudaSuccess);
  CHECK(sum[0] == 1);
}

TEST_CASE("a bulk addition reads what a fence has shown, and nothing that was written behind it", "[unit][gpu]") {
  const Array<std::uint32_t> sums(32);

  std::fill(sums.data(), sums.data() + 32, 100);
  REQUIRE(ended(adds_what_was_written(sums.data(), Shown::fence)) == cudaSuccess);
  for (std::uint32_t i = 0; i < 32; ++i) CHECK(sums[i] == 100 + i);
  CHECK(ended(adds_what_was_written(sums.data(), Shown::no_fence)) == cudaErrorLaunchFailure);
  CHECK(ended(adds_what_was_written(sums.data(), Shown::written_behind_the_fence)) == cudaErrorLaunchFailure);
}

TEST_CASE("a bulk addition reads what a bulk copy has written, with no fence", "[unit][gpu]") {
  const Array<int> from(32);
  const Array<std::uint32_t> sums(32);
  for (int i = 0; i < 32; ++i) from[static_cast<std::size_t>(i)] = 7 * i;
  std::fill(sums.data(), sums.data() + 32, 100);

  REQUIRE(ended(adds_what_was_copied(from.data(), sums.data())) == cudaSuccess);

  for (std::uint32_t i = 0; i < 32; ++i) CHECK(sums[i] == 100 + 7 * i);
}
