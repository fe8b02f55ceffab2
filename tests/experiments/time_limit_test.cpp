#include "experiments/time_limit.hpp"

#include <atomic>

#include "tests/catch.hpp"

using namespace std::chrono_literals;

TEST_CASE("what takes too long is ended once, what ends in time is not", "[unit]") {
  std::atomic<int> ended = 0;

  {
    skt::TimeLimit limit(20ms, [&] { ++ended; });
    std::this_thread::sleep_for(40ms);  // nothing was begun
    for (int step = 0; step < 3; ++step) {
      limit.begin();
      limit.end();
    }
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
