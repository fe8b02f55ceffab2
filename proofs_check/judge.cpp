#include "proofs_check/judge.hpp"

#include <cmath>

#include "sim/number.hpp"

namespace skt {
namespace {

// Hypotheses met in fewer trials than this say nothing about the statement.
constexpr double kLeastShareInScope = 0.01;

bool usable(const Evidence& e) {
  const bool finite = std::isfinite(e.observed.lo) && std::isfinite(e.observed.hi) && std::isfinite(e.claimed) &&
                      std::isfinite(e.claimed_error) && std::isfinite(e.resolution);
  return finite && e.observed.lo <= e.observed.hi && e.claimed_error >= 0 && e.trials_in_scope > 0 &&
         real(e.trials_in_scope) >= kLeastShareInScope * real(e.trials);
}

bool outside(const Evidence& e) {
  const bool above = e.observed.lo > e.claimed + e.claimed_error;
  const bool below = e.observed.hi < e.claimed - e.claimed_error;
  switch (e.relation) {
    case Relation::at_most:
      return above;
    case Relation::at_least:
      return below;
    case Relation::equal:
      return above || below;
  }
  return true;
}

}  // namespace

Verdict judge(const Evidence& evidence) {
  if (!usable(evidence)) return Verdict::inconclusive;
  if (outside(evidence)) return Verdict::refuted;
  return evidence.observed.width() <= evidence.resolution ? Verdict::not_refuted : Verdict::inconclusive;
}

Verdict judge(const std::vector<Evidence>& evidence) {
  Verdict worst = evidence.empty() ? Verdict::inconclusive : Verdict::not_refuted;
  for (const Evidence& piece : evidence) {
    const Verdict one = judge(piece);
    if (one == Verdict::refuted) return Verdict::refuted;
    if (one == Verdict::inconclusive) worst = one;
  }
  return worst;
}

}  // namespace skt
