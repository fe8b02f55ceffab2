#include "gpu/emulation/settings.hpp"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

namespace skt::emulation {
namespace {

[[noreturn]] void refuse(const char* name, const char* text, const char* allowed) {
  std::fprintf(stderr, "%s=%s: allowed are %s\n", name, text, allowed);
  std::_Exit(2);
}

bool is_number(const std::string& text) {
  return !text.empty() && text.size() < 19 && text.find_first_not_of("0123456789") == std::string::npos;
}

Settings read() {
  Settings result;
  if (const char* order = std::getenv("SKT_EMULATED_ORDER"); order != nullptr) {
    if (std::strcmp(order, "reverse") == 0) {
      result.order = Order::reverse;
    } else if (is_number(order)) {
      result.order = Order::random;
      result.seed = std::strtoull(order, nullptr, 10);
    } else if (std::strcmp(order, "forward") != 0) {
      refuse("SKT_EMULATED_ORDER", order, "forward, reverse, or a seed");
    }
  }
  if (const char* copies = std::getenv("SKT_EMULATED_COPIES"); copies != nullptr) {
    if (std::strcmp(copies, "early") == 0) {
      result.copies = Copies::early;
    } else if (std::strcmp(copies, "late") != 0) {
      refuse("SKT_EMULATED_COPIES", copies, "late, early");
    }
  }
  if (const char* kernels = std::getenv("SKT_EMULATED_KERNELS"); kernels != nullptr) {
    if (std::strcmp(kernels, "in-turn") == 0) {
      result.kernels = Kernels::in_turn;
    } else if (std::strcmp(kernels, "overlap") != 0) {
      refuse("SKT_EMULATED_KERNELS", kernels, "overlap, in-turn");
    }
  }
  if (const char* count = std::getenv("SKT_EMULATED_MULTIPROCESSORS"); count != nullptr) {
    result.multiprocessors = is_number(count) && std::strlen(count) <= 4 ? std::atoi(count) : 0;
    if (result.multiprocessors < 1 || result.multiprocessors > 1024) {
      refuse("SKT_EMULATED_MULTIPROCESSORS", count, "1 to 1024");
    }
  }
  return result;
}

}  // namespace

Settings& settings() {
  static Settings chosen = read();
  return chosen;
}

}  // namespace skt::emulation
