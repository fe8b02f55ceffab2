// What in a row of verdicts does the compiled statement, or the row's own evidence, contradict?
//
// Compared without measuring: every text, the names of mutants and controls, what is expected; each interval with the
// formula of its basis; the shares of the error with those that the list gives; each verdict and each summary with the
// evidence. It would be wrong if an edited row met no objection: tests/experiments/verify/judge_command_test.cpp edits
// each field.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "proofs_check/run.hpp"

namespace skt {

// "field: what stands there, and what should". The first contradiction only: one edit may show in several fields.
std::optional<std::string> objection_to(const nlohmann::ordered_json& row, const Statement& compiled, double share);

}  // namespace skt
