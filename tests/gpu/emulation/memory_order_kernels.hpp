// Small kernels that pass numbers to one another, rightly or with something of the order of memory left out.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>

namespace skt::emulated_tests {

// A block of 64 threads writes 5 to written[64] and counts; another, of a kernel in flight with it, awaits the count and
// copies written to out.
enum class Release { fence, none, fence_before_the_barrier, fence_before_the_wait };
enum class Acquire { by_load, by_fence, by_second_load, none };
cudaError_t awaits_count(int* written, std::uint32_t* counter, int* out, Release release, Acquire acquire);

cudaError_t awaits_two_blocks(std::uint32_t* counter, Release of_first);  // each counts; the second behind a fence
cudaError_t awaits_itself(std::uint32_t* counter);      // counts with no fence, and looks at the count
cudaError_t reads_sum_behind_wait(std::uint32_t* sum);  // of a kernel that adds 1 with no fence; looks at it
cudaError_t looks_at_sum_with_no_wait(std::uint32_t* sum);
cudaError_t counts_in_cleared_sum(std::uint32_t* sum);  // one adds with no fence, one clears and counts, one awaits

// 32 threads write their number to shared memory, which is added to sums[32].
enum class Shown { fence, no_fence, written_behind_the_fence };
cudaError_t adds_what_was_written(std::uint32_t* sums, Shown shown);
cudaError_t adds_what_was_copied(const int* from, std::uint32_t* sums);  // by a bulk copy to shared memory

}  // namespace skt::emulated_tests
