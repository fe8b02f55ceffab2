// What does a piece of evidence say about its claim?
//
// A pure function of the numbers, so that a verdict can be recomputed from its row. There is no verdict "proved": a
// statement that survives is "not-refuted".
#pragma once

#include <vector>

#include "proofs_check/evidence.hpp"

namespace skt {

enum class Verdict { refuted, not_refuted, inconclusive };

// refuted: the observed interval lies wholly outside the claim. inconclusive: a non-finite number, no trial, fewer than
// 1% of the trials in scope, or an interval wider than the resolution. Otherwise not-refuted. Refuted takes precedence
// over a wide interval, never over a non-finite number or missing trials.
Verdict judge(const Evidence& evidence);

// Of several pieces: refuted if any is; else inconclusive if any is or if there is none; else not-refuted.
Verdict judge(const std::vector<Evidence>& evidence);

}  // namespace skt
