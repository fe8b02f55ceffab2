// What a command prints: standard output as text.
#pragma once

#include <unistd.h>

#include <cstdio>
#include <string>

#include "tests/catch.hpp"

namespace skt {

// Of an action that does not throw.
template <class Action>
std::string printed(Action&& action) {
  std::FILE* file = std::tmpfile();
  REQUIRE(file != nullptr);
  std::fflush(stdout);
  const int kept = dup(STDOUT_FILENO);
  dup2(fileno(file), STDOUT_FILENO);
  action();
  std::fflush(stdout);
  dup2(kept, STDOUT_FILENO);
  close(kept);
  REQUIRE(std::fseek(file, 0, SEEK_SET) == 0);
  std::string text;
  char part[256];
  while (std::fgets(part, sizeof part, file) != nullptr) text += part;
  std::fclose(file);
  return text;
}

}  // namespace skt
