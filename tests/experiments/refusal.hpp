// The line with which a command line, an option or a file is refused.
#pragma once

#include <stdexcept>
#include <string>

namespace skt {

// Empty if nothing is refused.
template <class Error = std::runtime_error, class Action>
std::string refusal(Action&& action) {
  try {
    action();
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

}  // namespace skt
