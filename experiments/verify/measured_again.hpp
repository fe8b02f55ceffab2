// Does measuring again give the row that a file holds?
//
// A statement without chance, or one that is asked for, is measured again at the row's own profile: the whole row must
// be the same. Of the others the claims are, at smoke size, where they are those of every size (statements.hpp): the
// number of pieces, and of each its instance, quantity, relation, claimed value with error, and resolution. So an edited
// claim is found wherever it stands, and an edited observation unless it needs random numbers and is not asked for.
//
// A deep run is too long to be repeated unasked: there statements without chance, whose claims may depend on the size,
// are not measured unless they are asked for.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "proofs_check/run.hpp"
#include "sim/json.hpp"

namespace skt {

struct Rerun {
  double share = 0;  // of the statements that are not measured in full anyway, those chosen to be: 0 none, 1 all
  Seed seed{1};      // chooses them
};

// How much of a row is measured again?
enum class Again { nothing, claims, everything };
Again measured_again(const StatementResult& row, const Rerun& rerun);

// "field: what stands there, and what was measured": the first difference.
std::optional<std::string> difference_when_measured_again(const Json& row, const std::vector<Statement>& all,
                                                          const Rerun& rerun);

}  // namespace skt
