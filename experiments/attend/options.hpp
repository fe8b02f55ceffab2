// What can a user ask of attend?
#pragma once

#include "experiments/attend/request.hpp"
#include "experiments/command/command.hpp"

namespace skt {

void add_attend_options(CLI::App& sub, AttendRequest& request);

}  // namespace skt
