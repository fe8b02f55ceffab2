#include "sim/stop.hpp"

#include <atomic>
#include <thread>

#include "sim/trial_loop.hpp"
#include "tests/catch.hpp"
#include "tests/threads.hpp"

using namespace skt;

namespace {

struct TrialCount {
  std::uint64_t trials = 0;
  void merge(const TrialCount& later) { trials += later.trials; }
};

std::uint64_t counted(std::uint64_t trials) {
  return run_trials(trials, TrialCount{}, [](std::uint32_t, TrialCount& count) { ++count.trials; }).trials;
}

bool stops() {
  try {
    look_for_stop();
  } catch (const Stopped&) {
    return true;
  }
  return false;
}

}  // namespace

TEST_CASE("A thread stops when what it heeds is asked for, and no longer than it heeds it", "[unit]") {
  Stop outer, inner;
  CHECK_FALSE(stops());
  {
    const StopScope heeds(&outer);
    CHECK_FALSE(stops());
    {
      const StopScope heeds_another(&inner);
      inner.ask();
      CHECK(stops());
      std::thread([] { CHECK_FALSE(stops()); }).join();
    }
    CHECK_FALSE(stops());
    outer.ask();
    CHECK(stops());
  }
  CHECK_FALSE(stops());
}

TEST_CASE("A loop of trials whose thread is stopped throws, for any number of threads, and the next one runs",
          "[unit]") {
  for (const int threads : {1, 2, 16}) {
    const Threads limited(threads);
    Stop stop;
    std::atomic<std::uint64_t> begun = 0;
    const auto body = [&](std::uint32_t trial, TrialCount&) {
      if (trial == 640) stop.ask();
      ++begun;
    };
    {
      const StopScope heeds(&stop);
      CHECK_THROWS_AS(run_trials(1 << 20, TrialCount{}, body), Stopped);
      CHECK_THROWS_AS(counted(1), Stopped);
    }

    CHECK(begun >= 640);
    CHECK(begun < 1 << 19);  // blocks that began before it was asked for go on: of 64 trials, one a thread
    CHECK(counted(1000) == 1000);
  }
}

TEST_CASE("What a stopped trial throws is hidden by the stop", "[unit]") {
  Stop stop;
  const StopScope heeds(&stop);

  CHECK_THROWS_AS(run_trials(10, TrialCount{},
                             [&](std::uint32_t, TrialCount&) {
                               stop.ask();
                               throw std::runtime_error("half a result");
                             }),
                  Stopped);
}

TEST_CASE("Trials look for the stop themselves, on every thread; other parallel loops do not", "[unit]") {
  for (const int threads : {1, 2}) {
    const Threads limited(threads);
    Stop stop;
    const StopScope heeds(&stop);
    std::atomic<int> ends = 0, passes = 0;
    const auto body = [&](std::uint32_t, TrialCount&) {
      stop.ask();
#pragma omp parallel for
      for (int i = 0; i < 4; ++i) passes += !stops();
      ends += stops();
    };

    CHECK_THROWS_AS(run_trials(1, TrialCount{}, body), Stopped);

    CHECK(ends == 1);
    CHECK(passes == 4);
  }
}
