// What can a kernel do on the emulated device? CUDA's own names for it: kernel_language.hpp; what stands for a PTX
// statement: ptx.py.
//
// A thread of a block is a fiber, and one runs at a time. Lanes of a warp meet where a collective stands, threads of a
// block or cluster at its barrier; between such places a thread runs alone. What the device forbids ends the kernels in
// flight: fail() says why in one line on standard error, and the call that ran or awaited them gives
// cudaErrorLaunchFailure. A result that differs from a GPU's shows in gpu-check; tests/gpu/emulation holds some of them
// to numbers worked out by hand.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>

namespace skt::emulation {

struct Index {
  unsigned x, y, z;
  friend bool operator==(const Index&, const Index&) = default;
};
struct Places {  // of the thread that runs
  Index thread, block;
  dim3 block_dim, grid_dim;
};
extern Places places;

[[noreturn]] void fail(const char* format, ...) __attribute__((format(printf, 1, 2)));

// Barriers of the block, the warp and the cluster (barriers.cpp).
void sync_threads();
void sync_warp(unsigned mask);
void cluster_arrive();
void cluster_wait();
unsigned cluster_blocks();
unsigned cluster_rank();
void* in_block(const void* shared, unsigned rank);

// Of a thread that polls: what it looks at (memory_order.cpp), then others first until one has changed that by an atomic
// operation, or none can go on (threads.cpp). Who changed it so steps back, so that it is seen before anything else is
// done.
enum class Load { acquire, relaxed };
std::uint32_t look_at(const std::uint32_t* at, Load load);
void poll();
bool wake_pollers(const void* at);  // whether one is yet to look again
void step_back();                   // of a thread that could go on: others first

// Order of memory (memory_order.cpp).
void fence_memory();
void note_change(const void* at, std::uint64_t before, std::uint64_t after);  // by an atomic operation
void show_to_bulk_copies();  // what the block has written to its shared memory (shared_memory.cpp)

// Dependent launches (threads.cpp): the next kernel may begin when every block has said so, or ended.
void let_next_kernel_begin();
void wait_for_kernel_before();  // for its end

// Collectives of a warp (collectives.cpp, matrix_products.cpp). `mask` must name all lanes.
std::uint32_t shuffle(unsigned mask, std::uint32_t value, unsigned lane);
std::uint32_t ballot(unsigned mask, bool vote);
std::uint32_t reduce_add(unsigned mask, std::uint32_t value);
std::uint32_t reduce_max(unsigned mask, std::uint32_t value);
enum class Half { fp16, bf16 };
// m16n8k16: sum[4] += a[4] b[2], with sums in double rounded once.
void multiply_halves(Half type, float* sum, const std::uint32_t* a, const std::uint32_t* b);
// m16n8k256 with `words` 2, m16n8k128 with 1: sum[4] = before[4] + popcount(a[2 words] and b[words]).
void multiply_bits(int words, int* sum, const std::uint32_t* a, const std::uint32_t* b, const int* before);

// Shared memory (shared_memory.cpp). It holds 0xff, NaN as a number, until it is written.
std::byte* dynamic_shared_memory();
std::byte* static_shared_memory(const char* file, int line, std::size_t bytes);
std::uint32_t shared_address(const void* pointer);
std::byte* shared_at(std::uint32_t address, std::int64_t bytes, int alignment);
// How many bulk copies the block has begun to the 16 bytes that `address` is in (bulk_copies.cpp).
unsigned bulk_copies_begun_to(std::uint32_t address);

// Asynchronous copies of a thread (copies.cpp): `read` of `bytes` from global memory, zeros behind them.
void copy_async(std::uint32_t to, const void* from, int bytes, int read);
void commit_copies();
void wait_for_copies(int groups_left);
void bulk_add(void* to, std::uint32_t from, int bytes);
void finish_bulk_additions();

// Bulk copies and the barriers in shared memory that count their bytes (bulk_copies.cpp).
void init_barrier(std::uint32_t barrier, int arrivals);
void arrive_expecting(std::uint32_t address, int bytes);  // of the barrier there
bool has_ended(std::uint32_t address, std::uint32_t parity);
void bulk_copy(std::uint32_t to, const void* from, int bytes, std::uint32_t barrier);

// Single instructions (numbers.cpp).
std::uint32_t halves_of_e4m3(std::uint16_t bytes);                              // two bytes as two fp16
std::uint16_t fused_halves(std::uint16_t a, std::uint16_t b, std::uint16_t c);  // a b + c, one rounding
float exp2_approximately(float x);
void store_two(float* at, float first, float second);
void store_word(void* at, std::uint32_t word);
void discard_line(const void* at);

// Launches (launch.cpp).
struct Shape {
  dim3 grid, block;
  std::size_t shared_bytes = 0;
  unsigned cluster = 1;
  bool is_dependent = false;  // may begin when the kernel before it in the stream says so
};
Shape shape_of(const cudaLaunchConfig_t& config);
cudaError_t launch(const Shape& shape, cudaStream_t stream, const void* kernel, std::function<void()> thread);

template <class... Parameters>
auto launcher(void (*kernel)(Parameters...), dim3 grid, dim3 block, std::size_t shared_bytes = 0,
              cudaStream_t stream = nullptr) {
  return [=](Parameters... arguments) {
    launch({grid, block, shared_bytes}, stream, reinterpret_cast<const void*>(kernel), [=] { kernel(arguments...); });
  };
}

template <class T>
T* dynamic_shared() {
  return reinterpret_cast<T*>(dynamic_shared_memory());
}
template <class T>
T& static_shared(const char* file, int line) {
  return *reinterpret_cast<T*>(static_shared_memory(file, line, sizeof(T)));
}
inline std::uint32_t aligned(std::uint32_t address, int alignment) {
  shared_at(address, alignment, alignment);
  return address;
}
template <class T>
T load_shared(std::uint32_t address) {
  T value;
  std::memcpy(&value, shared_at(address, sizeof value, sizeof value), sizeof value);
  return value;
}

void require_loadable(const void* at, std::int64_t bytes);  // of a load of several words: aligned and allocated
template <class T>
T load_global(const void* at) {
  require_loadable(at, sizeof(T));
  T value;
  std::memcpy(&value, at, sizeof value);
  return value;
}

// A register that is loaded from shared memory. Its load is on its way until the number is used for the first time: a bulk
// copy that is begun to the place before that may overtake it, as it is not ordered behind loads. The number is then 0xff
// in every byte. Barriers order a load before what other threads write, so that the number is that of when it was asked for.
// A copy of the register is a use.
class LateWord {
 public:
  LateWord() = default;
  LateWord(const LateWord& other) : word_(other) {}
  LateWord(LateWord&&) = default;
  LateWord& operator=(const LateWord& other) { return *this = LateWord(other); }
  LateWord& operator=(LateWord&&) = default;
  LateWord(std::uint32_t word) : word_(word) {}  // as a register takes it
  static LateWord loaded(std::uint32_t address) {
    LateWord late(load_shared<std::uint32_t>(address));
    late.address_ = address;
    late.begun_ = bulk_copies_begun_to(address);
    return late;
  }
  operator std::uint32_t() const {
    if (address_ != 0 && bulk_copies_begun_to(address_) != begun_) word_ = ~0u;
    address_ = 0;
    return word_;
  }

 private:
  mutable std::uint32_t word_ = 0, address_ = 0;  // of a load on its way, else 0, which is no place of a program's
  unsigned begun_ = 0;
};
struct LateWords {
  LateWord x, y;
};

template <class T>
std::uint32_t word_of(T value) {
  static_assert(sizeof(T) == 4);
  std::uint32_t word;
  std::memcpy(&word, &value, 4);
  return word;
}
template <class T>
T from_word(std::uint32_t word) {
  static_assert(sizeof(T) == 4);
  T value;
  std::memcpy(&value, &word, 4);
  return value;
}

}  // namespace skt::emulation
