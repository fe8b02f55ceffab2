// A command line with one subcommand, parsed as main.cpp does it, and run when the test says so.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "experiments/command/command.hpp"

namespace skt {

class ParsedCommand {
 public:
  using Add = void (*)(CLI::App&, SharedOptions&);

  // `words`: what follows "socketlab", with the name of the subcommand first. Throws what CLI11 refuses.
  ParsedCommand(Add add, const std::string& words);
  ~ParsedCommand();
  ParsedCommand(const ParsedCommand&) = delete;
  ParsedCommand& operator=(const ParsedCommand&) = delete;

  int run() const { return shared_.chosen(); }

 private:
  std::unique_ptr<CLI::App> app_;
  SharedOptions shared_;
};

// What --help says of the subcommand.
std::string help_of(ParsedCommand::Add add);

// A command line of the options that `add` declares. Throws what CLI11 refuses.
void parse_options(const std::function<void(CLI::App&)>& add, const std::string& words);

}  // namespace skt
