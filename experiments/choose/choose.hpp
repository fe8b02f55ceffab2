// Which rule loses least on the caller's own queries, keys and values?
//
// For every query, rule and budget: sink and window keys, then the `budget` others of highest score (ties to the lower
// index), with exact softmax attention over them. MagicPIG draws its keys at the tables whose density is the budget and
// weighs them by 1/u; sink and window are in its list for certain. Every rule sees the same queries, so that rules are
// compared by paired differences. A rule that read another head's keys, or a mask that was left out, would show against
// NumPy: tests/experiments/choose/choose_test.py.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "estimators/peers/rules.hpp"
#include "experiments/choose/dense_query.hpp"

namespace skt {

struct ChoosePlan {
  std::vector<std::string> rules = default_rules();
  std::vector<Index> budgets{};  // keys on top of sink and window; rising
  Index sink = 0, window = 0;
  HashSettings hash{};
  Hyperplanes hyperplanes{};  // of SOCKET and LSH, as many as `hash` says, for every key head
  Seed seed{1};
  Lists lists = Lists::head;
  GroupRule group{};  // of a list for a KV head
};

struct MeasuredRule {
  std::string rule;
  std::vector<double> bits_per_key;  // [budgets]; read for scoring; NaN of the caller's own scores
  std::vector<KeptOfQuery> kept;     // [queries, budgets]; no keys: the rule has no selection of that size
};

// In the order of plan.rules; `step` is called once for each query. The problem's elements have been checked. InputError
// for rules that do not go together with each other, the lists or the arrays.
std::vector<MeasuredRule> measure_rules(AttendProblem& problem, const ChoosePlan& plan,
                                        const std::function<void()>& step = {});

}  // namespace skt
