#include "proofs_check/near_mutants.hpp"

#include <algorithm>
#include <cmath>

#include "proofs_check/power.hpp"

namespace skt {

bool is_near(const VariantResult& mutant) {
  const Evidence* piece = worst_evidence(mutant.evidence);
  if (mutant.verdict != Verdict::refuted || piece == nullptr) return false;
  const double distance = distance_from_claim(*piece);
  if (piece->error_share > 0) return distance <= kNearDeviations * visible_deviation(*piece);
  const double unit = piece->claimed == 0 ? 1 : std::max(std::abs(piece->claimed), std::abs(piece->observed.lo));
  return distance <= kNearShare * unit;
}

bool has_near_mutant(const StatementResult& result) {
  return std::any_of(result.mutants.begin(), result.mutants.end(), is_near);
}

}  // namespace skt
