// What in a row of verdicts does the compiled statement, the row's own evidence, or measuring again contradict?
//
// Each interval is compared with the formula of its basis, and the shares of the error with those that the list gives.
// Then the row is made anew from the compiled statement and the evidence of the row: the whole must be the same, and
// every verdict the expected one.
//
// What is measured again at the row's own profile must give the same row. Elsewhere the claims alone are, at smoke size,
// where they are those of every size (statements.hpp): so an edited claim is found wherever it stands, and an edited
// observation unless it needs random numbers and is not asked for. It would be wrong if an edited row met no objection:
// tests/experiments/verify/judge_command_test.cpp edits each field.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "proofs_check/run.hpp"
#include "sim/json.hpp"

namespace skt {

// "field: what stands there, and what should". The first contradiction only: one edit may show in several fields.
using Objection = std::optional<std::string>;

Objection objection_to(const Json& row, const Statement& compiled, double share);

struct Rerun {
  double share = 0;  // of the statements that are not measured in full anyway, those chosen to be: 0 none, 1 all
  Seed seed{1};      // chooses them
};

// How much of a row is measured again? Everything of a statement without chance, or of one that is chosen. But a deep run
// is too long to be repeated unasked, and there claims without chance may depend on the size.
enum class Again { nothing, claims, everything };
Again measured_again(const StatementResult& row, const Rerun& rerun);

Objection objection_when_measured_again(const Json& row, const std::vector<Statement>& all, const Rerun& rerun);

}  // namespace skt
