#include "tests/experiments/parsed_command.hpp"

#include <CLI/CLI.hpp>

namespace skt {

ParsedCommand::ParsedCommand(Add add, const std::string& words) : app_(std::make_unique<CLI::App>()) {
  add(*app_, shared_);
  check_every_text(*app_);
  app_->parse(words);
}

ParsedCommand::~ParsedCommand() = default;

std::string help_of(ParsedCommand::Add add) {
  CLI::App app;
  SharedOptions shared;
  add(app, shared);
  const CLI::App& added = app;
  return added.get_subcommands({}).front()->help();
}

void parse_options(const std::function<void(CLI::App&)>& add, const std::string& words) {
  CLI::App app;
  add(app);
  app.parse(words);
}

}  // namespace skt
