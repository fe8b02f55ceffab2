// How does the emulated device behave, of what the environment may choose? Read once; a word that is none of those
// allowed ends the program with one line, so that no run is of another order than its command says.
//
//   SKT_EMULATED_ORDER   forward (default), reverse, or the seed of a random order: how threads that can go on take turns
//   SKT_EMULATED_COPIES  late (default): bytes of an asynchronous copy come at the wait for it; early: at once
#pragma once

#include <cstdint>

namespace skt::emulation {

enum class Order { forward, reverse, random };
enum class Copies { late, early };

struct Settings {
  Order order = Order::forward;
  std::uint64_t seed = 0;  // of Order::random
  Copies copies = Copies::late;
};
Settings& settings();

// What the runtime says of the device. Few multiprocessors: launchers then cut rows into few parts, which is less work
// here. Shared memory is that of an H100.
inline constexpr int kMultiprocessors = 4, kMajor = 9, kActiveClusters = 64;
inline constexpr int kMostSharedBytes = 232448, kUsualSharedBytes = 48 * 1024;

}  // namespace skt::emulation
