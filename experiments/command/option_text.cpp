#include "experiments/command/option_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>
#include <string_view>

namespace skt {
namespace {

// They choose how and where a run is done, and no result follows from them; the seed is written in any case.
constexpr std::array<std::string_view, 6> kLeftOut{"--threads", "--out", "--slice", "--merge", "--force", "--seed"};

}  // namespace

std::string command_text(const CLI::App& sub, const SharedOptions& shared) {
  std::set<const CLI::Option*> seen;
  std::string text = "socketlab " + sub.get_name();
  for (const CLI::Option* option : sub.parse_order()) {
    const std::string name = option->get_name();
    const bool left_out = std::find(kLeftOut.begin(), kLeftOut.end(), name) != kLeftOut.end();
    if (left_out || !seen.insert(option).second) continue;
    text += fmt::format(" {} {}", name, fmt::join(option->results(), ","));
  }
  return text + fmt::format(" --seed {}", shared.seed);
}

std::string comma_list(const std::vector<std::string>& items, ListLayout layout) {
  std::string text;
  Index column = layout.indent;
  for (Index i = 0; i < std::ssize(items); ++i) {
    const std::string item = items[i] + (i + 1 < std::ssize(items) ? "," : "");
    const bool first = column == layout.indent;
    if (!first && column + 1 + std::ssize(item) > layout.width) {
      text += "\n" + std::string(layout.indent, ' ') + item;
      column = layout.indent + std::ssize(item);
    } else {
      text += (first ? "" : " ") + item;
      column += std::ssize(item) + (first ? 0 : 1);
    }
  }
  return text;
}

}  // namespace skt
