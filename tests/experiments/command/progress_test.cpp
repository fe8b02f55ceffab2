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

TEST_CASE("Away from a terminal progress is a plain line for each tenth, with the time left", "[unit]") {
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
  // 1 of 20 steps took 6 s: 19 steps at 6 s remain; then 18.
  CHECK(text.find("sweep: 5%, 1 min 54 s left\nsweep: 10%, 1 min 48 s left\nsweep: 20%, ") == 0);
  CHECK(text.find("sweep: 90%, 12 s left\n") != std::string::npos);
  CHECK(text.find("sweep: 100%, 120.0 s\n") != std::string::npos);
  CHECK(std::count(text.begin(), text.end(), '\n') == 11);
  CHECK(text.find('\r') == std::string::npos);
}

TEST_CASE("The first line comes after a second, and no silence is long", "[unit]") {
  std::ostringstream out;
  HandClock clock;
  ProgressMeter progress("audit", 10000, out, ProgressMeter::Style::lines, clock.read());
  const auto advance_after = [&](int milliseconds, std::uint64_t steps) {
    clock.now += std::chrono::milliseconds(milliseconds);
    progress.advance(steps);
    const std::string said = out.str();
    out.str("");
    return said;
  };

  CHECK(advance_after(500, 20).empty());
  CHECK(advance_after(500, 20) == "audit: 0%, 4 min 09 s left\n");   // after the first step 20 in .5 s: 9960/40 = 249 s
  CHECK(advance_after(9000, 360).empty());                           // 4%, no tenth
  CHECK(advance_after(1000, 40) == "audit: 4%, 3 min 59 s left\n");  // 420 in 10.5 s: 9560/40 = 239 s
  CHECK(advance_after(500, 3000).empty());                           // a tenth, too soon
  CHECK(advance_after(500, 760) == "audit: 42%, 16 s left\n");       // 4180 in 11.5 s: 5800 * 11.5/4180 = 16 s
  CHECK(advance_after(100, 5800) == "audit: 100%, 12.1 s\n");        // the last is always said
}

TEST_CASE("What went before the first step does not count as pace", "[unit]") {
  std::ostringstream out;
  HandClock clock;
  ProgressMeter progress("sweep", 10000, out, ProgressMeter::Style::lines, clock.read());

  clock.now += std::chrono::seconds(2);
  progress.advance(1);
  clock.now += std::chrono::seconds(1);
  progress.advance(10);

  // One step of ten thousand tells nothing; 10 in a second leave 9989 to 998.9 s, said as soon as a line may follow.
  CHECK(out.str() == "sweep: 0%\nsweep: 0%, 16 min 39 s left\n");
}

TEST_CASE("What is over within a second is said in one line", "[unit]") {
  std::ostringstream out;
  HandClock clock;
  ProgressMeter progress("search", 4, out, ProgressMeter::Style::lines, clock.read());

  for (int step = 0; step < 4; ++step) {
    clock.now += std::chrono::milliseconds(100);
    progress.advance();
  }

  CHECK(out.str() == "search: 100%, 0.4 s\n");
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
