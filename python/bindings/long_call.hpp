// How does a long call say how far it is, and how does Ctrl-C end it?
//
// It computes in a thread of its own. The thread of the caller looks twenty times a second whether a signal has come and
// tells `progress` what is done, so that Python code runs in the caller's thread alone. After Ctrl-C, or where `progress`
// throws, the call ends at once; what computes ends by itself at its next look (look_for_stop of sim/stop.hpp), and is
// waited for when the interpreter ends. Hence whatever it reads must be its own. A call known to be short is computed in
// the caller's thread, since to start another costs 30 us. It would show as a call that is deaf: python/tests/interrupt_test.py.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <exception>
#include <limits>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

#include "experiments/parts/part.hpp"
#include "experiments/parts/part_work.hpp"
#include "python/bindings/arrays.hpp"
#include "sim/stop.hpp"

namespace skt::python {

// What the two threads of a call share. The unit of work is the computation's own.
class Progress {
 public:
  void expect(std::uint64_t total) { total_ = total; }
  void add(std::uint64_t work) { done_ += work; }
  // With a look whether the caller is gone.
  void step(std::uint64_t work = 1) {
    look_for_stop();
    add(work);
  }
  void set(std::uint64_t done) { done_ = done; }
  std::uint64_t done() const { return done_; }
  std::uint64_t total() const { return total_; }

 private:
  std::atomic<std::uint64_t> done_ = 0, total_ = 0;
};

// A computation in its thread; what it holds of Python's is let go by whoever deletes it, with the interpreter's lock.
class Running {
 public:
  virtual ~Running() = default;
  Running() = default;
  Running(const Running&) = delete;
  Running& operator=(const Running&) = delete;

  void start(int threads);
  void compute_here(int threads);     // in the caller's thread
  bool ended_within(double seconds);  // without the interpreter's lock
  bool ended();
  void join();
  void rethrow() const {
    if (failure_) std::rethrow_exception(failure_);
  }
  void ask_to_stop() { stop_.ask(); }  // when the caller is gone
  Progress& progress() { return progress_; }

 protected:
  virtual void compute() = 0;

 private:
  Progress progress_;
  Stop stop_;
  std::thread thread_;
  std::mutex mutex_;
  std::condition_variable changed_;
  bool ended_ = false;
  std::exception_ptr failure_;
};

// Multiplications, about, that a call is known not to exceed; unknown without an argument.
struct Work {
  double most = std::numeric_limits<double>::infinity();
  bool is_short() const { return most <= 1e6; }  // some milliseconds
};

// Until it has ended, or a signal or `progress` throws: then the computation is left behind.
void wait_for(std::unique_ptr<Running>& running, int threads, const nb::object& progress, Work work);

// compute(Progress&) in a thread of its own, or in the caller's if it is short; progress: None or a callable of done and
// total.
template <class Compute>
auto run_long(int threads, const nb::object& progress, Compute compute, Work most_work = {}) {
  using Result = decltype(compute(std::declval<Progress&>()));
  struct Call final : Running {
    explicit Call(Compute&& given) : work(std::move(given)) {}
    void compute() override { result.emplace(work(progress())); }
    Compute work;
    std::optional<Result> result;
  };
  auto call = std::make_unique<Call>(std::move(compute));
  Call& seen = *call;
  std::unique_ptr<Running> running = std::move(call);
  wait_for(running, threads, progress, most_work);
  return std::move(*seen.result);
}

// A command on arrays in memory.
template <class Function>
void define(nb::module_& module, const char* name, Function function) {
  module.def(name, function, nb::arg("arrays"), nb::arg("options"), nb::arg("seed"), nb::arg("threads"),
             nb::arg("progress").none());
}

// One part after the other, with a look between two.
std::vector<Json> results_of(const std::vector<Part>& parts, Progress& reached);

// What parts say of their work while they run. No look(): PartWork says the rest when it is destroyed.
inline WorkSeen adding_to(Progress& reached) {
  return [&reached](std::uint64_t work) { reached.add(work); };
}

}  // namespace skt::python
