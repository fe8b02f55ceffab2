// How does a line for the reader reach standard error? Written or lost, but never in the way: where standard error is
// full or closed, the exit code still tells. fmt::print would throw there, and from a handler nothing catches it.
#pragma once

#include <fmt/format.h>

#include <cstdio>
#include <string>
#include <utility>

namespace skt {

inline void say_text(const std::string& text) noexcept {
  std::fputs(text.c_str(), stderr);
}

// A line end is part of the format.
template <class... Arguments>
void say(fmt::format_string<Arguments...> format, Arguments&&... arguments) {
  say_text(fmt::format(format, std::forward<Arguments>(arguments)...));
}

}  // namespace skt
