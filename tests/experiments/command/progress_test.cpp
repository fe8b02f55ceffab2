#include "experiments/command/progress.hpp"

#include <algorithm>
#include <sstream>

#include "tests/catch.hpp"

using namespace skt;

namespace {

// A clock that a test moves by hand.
struct HandClock {
  std::chrono::steady_clock::time_point now{};
  ProgressMeter::Clock read() {
    return [this] { return now; };
  }
};

}  // namespace

TEST_CASE("Away from a terminal progress is one plain line for each tenth, with the time left", "[unit]") {
  std::ostringstream out;
  HandClock clock;
  {
    ProgressMeter progress("sweep", 20, out, ProgressMeter::Style::lines, clock.read());
    for (int step = 0; step < 20; ++step) {
      clock.now += std::chrono::seconds(6);
      progress.advance();
    }
  }

  const std::string text = out.str();
  CHECK(text.find("sweep: 10%, 1 min 48 s left\n") == 0);  // 2 of 20 steps took 12 s: 18 steps at 6 s remain
  CHECK(text.find("sweep: 90%, 12 s left\n") != std::string::npos);
  CHECK(text.find("sweep: 100%, 120.0 s\n") != std::string::npos);
  CHECK(std::count(text.begin(), text.end(), '\n') == 10);
  CHECK(text.find('\r') == std::string::npos);
}

TEST_CASE("On a terminal the bar is redrawn in place and ends its line", "[unit]") {
  std::ostringstream out;
  HandClock clock;
  {
    ProgressMeter progress("sweep", 2, out, ProgressMeter::Style::bar, clock.read());
    clock.now += std::chrono::seconds(3);
    progress.advance();
    clock.now += std::chrono::seconds(3);
    progress.advance();
  }

  const std::string text = out.str();
  CHECK(text.find("\rsweep [###############...............]  50% 3 s left") != std::string::npos);
  CHECK(text.find("\rsweep [##############################] 100% 6.0 s") != std::string::npos);
  CHECK(std::count(text.begin(), text.end(), '\n') == 1);
}

TEST_CASE("More steps than announced stay at the whole", "[unit]") {
  std::ostringstream out;
  HandClock clock;
  ProgressMeter progress("sweep", 0, out, ProgressMeter::Style::lines, clock.read());

  progress.advance(5);

  CHECK(out.str() == "sweep: 100%, 0.0 s\n");
}
