// The line with which a command line, an option or a file is refused.
#pragma once

#include <stdexcept>
#include <string>

namespace skt {

// Of InputError and of CLI11's errors, which both derive from std::runtime_error; empty if nothing is refused.
template <class Action>
std::string refusal(Action&& action) {
  try {
    action();
  } catch (const std::runtime_error& error) {
    return error.what();
  }
  return "";
}

}  // namespace skt
