// What must a reader type to get the same results again? The options that were given and the seed; not --threads and
// --out, which change no result.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

#include "experiments/command/command.hpp"

namespace skt {

std::string command_text(const CLI::App& sub, const SharedOptions& shared);

}  // namespace skt
