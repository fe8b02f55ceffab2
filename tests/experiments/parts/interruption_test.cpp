#include "experiments/parts/interruption.hpp"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/catch.hpp"

using namespace skt;

namespace {

struct Ended {
  int signal = 0;  // 0: it ended by itself
  std::string said;
};

// What a process that runs `body` writes to standard error, and how it ends.
template <class Body>
Ended in_a_process(Body body) {
  int ends[2];
  REQUIRE(pipe(ends) == 0);
  const pid_t child = fork();
  if (child == 0) {
    dup2(ends[1], STDERR_FILENO);
    close(ends[0]);
    body();
    _exit(0);
  }
  close(ends[1]);
  Ended ended;
  char part[256];
  for (ssize_t bytes = 0; (bytes = read(ends[0], part, sizeof part)) > 0;) ended.said.append(part, bytes);
  close(ends[0]);
  int status = 0;
  REQUIRE(waitpid(child, &status, 0) == child);
  ended.signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
  return ended;
}

}  // namespace

TEST_CASE("An interrupted run says its line and ends by the signal", "[unit]") {
  for (const int number : {SIGINT, SIGTERM}) {
    const Ended ended = in_a_process([number] {
      signal(number, SIG_DFL);
      const SaysWhenInterrupted says("kept");
      raise(number);
    });
    CHECK(ended.signal == number);
    CHECK(ended.said == "\nkept\n");
  }
}

TEST_CASE("Nothing is said after it, nor where the signal is ignored", "[unit]") {
  const Ended after = in_a_process([] {
    signal(SIGTERM, SIG_DFL);
    {
      const SaysWhenInterrupted says("kept");
    }
    raise(SIGTERM);
  });
  CHECK(after.signal == SIGTERM);
  CHECK(after.said.empty());

  const Ended ignored = in_a_process([] {
    signal(SIGINT, SIG_IGN);
    const SaysWhenInterrupted says("kept");
    raise(SIGINT);
  });
  CHECK(ignored.signal == 0);
  CHECK(ignored.said.empty());
}
