#include "experiments/parts/interruption.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <csignal>

namespace skt {
namespace {

constexpr int kSignals[] = {SIGINT, SIGTERM};

// A signal handler knows nothing but what is static; it is set before the handler and cleared after.
const char* said = nullptr;
std::size_t said_bytes = 0;

// Of what POSIX lets a handler call. SA_RESETHAND has put the default back: the signal raised again ends the process.
void say_and_end(int number) {
  [[maybe_unused]] const ssize_t written = write(STDERR_FILENO, said, said_bytes);
  raise(number);
}

void exchange(void (*from)(int), void (*to)(int), int flags) {
  for (const int number : kSignals) {
    struct sigaction now{};
    if (sigaction(number, nullptr, &now) != 0 || now.sa_handler != from) continue;
    struct sigaction wanted{};
    wanted.sa_handler = to;
    wanted.sa_flags = flags;
    sigemptyset(&wanted.sa_mask);
    sigaction(number, &wanted, nullptr);
  }
}

}  // namespace

SaysWhenInterrupted::SaysWhenInterrupted(const std::string& line) : line_(fmt::format("\n{}\n", line)) {
  said = line_.data(), said_bytes = line_.size();
  exchange(SIG_DFL, say_and_end, static_cast<int>(SA_RESETHAND));
}

SaysWhenInterrupted::~SaysWhenInterrupted() {
  exchange(say_and_end, SIG_DFL, 0);
}

}  // namespace skt
