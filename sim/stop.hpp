// How does a long computation end early, when nobody waits for its result any more?
//
// A thread heeds a Stop while it computes. Its loops of trials (trial_loop.hpp), and others by look_for_stop(), throw
// Stopped soon after that is asked for. Whoever is not asked computes what it would without. It belongs to the thread,
// as OpenMP's number of threads does: as an argument every statement would hand it on. It would be wrong if a stopped
// computation went on, or another one ended: tests/sim/stop_test.cpp.
#pragma once

#include <atomic>

namespace skt {

// No std::exception, which a statement takes for a measurement that failed.
struct Stopped {};

class Stop {
 public:
  void ask() { asked_ = true; }  // from any thread, once for all
  bool is_asked() const { return asked_.load(std::memory_order_relaxed); }

 private:
  std::atomic<bool> asked_ = false;
};

// While it lives this thread heeds `stop`, which outlives it; null: none.
class StopScope {
 public:
  explicit StopScope(const Stop* stop);
  ~StopScope();
  StopScope(const StopScope&) = delete;
  StopScope& operator=(const StopScope&) = delete;

 private:
  const Stop* stop_before_;
  int level_before_;
};

// What this thread heeds, or null. Null too in a parallel region that began since, which nothing may be thrown out of.
const Stop* heeded_stop();

// Throws Stopped if what this thread heeds is asked for.
void look_for_stop();

}  // namespace skt
