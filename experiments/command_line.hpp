// What a program with subcommands does with its arguments: parse, refuse, run, and say by its exit code how that went
// (command.hpp). socketlab and socketlab-gpu are such programs.
#pragma once

#include "experiments/command/command.hpp"

namespace skt {

using AddCommands = void (*)(CLI::App& app, SharedOptions& shared);

// Returns the exit code. add_commands: a line for each subcommand.
int run_command_line(int argc, char** argv, AddCommands add_commands);

}  // namespace skt
