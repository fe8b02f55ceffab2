// What can a user ask of attend, and which variants does that make?
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "experiments/attend/query.hpp"
#include "experiments/command/command.hpp"

namespace skt {

// As typed; what is empty takes the profile's own value.
struct AttendRequest {
  AttendFiles files;
  std::string profile = "paper", compare;
  std::optional<Index> tables, planes, sink, window;
  std::optional<double> temperature;
  std::string budget;
  AttendSettings settings;  // ranker, scaling, output rule and precision; for the paper's profile
};

void add_attend_options(CLI::App& sub, AttendRequest& request);

// One variant, or two with --compare, the codes still empty. InputError for options that contradict a
// profile.
std::vector<AttendVariant> attend_variants(const AttendRequest& request, AttendProblem& problem, Seed seed);

// What opens the summary of a variant.
nlohmann::ordered_json attend_settings(const AttendProblem& problem, const AttendVariant& variant);

}  // namespace skt
