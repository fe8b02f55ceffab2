// Is a planted lie near the truth, so that its refutation says something about small lies?
//
// Looked at is the piece of evidence that decides (worst_evidence), of a mutant that is refuted:
//
// - with chance: the lie lies off the observation by at most 3 times the deviation that the piece would show with
//   probability 0.99 (power.hpp), at the profile of the run;
// - known without chance: by at most a tenth of the claimed value or of the observed one, whichever is larger in
//   magnitude. A difference that is claimed to be 0 counts in its own unit, as if 1 were claimed: that is right for
//   relative differences and for probabilities, and counts of failures, 1 at least, are never near.
//
// A count that must be 0, an order or a yes or no has no near lie; such a statement says so in `no_near_mutant`. A lie
// that is near at smoke size may be far where more trials see smaller deviations: then the distance of the nearest is
// the reason. It would be wrong if a lie ten times the visible deviation counted as near, or if another than the
// nearest were told.
#pragma once

#include <string>

#include "proofs_check/run.hpp"

namespace skt {

inline constexpr double kNearDeviations = 3;
inline constexpr double kNearShare = 0.1;

bool is_near(const VariantResult& mutant);
bool has_near_mutant(const StatementResult& result);

// In one sentence, for a reader: what the statement says, or else how far off its nearest lie is. Empty where a lie is
// near, and where the statement is expected to be refuted, which is itself the lie that is seen.
std::string why_no_near_mutant(const StatementResult& result);

}  // namespace skt
