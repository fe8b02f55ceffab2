// How does the emulated device behave, of what the environment may choose? Read once; a word that is none of those
// allowed ends the program with one line, so that no run is of another order than its command says.
//
//   SKT_EMULATED_ORDER   forward (default), reverse, or the seed of a random order: how threads that can go on take turns
//   SKT_EMULATED_COPIES  late (default): bytes of an asynchronous copy come at the wait for it; early: at once
//   SKT_EMULATED_KERNELS overlap (default): a dependent launch begins as soon as the kernel before lets it; in-turn: behind
//                        its end
//   SKT_EMULATED_MULTIPROCESSORS  4 (default), or another from 1 to 1,024
#pragma once

#include <cstdint>

namespace skt::emulation {

enum class Order { forward, reverse, random };
enum class Copies { late, early };
enum class Kernels { overlap, in_turn };

struct Settings {
  Order order = Order::forward;
  std::uint64_t seed = 0;  // of Order::random
  Copies copies = Copies::late;
  Kernels kernels = Kernels::overlap;
  int multiprocessors = 4;  // few: launchers then cut rows into few parts, which is less work here
};
Settings& settings();

// What the runtime says of the device. Shared memory is that of an H100.
inline constexpr int kMajor = 9, kActiveClusters = 64;
inline constexpr unsigned kPortableCluster = 8,
                          kMostCluster = 16;  // of blocks; the latter where a kernel is allowed it
inline constexpr int kMostSharedBytes = 232448, kUsualSharedBytes = 48 * 1024;

}  // namespace skt::emulation
