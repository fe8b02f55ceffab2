// The program itself, as a user starts it.
#pragma once

#include <fmt/format.h>
#include <sys/wait.h>

#include <algorithm>
#include <cstdio>
#include <string>

#include "tests/catch.hpp"

namespace skt {

struct ProgramRun {
  int status;
  std::string text;  // standard output and standard error
};

// program: socketlab, or a copy of it.
inline ProgramRun run_socketlab(const std::string& arguments, const std::string& program = SKT_SOCKETLAB) {
  std::FILE* pipe = popen(fmt::format("'{}' {} 2>&1", program, arguments).c_str(), "r");
  REQUIRE(pipe != nullptr);
  std::string text;
  char part[256];
  while (std::fgets(part, sizeof part, pipe) != nullptr) text += part;
  return {WEXITSTATUS(pclose(pipe)), text};
}

inline bool is_one_line(const std::string& text) {
  return std::count(text.begin(), text.end(), '\n') == 1 && text.back() == '\n';
}

}  // namespace skt
