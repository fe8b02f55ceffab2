// What can a user ask of attend?
#pragma once

#include <optional>
#include <string>

#include "experiments/attend/query.hpp"
#include "experiments/attend/report.hpp"
#include "experiments/command/command.hpp"

namespace skt {

// As typed; what is empty takes the profile's own value.
struct AttendRequest {
  AttendFiles files;
  std::string profile = "paper", compare;
  std::optional<Index> tables, planes, sink, window;
  std::optional<double> temperature;
  std::string budget;
  ScoresFile scores = ScoresFile::written;
  AttendSettings settings;  // ranker, scaling, output rule and precision; for the paper's profile
};

// Of the paper's main experiments (Table 6): what an empty count of tables or planes means.
constexpr Index kDefaultTables = 60;
constexpr Index kDefaultPlanes = 10;

void add_attend_options(CLI::App& sub, AttendRequest& request);

}  // namespace skt
