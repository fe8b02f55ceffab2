// What a program of commands does with its arguments: read, refuse, run, and say by its exit code how that went
// (command.hpp). socketlab and socketlab-gpu are such programs.
#pragma once

#include <vector>

#include "experiments/command/command.hpp"

namespace skt {

// Returns the exit code.
int run_command_line(int argc, char** argv, const std::vector<MakeCommand>& commands);

}  // namespace skt
