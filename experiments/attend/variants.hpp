// Which ways to attend does a request make: the paper's, a published implementation's, or two to compare?
#pragma once

#include <string>
#include <vector>

#include "experiments/attend/request.hpp"
#include "sim/json.hpp"

namespace skt {

// The keys to select of `keys`: `text` is a count, or with a decimal point a fraction, rounded down. InputError for
// anything else, naming the option.
Index budget_of(const std::string& text, Index keys, const char* option = "--budget");

// One variant, or two with --compare, the codes still empty. InputError for options that contradict a profile.
std::vector<AttendVariant> attend_variants(const AttendRequest& request, AttendProblem& problem, Seed seed);

// What opens the summary of a variant.
Json attend_settings(const AttendProblem& problem, const AttendVariant& variant);

}  // namespace skt
