#include "python/bindings/long_call.hpp"

#include <unistd.h>

#include <algorithm>
#include <chrono>

namespace skt::python {
namespace {

constexpr double kBetweenLooks = 0.05;  // seconds
constexpr double kForALastLook = 0.1;   // seconds that a stopped computation is given before it is left behind
constexpr int kEndedByInterrupt = 130;  // as a shell says it

// Of computations whose callers are gone. A fork has their memory and not their threads.
struct LeftBehind {
  pid_t process = getpid();
  std::vector<std::unique_ptr<Running>> all{};

  void let_go_of_ended() {
    if (process != getpid()) return;
    std::erase_if(all, [](const std::unique_ptr<Running>& running) {
      if (!running->ended()) return false;
      running->join();
      return true;
    });
  }
};

LeftBehind& left_behind() {
  static auto* const all = new LeftBehind;  // never destroyed: a thread may outlive what is
  return *all;
}

void throw_if_signalled() {
  if (PyErr_CheckSignals() != 0) throw nb::python_error();
}

void tell(const nb::object& progress, std::uint64_t done, std::uint64_t total) {
  if (!progress.is_none() && total > 0) progress(std::min(done, total), total);
}

void leave(std::unique_ptr<Running>& running) {
  running->ask_to_stop();
  if (running->ended_within(kForALastLook)) return running->join();
  left_behind().all.push_back(std::move(running));
}

void wait_for_thread(std::unique_ptr<Running>& running, int threads, const nb::object& progress) {
  running->start(threads);
  std::uint64_t told = 0;
  try {
    while (!running->ended_within(kBetweenLooks)) {
      throw_if_signalled();
      const std::uint64_t done = running->progress().done();
      if (done != told) tell(progress, done, running->progress().total());
      told = done;
    }
    running->join();
  } catch (...) {
    leave(running);
    throw;
  }
  running->rethrow();
}

}  // namespace

void Running::start(int threads) {
  thread_ = std::thread([this, threads] {
    try {
      const Threads limited(threads);
      const StopScope heeds(&stop_);
      compute();
    } catch (...) {
      failure_ = std::current_exception();
    }
    const std::lock_guard locked(mutex_);
    ended_ = true;
    changed_.notify_all();
  });
}

void Running::compute_here(int threads) {
  const nb::gil_scoped_release released;
  const Threads limited(threads);
  compute();
}

bool Running::ended_within(double seconds) {
  const nb::gil_scoped_release released;
  std::unique_lock locked(mutex_);
  return changed_.wait_for(locked, std::chrono::duration<double>(seconds), [this] { return ended_; });
}

bool Running::ended() {
  const std::lock_guard locked(mutex_);
  return ended_;
}

void Running::join() {
  thread_.join();
}

void wait_for(std::unique_ptr<Running>& running, int threads, const nb::object& progress, Work work) {
  left_behind().let_go_of_ended();
  if (work.is_short())
    running->compute_here(threads);
  else
    wait_for_thread(running, threads, progress);
  tell(progress, running->progress().total(), running->progress().total());
}

std::vector<Json> results_of(const std::vector<Part>& parts, Progress& reached) {
  std::vector<Json> results;
  std::uint64_t before = 0;
  for (const Part& part : parts) {
    look_for_stop();
    results.push_back(part.run());
    before += whole_work(part.weight);
    reached.set(before);
  }
  return results;
}

void bind_long_calls(nb::module_& module) {
  // For atexit: a second Ctrl-C does not wait.
  module.def("wait_for_left_behind", [] {
    LeftBehind& left = left_behind();
    left.let_go_of_ended();
    while (left.process == getpid() && !left.all.empty()) {
      left.all.back()->ended_within(kBetweenLooks);
      if (PyErr_CheckSignals() != 0) _exit(kEndedByInterrupt);
      left.let_go_of_ended();
    }
  });
}

}  // namespace skt::python
