// Small kernels for the emulated device, each with the arrays that its test has filled. They are written as kernels are,
// so that the shadow headers are tested too; kernels.cpp is compiled as a translated kernel is.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>

namespace skt::emulated_tests {

enum class Wait { kept, left_out };

cudaError_t neighbours_value(int* out, Wait barrier);       // of 64 threads, thread i gets the value of thread 63 - i
cudaError_t neighbours_shared_memory(int* out, Wait last);  // of a cluster of 2, each block gets 100 + the other's rank
cudaError_t ranks_of_cluster(int* ranks, unsigned blocks, bool allowed);  // `allowed` more than the portable 8
cudaError_t copied(const int* from, int* out, Wait wait);
cudaError_t bulk_copied(const int* from, int* out, Wait wait);
enum class Use { first, copied, last };
// Loads 6 and 7, which lie at bytes 24 and 28; begins a bulk copy of 32 bytes to `beside`; gives out what was loaded. Used
// before: both, or the first alone, as a copy of its register is made.
cudaError_t loaded_then_overwritten(const int* from, std::uint32_t* out, Use use, int beside);
cudaError_t copied_16_bytes(const int* from);                    // by an asynchronous copy
cudaError_t added_in_bulk(int* to, int bytes, unsigned source);  // zeros, from `source` bytes into shared memory on
cudaError_t read_behind(const int* from, int count, int* out);

// Pairs of dependent launches, on one stream; neither is waited for. `written` of one element to a block of the first.
cudaError_t begins_next_then_writes(int* written, cudaStream_t stream = nullptr);  // 5
cudaError_t reads(const int* written, int* out, cudaStream_t stream);
cudaError_t writes_then_read(int* written, int* out, Wait wait, cudaStream_t stream = nullptr);  // the second may wait
cudaError_t writes_and_ends_then_read(int* written, int* out);  // no block says that the next may begin
// Block 0 alone, of a cluster of so many; the next reads both elements.
cudaError_t one_of_two_lets_next_begin(int* written, int* out, unsigned cluster);
cudaError_t third_reads_of_first(int* written, int* out, Wait second);  // the third waits for the second
cudaError_t third_reads_behind_an_end(int* written, int* out);          // the second ends at once; the third waits
cudaError_t many_blocks_read(int* written, int* out, unsigned blocks);  // each waits, and reads the first's one element
cudaError_t reads_on_another_stream(int* written, int* out);            // what begins_next_then_writes writes
cudaError_t count_what_many_wrote(int* written, int* out, unsigned blocks);  // each begins the next, then writes 5
cudaError_t does_nothing();
enum class Order { write_first, count_first };
cudaError_t counted_then_read(int* written, std::uint32_t* counter, int* out,
                              Order order);  // the next polls the counter
cudaError_t begins_next_then_reads_behind(const int* from, int count, int* out);
cudaError_t polls_for_ever(std::uint32_t* counter);

cudaError_t barrier_of_some();  // half a warp waits in a collective for a lane that waits for the block

}  // namespace skt::emulated_tests
