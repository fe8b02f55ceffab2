// A command with the words behind its name, read as the program does it, and run when the test says so.
#pragma once

#include <string>

#include "experiments/command/arguments.hpp"

namespace skt {

class ParsedCommand {
 public:
  using Make = MakeCommand;

  // `words`: what follows "socketlab", with the name of the command first, which is not looked at; ' quotes. InputError
  // for what is refused.
  ParsedCommand(Make make, const std::string& words);

  int run() const { return command_.run(); }

 private:
  Command command_;
};

std::vector<std::string> words_of(const std::string& line);

}  // namespace skt
