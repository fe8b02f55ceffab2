// Does the emulated device do what a GPU does, and end a kernel that a GPU would not let through?
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "gpu/check/device/device_array.hpp"
#include "gpu/emulation/settings.hpp"
#include "tests/catch.hpp"
#include "tests/gpu/emulation/array.hpp"
#include "tests/gpu/emulation/kernels.hpp"

using namespace skt::emulated_tests;

namespace {

constexpr int kNotThere = -1;  // 0xff in every byte

}  // namespace

TEST_CASE("a barrier of a block shows every thread's writes, and one that is missing shows", "[unit][gpu]") {
  const Array<int> out(64);

  REQUIRE(neighbours_value(out.data(), Wait::kept) == cudaSuccess);
  for (int i = 0; i < 64; ++i) CHECK(out[static_cast<std::size_t>(i)] == 63 - i);
  REQUIRE(neighbours_value(out.data(), Wait::left_out) == cudaSuccess);
  CHECK(std::count(out.data(), out.data() + 64, kNotThere) > 0);
}

TEST_CASE("a block reads the shared memory of its cluster's other block, until that one leaves", "[unit][gpu]") {
  const Array<int> out(2);

  REQUIRE(neighbours_shared_memory(out.data(), Wait::kept) == cudaSuccess);
  CHECK(out[0] == 101);
  CHECK(out[1] == 100);
  REQUIRE(neighbours_shared_memory(out.data(), Wait::left_out) == cudaSuccess);
  CHECK(std::count(out.data(), out.data() + 2, kNotThere) > 0);
}

TEST_CASE("a cluster has up to 8 blocks, and up to 16 of a kernel that is allowed them", "[unit][gpu]") {
  const Array<int> ranks(16);

  CHECK(ranks_of_cluster(ranks.data(), 8, false) == cudaSuccess);
  CHECK(ranks_of_cluster(ranks.data(), 9, false) == cudaErrorInvalidConfiguration);
  CHECK(ranks_of_cluster(ranks.data(), 17, true) == cudaErrorInvalidConfiguration);
  REQUIRE(ranks_of_cluster(ranks.data(), 16, true) == cudaSuccess);
  for (int i = 0; i < 16; ++i) CHECK(ranks[static_cast<std::size_t>(i)] == i);
}

TEST_CASE("an array that was written beside is refused when it is read", "[unit][gpu]") {
  skt::gpu::DeviceArray<float> numbers(std::vector<float>{1, 2, 3});
  skt::gpu::DeviceArray<std::byte> bytes(5);

  CHECK(numbers.to_host() == std::vector<float>{1, 2, 3});
  CHECK(bytes.to_host() == std::vector<std::byte>(5, std::byte{0xff}));
  numbers.data()[3] = 4;
  CHECK_THROWS_WITH(numbers.to_host(), "memory written behind an output");
  bytes.data()[-1] = std::byte{0};
  CHECK_THROWS_WITH(bytes.to_host(), "memory written before an output");
}

TEST_CASE("an asynchronous copy is there behind its wait and not before, with zeros behind what it reads",
          "[unit][gpu]") {
  const Array<int> from(128), out(128);
  for (int i = 0; i < 128; ++i) from[static_cast<std::size_t>(i)] = 1000 + i;

  REQUIRE(copied(from.data(), out.data(), Wait::kept) == cudaSuccess);
  for (int i = 0; i < 128; ++i) CHECK(out[static_cast<std::size_t>(i)] == (i % 4 < 2 ? 1000 + i : 0));
  REQUIRE(copied(from.data(), out.data(), Wait::left_out) == cudaSuccess);
  CHECK(std::count(out.data(), out.data() + 128, kNotThere) == 128);
}

TEST_CASE("copies and bulk additions have addresses and lengths in whole steps, or end the kernel", "[unit][gpu]") {
  const Array<int> array(8);

  CHECK(copied_16_bytes(array.data()) == cudaSuccess);
  CHECK(copied_16_bytes(array.data() + 1) == cudaErrorLaunchFailure);  // 4 bytes beside
  CHECK(added_in_bulk(array.data(), 16, 0) == cudaSuccess);
  CHECK(added_in_bulk(array.data(), 0, 0) == cudaErrorLaunchFailure);
  CHECK(added_in_bulk(array.data(), 12, 0) == cudaErrorLaunchFailure);
  CHECK(added_in_bulk(array.data() + 1, 16, 0) == cudaErrorLaunchFailure);
  CHECK(added_in_bulk(array.data(), 16, 8) == cudaErrorLaunchFailure);
  CHECK(added_in_bulk(array.data(), 16, 16) == cudaSuccess);  // the device goes on
  CHECK(cudaGetLastError() == cudaErrorLaunchFailure);
}

TEST_CASE("a bulk copy is there when its phase has ended and not before", "[unit][gpu]") {
  const Array<int> from(32), out(32);
  for (int i = 0; i < 32; ++i) from[static_cast<std::size_t>(i)] = 1000 + i;

  REQUIRE(bulk_copied(from.data(), out.data(), Wait::kept) == cudaSuccess);
  for (int i = 0; i < 32; ++i) CHECK(out[static_cast<std::size_t>(i)] == 1000 + i);
  REQUIRE(bulk_copied(from.data(), out.data(), Wait::left_out) == cudaSuccess);
  CHECK(out[0] == kNotThere);
}

TEST_CASE("a bulk copy overtakes a load whose number nobody has used, and no other", "[unit][gpu]") {
  const Array<int> from(8);
  const Array<std::uint32_t> out(2);
  const auto both = [&](std::uint32_t x, std::uint32_t y) { return out[0] == x && out[1] == y; };

  REQUIRE(loaded_then_overwritten(from.data(), out.data(), Use::first, 0) == cudaSuccess);
  CHECK(both(6, 7));
  REQUIRE(loaded_then_overwritten(from.data(), out.data(), Use::copied, 0) == cudaSuccess);
  CHECK(both(6, 0xffffffff));
  REQUIRE(loaded_then_overwritten(from.data(), out.data(), Use::last, 0) == cudaSuccess);
  CHECK(both(0xffffffff, 0xffffffff));
  REQUIRE(loaded_then_overwritten(from.data(), out.data(), Use::last, 32) == cudaSuccess);
  CHECK(both(6, 7));
}

TEST_CASE("a read behind an allocation ends the kernel, and the device goes on", "[unit][gpu]") {
  constexpr int kCount = 64;  // 256 bytes: the forbidden page is next
  const Array<int> from(kCount), out(1);
  from[kCount - 1] = 5;

  CHECK(read_behind(from.data(), kCount, out.data()) == cudaErrorLaunchFailure);
  CHECK(read_behind(from.data(), kCount - 1, out.data()) == cudaSuccess);
  CHECK(out[0] == 5);
  CHECK(cudaGetLastError() == cudaErrorLaunchFailure);
  CHECK(cudaGetLastError() == cudaSuccess);
}

TEST_CASE("a dependent kernel begins as soon as it may, and sees what was written before its wait", "[unit][gpu]") {
  const Array<int> written(2), out(2);

  REQUIRE(writes_then_read(written.data(), out.data(), Wait::kept) == cudaSuccess);
  REQUIRE(cudaDeviceSynchronize() == cudaSuccess);
  CHECK(out[0] == 5);
  written[0] = kNotThere;
  REQUIRE(writes_then_read(written.data(), out.data(), Wait::left_out) == cudaSuccess);
  int copied = 0;
  REQUIRE(cudaMemcpy(&copied, written.data(), sizeof copied, cudaMemcpyDeviceToHost) == cudaSuccess);
  CHECK(copied == 5);  // a copy is behind both
  CHECK(out[0] == kNotThere);
}

TEST_CASE("a dependent kernel begins when every block has let it, or ended", "[unit][gpu]") {
  const Array<int> written(2), out(2);

  REQUIRE(writes_and_ends_then_read(written.data(), out.data()) == cudaSuccess);
  REQUIRE(cudaDeviceSynchronize() == cudaSuccess);
  CHECK(out[0] == 5);
  written[0] = written[1] = kNotThere;
  REQUIRE(one_of_two_lets_next_begin(written.data(), out.data(), 1) == cudaSuccess);
  REQUIRE(cudaDeviceSynchronize() == cudaSuccess);
  CHECK(out[0] == kNotThere);
  CHECK(out[1] == 5);
  CHECK(written[0] == 5);
}

TEST_CASE("a kernel waits for the one before it, and for an earlier one only through that", "[unit][gpu]") {
  const Array<int> written(1), out(1);

  REQUIRE(third_reads_of_first(written.data(), out.data(), Wait::kept) == cudaSuccess);
  REQUIRE(cudaDeviceSynchronize() == cudaSuccess);
  CHECK(out[0] == 5);
  written[0] = kNotThere;
  REQUIRE(third_reads_of_first(written.data(), out.data(), Wait::left_out) == cudaSuccess);
  REQUIRE(cudaDeviceSynchronize() == cudaSuccess);
  CHECK(out[0] == kNotThere);
}

TEST_CASE("who polls a counter sees what was done before the count, and nothing behind it", "[unit][gpu]") {
  const Array<int> written(2), out(2);
  const Array<std::uint32_t> counter(1);

  counter[0] = 0;
  REQUIRE(counted_then_read(written.data(), counter.data(), out.data(), Order::write_first) == cudaSuccess);
  REQUIRE(cudaDeviceSynchronize() == cudaSuccess);
  CHECK(out[0] == 5);
  CHECK(out[1] == 5);
  counter[0] = 0;
  written[0] = written[1] = kNotThere;
  REQUIRE(counted_then_read(written.data(), counter.data(), out.data(), Order::count_first) == cudaSuccess);
  REQUIRE(cudaDeviceSynchronize() == cudaSuccess);
  CHECK(out[0] == 5);  // the first counted, wrote and ended; the second had counted
  CHECK(out[1] == kNotThere);
}

TEST_CASE("a kernel that has ended is waited for, and no earlier one through it", "[unit][gpu]") {
  const Array<int> written(1), out(1);

  REQUIRE(third_reads_behind_an_end(written.data(), out.data()) == cudaSuccess);
  REQUIRE(cudaDeviceSynchronize() == cudaSuccess);

  CHECK(out[0] == kNotThere);
  CHECK(written[0] == 5);
}

TEST_CASE("blocks that begin when the kernel before has ended, and those that waited for it, see what it wrote",
          "[unit][gpu]") {
  constexpr unsigned kBlocks = 300;  // of 32 threads: not all find room at once
  const Array<int> written(1), out(kBlocks);

  for (const skt::emulation::Order order :
       {skt::emulation::Order::forward, skt::emulation::Order::reverse, skt::emulation::Order::random}) {
    std::fill(out.data(), out.data() + kBlocks, 0);
    written[0] = kNotThere;
    skt::emulation::settings().order = order;
    const cudaError_t error = many_blocks_read(written.data(), out.data(), kBlocks);
    const cudaError_t waited = cudaDeviceSynchronize();
    skt::emulation::settings().order = skt::emulation::Order::forward;
    REQUIRE(error == cudaSuccess);
    REQUIRE(waited == cudaSuccess);
    CHECK(std::count(out.data(), out.data() + kBlocks, 5) == kBlocks);
  }
}

TEST_CASE("of a kernel 8,192 threads are in flight when the next one begins, and the others have ended",
          "[unit][gpu]") {
  constexpr unsigned kBlocks = 256;  // of 32 threads
  const Array<int> written(kBlocks + 1), out(1);

  REQUIRE(count_what_many_wrote(written.data(), out.data(), kBlocks) == cudaSuccess);
  REQUIRE(cudaDeviceSynchronize() == cudaSuccess);
  CHECK(out[0] == 0);
  std::fill(written.data(), written.data() + written.count, kNotThere);
  REQUIRE(count_what_many_wrote(written.data(), out.data(), kBlocks + 1) == cudaSuccess);
  REQUIRE(cudaDeviceSynchronize() == cudaSuccess);
  CHECK(out[0] == 1);
}

TEST_CASE("kernels overlap after many launches as after the first", "[unit][gpu]") {
  const Array<int> written(1), out(1);

  for (int i = 0; i < 1000; ++i) REQUIRE(does_nothing() == cudaSuccess);
  REQUIRE(writes_then_read(written.data(), out.data(), Wait::left_out) == cudaSuccess);
  REQUIRE(cudaDeviceSynchronize() == cudaSuccess);

  CHECK(out[0] == kNotThere);
}

TEST_CASE("a cluster lets the next kernel begin when each of its blocks has, or ended", "[unit][gpu]") {
  const Array<int> written(2), out(2);

  REQUIRE(one_of_two_lets_next_begin(written.data(), out.data(), 2) == cudaSuccess);
  REQUIRE(cudaDeviceSynchronize() == cudaSuccess);

  CHECK(out[1] == 5);
  CHECK(written[0] == 5);
}

TEST_CASE("kernels of two streams do not overlap", "[unit][gpu]") {
  const Array<int> written(1), out(1);

  REQUIRE(reads_on_another_stream(written.data(), out.data()) == cudaSuccess);
  REQUIRE(cudaDeviceSynchronize() == cudaSuccess);

  CHECK(out[0] == 5);
}

TEST_CASE("kernels of a graph overlap one another, and none before it or behind it", "[unit][gpu]") {
  const Array<int> before(1), written(1), of_graph(1), of_before(1);
  cudaStream_t stream = nullptr;
  cudaGraph_t graph = nullptr;
  cudaGraphExec_t executable = nullptr;
  REQUIRE(cudaStreamCreate(&stream) == cudaSuccess);
  REQUIRE(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal) == cudaSuccess);
  REQUIRE(writes_then_read(written.data(), of_graph.data(), Wait::left_out, stream) == cudaSuccess);
  REQUIRE(reads(before.data(), of_before.data(), stream) == cudaSuccess);
  REQUIRE(cudaStreamEndCapture(stream, &graph) == cudaSuccess);
  REQUIRE(cudaGraphInstantiate(&executable, graph, 0) == cudaSuccess);
  CHECK(written[0] == kNotThere);  // nothing has run

  REQUIRE(begins_next_then_writes(before.data(), stream) == cudaSuccess);
  REQUIRE(cudaGraphLaunch(executable, stream) == cudaSuccess);

  CHECK(of_graph[0] == kNotThere);
  CHECK(written[0] == 5);  // the graph is done
  CHECK(of_before[0] == 5);
  cudaGraphExecDestroy(executable);
  cudaGraphDestroy(graph);
  cudaStreamDestroy(stream);
}

TEST_CASE("in turn, a dependent kernel begins behind the end of the one before", "[unit][gpu]") {
  const Array<int> written(1), out(1);

  skt::emulation::settings().kernels = skt::emulation::Kernels::in_turn;
  const cudaError_t error = writes_then_read(written.data(), out.data(), Wait::left_out);
  skt::emulation::settings().kernels = skt::emulation::Kernels::overlap;

  REQUIRE(error == cudaSuccess);
  CHECK(out[0] == 5);
}

TEST_CASE("what ends a kernel in flight is said by the next call that waits, and the device goes on", "[unit][gpu]") {
  constexpr int kCount = 64;  // 256 bytes: the forbidden page is next
  const Array<int> from(kCount), out(1), written(1);
  const Array<std::uint32_t> counter(1);

  CHECK(begins_next_then_reads_behind(from.data(), kCount, out.data()) == cudaSuccess);
  CHECK(cudaDeviceSynchronize() == cudaErrorLaunchFailure);
  CHECK(polls_for_ever(counter.data()) == cudaErrorLaunchFailure);
  CHECK(cudaGetLastError() == cudaErrorLaunchFailure);
  REQUIRE(writes_then_read(written.data(), out.data(), Wait::kept) == cudaSuccess);
  REQUIRE(cudaDeviceSynchronize() == cudaSuccess);
  CHECK(out[0] == 5);
}

TEST_CASE("threads that wait for one another end the kernel and do not hang", "[unit][gpu]") {
  CHECK(barrier_of_some() == cudaErrorLaunchFailure);
  CHECK(cudaGetLastError() == cudaErrorLaunchFailure);
}
