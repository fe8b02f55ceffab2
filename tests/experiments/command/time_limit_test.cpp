#include "experiments/command/time_limit.hpp"

#include <atomic>

#include "tests/catch.hpp"

using namespace std::chrono_literals;

TEST_CASE("what takes too long is ended once, and nothing is where nothing was begun", "[unit]") {
  std::atomic<int> ended = 0;
  {
    skt::TimeLimit limit(20ms, [&] { ++ended; });
    std::this_thread::sleep_for(40ms);
  }
  CHECK(ended == 0);

  {
    skt::TimeLimit limit(20ms, [&] { ++ended; });
    limit.begin();
    for (int i = 0; i < 100 && ended == 0; ++i) std::this_thread::sleep_for(20ms);
  }
  CHECK(ended == 1);
}

// The limit is long, so that a busy machine does not end a step that takes no time.
TEST_CASE("each step has the whole limit, from its own beginning", "[unit]") {
  using Clock = skt::TimeLimit::Clock;
  std::atomic<Clock::rep> ended = 0;
  skt::TimeLimit limit(800ms, [&] { ended = Clock::now().time_since_epoch().count(); });

  for (int step = 0; step < 3; ++step) {
    limit.begin();
    limit.end();
  }
  std::this_thread::sleep_for(1000ms);  // behind the deadlines of all
  CHECK(ended == 0);

  const Clock::time_point begin = Clock::now();
  limit.begin();
  for (int i = 0; i < 200 && ended == 0; ++i) std::this_thread::sleep_for(20ms);
  REQUIRE(ended != 0);
  CHECK(Clock::time_point(Clock::duration(ended)) - begin >= 800ms);
}
