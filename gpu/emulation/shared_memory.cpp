// Where does a block's shared memory lie, and what may be touched of it? The end of what a launch asked for lies within
// 128 bytes of a page that may not be touched, so that a read behind it ends the kernel as one behind an allocation does.
// Behind that page lies what bulk copies see of it: the bytes of the block's last fence.proxy.async, and their own.
#include <sys/mman.h>

#include <cstring>

#include "gpu/emulation/settings.hpp"
#include "gpu/emulation/threads.hpp"

namespace skt::emulation {
namespace {

constexpr std::uint32_t kFirstAddress = 1024;  // as on sm_90, where the first KB is not the program's
constexpr std::size_t kPageBytes = 4096, kArenaBytes = 256 * 1024, kShownBehind = kArenaBytes + kPageBytes;
static_assert(kArenaBytes >= kMostSharedBytes);

std::vector<std::byte*> free_arenas;

std::byte* new_arena() {
  void* memory =
      mmap(nullptr, kPageBytes + 2 * kShownBehind, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) fail("no memory for the shared memory of a block");
  std::byte* arena = static_cast<std::byte*>(memory) + kPageBytes;
  mprotect(memory, kPageBytes, PROT_NONE);
  mprotect(arena + kArenaBytes, kPageBytes, PROT_NONE);
  mprotect(arena + kShownBehind + kArenaBytes, kPageBytes, PROT_NONE);
  return arena;
}

std::size_t rounded_up(std::size_t bytes) {
  return (bytes + 127) / 128 * 128;
}

std::size_t own_bytes() {
  return own_cluster().grid->shape.shared_bytes;
}

// Of a pointer, from the begin of its block's shared memory on.
std::int64_t offset_of(const void* pointer) {
  const auto at = reinterpret_cast<std::intptr_t>(pointer);
  const std::int64_t offset = at - reinterpret_cast<std::intptr_t>(running.fiber->block->shared);
  if (offset < 0 || offset > static_cast<std::int64_t>(own_bytes())) {
    fail("%p is not in this block's dynamic shared memory", pointer);
  }
  return offset;
}

}  // namespace

std::byte* take_shared_memory(std::size_t bytes) {
  if (free_arenas.empty()) free_arenas.push_back(new_arena());
  std::byte* begin = free_arenas.back() + kArenaBytes - rounded_up(bytes);
  free_arenas.pop_back();
  std::memset(begin, 0xff, rounded_up(bytes));
  std::memset(shown_to_bulk_copies(begin), 0xff, rounded_up(bytes));
  return begin;
}

void give_shared_memory_back(std::byte* begin, std::size_t bytes) {
  free_arenas.push_back(begin + rounded_up(bytes) - kArenaBytes);
}

std::byte* shown_to_bulk_copies(std::byte* shared) {
  return shared + kShownBehind;
}

// All of it, though a GPU may show what this thread and those it has met have written alone.
void show_to_bulk_copies() {
  std::byte* shared = running.fiber->block->shared;
  std::memcpy(shown_to_bulk_copies(shared), shared, own_bytes());
}

std::byte* dynamic_shared_memory() {
  return running.fiber->block->shared;
}

std::byte* static_shared_memory(const char* file, int line, std::size_t bytes) {
  auto& array = running.fiber->block->static_arrays[{file, line}];
  if (array == nullptr) {
    array = std::make_unique<std::byte[]>(bytes);
    std::memset(array.get(), 0xff, bytes);
  }
  return array.get();
}

std::uint32_t shared_address(const void* pointer) {
  return kFirstAddress + static_cast<std::uint32_t>(offset_of(pointer));
}

std::byte* shared_at(std::uint32_t address, std::int64_t bytes, int alignment) {
  const std::int64_t at = std::int64_t{address} - kFirstAddress;
  if (at < 0 || at + bytes > static_cast<std::int64_t>(own_bytes()) || at % alignment != 0) {
    fail("%lld bytes at %lld of %zu bytes of shared memory, aligned to %d", static_cast<long long>(bytes),
         static_cast<long long>(at), own_bytes(), alignment);
  }
  return running.fiber->block->shared + at;
}

void* in_block(const void* shared, unsigned rank) {
  std::vector<Block>& blocks = own_cluster().blocks;
  if (rank >= blocks.size()) fail("shared memory of block %u of a cluster of %zu", rank, blocks.size());
  return blocks[rank].shared + offset_of(shared);
}

}  // namespace skt::emulation
