// What in a row of verdicts does the compiled statement, or the row's own evidence, contradict?
//
// Each interval is compared with the formula of its basis, and the shares of the error with those that the list gives.
// Then the row is made anew from the compiled statement and the evidence of the row: every text, name, verdict and
// summary must be the same, and every verdict the expected one. It would be wrong if an edited row met no objection: tests/experiments/verify/judge_command_test.cpp edits
// each field.
#pragma once

#include <optional>
#include <string>

#include "proofs_check/run.hpp"
#include "sim/json.hpp"

namespace skt {

// "field: what stands there, and what should". The first contradiction only: one edit may show in several fields.
std::optional<std::string> objection_to(const Json& row, const Statement& compiled, double share);

// "field: a in the row, b `which`" for the first place where two rows differ.
std::optional<std::string> first_difference(const Json& row, const Json& again, const std::string& which);

}  // namespace skt
