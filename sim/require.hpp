// How is input refused that a user can mend? By one exception: what is wrong, where, and what is allowed, in one line.
//
// The command line prints the line and exits with status 2. Messages are formatted here and nowhere else; a message
// whose braces do not fit its arguments does not compile.
#pragma once

#include <fmt/format.h>

#include <stdexcept>
#include <utility>

namespace skt {

class InputError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

template <class... Args>
[[noreturn]] void refuse(fmt::format_string<Args...> message, Args&&... args) {
  throw InputError(fmt::format(message, std::forward<Args>(args)...));
}

// Refuses unless `holds`; NaN in a comparison does not hold. The arguments are evaluated either way: where that costs
// or may fail, `if (..) refuse(..)`.
template <class... Args>
void require(bool holds, fmt::format_string<Args...> message, Args&&... args) {
  if (!holds) refuse(message, std::forward<Args>(args)...);
}

}  // namespace skt
