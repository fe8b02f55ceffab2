// A command line with one subcommand, parsed as main.cpp does it, and run when the test says so.
#pragma once

#include <string>

#include "experiments/command/command.hpp"

namespace skt {

class ParsedCommand {
 public:
  using Add = void (*)(CLI::App&, SharedOptions&);

  // `words`: what follows "socketlab", with the name of the subcommand first. Throws what CLI11 refuses.
  ParsedCommand(Add add, const std::string& words) {
    add(app_, shared_);
    check_every_text(app_);
    app_.parse(words);
  }

  int run() const { return shared_.chosen(); }

 private:
  CLI::App app_;
  SharedOptions shared_;
};

}  // namespace skt
