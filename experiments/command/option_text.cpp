#include "experiments/command/option_text.hpp"

#include <fmt/format.h>

#include <set>

namespace skt {

std::string command_text(const CLI::App& sub, const SharedOptions& shared) {
  std::set<const CLI::Option*> seen;
  std::string text = "socketlab " + sub.get_name();
  for (const CLI::Option* option : sub.parse_order()) {
    const std::string name = option->get_name();
    const bool changes_nothing = name == "--threads" || name == "--out" || name == "--seed";
    if (changes_nothing || !seen.insert(option).second) continue;
    text += fmt::format(" {} {}", name, fmt::join(option->results(), ","));
  }
  return text + fmt::format(" --seed {}", shared.seed);
}

}  // namespace skt
