#include "tests/experiments/parsed_command.hpp"

namespace skt {

std::vector<std::string> words_of(const std::string& line) {
  std::vector<std::string> words;
  bool quoted = false, open = false;
  for (const char c : line) {
    if (c == '\'') {
      quoted = !quoted;
      if (!open) words.emplace_back();
      open = true;
    } else if (c == ' ' && !quoted) {
      open = false;
    } else {
      if (!open) words.emplace_back();
      open = true;
      words.back() += c;
    }
  }
  return words;
}

ParsedCommand::ParsedCommand(Make make, const std::string& words) : command_(make()) {
  std::vector<std::string> all = words_of(words);
  all.erase(all.begin());
  read_arguments(command_, all);
}

}  // namespace skt
