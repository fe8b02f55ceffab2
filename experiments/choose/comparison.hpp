// Which rule loses least, and which cannot be told apart from it?
//
// Means over queries with their spread, and paired differences of all rules with simultaneous intervals: one probability
// of any interval missing is divided evenly among all pairs, budgets and the three metrics (Bonferroni). Nominal:
// Student's, for queries taken as independent draws. A query whose error is not defined for one of two rules counts for
// neither. Oracles are in the tables and never called the best. A wrong interval, or a share for each pair alone, would
// show in python/tests/choose_test.py.
#pragma once

#include "experiments/choose/choose.hpp"

namespace skt {

// A table for each budget and its line of conclusion: the best, and those whose error is not told apart from its. The
// files are of the rules, of their differences and of all queries.
Chosen compared(const MeasuredRules& measured, const ChoosePlan& plan, double family_error);

}  // namespace skt
