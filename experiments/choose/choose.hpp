// Which rule loses least on the caller's own queries, keys and values?
//
// For every query, rule and budget: sink and window keys, then the `budget` others of highest score (ties to the lower
// index), with exact softmax attention over them. MagicPIG draws its keys at the tables whose density is the budget and
// weighs them by 1/u; sink and window are in its list for certain. Every rule sees the same queries, so that rules are
// compared by paired differences. A rule that read another head's keys, or a mask that was left out, would show against
// NumPy: python/tests/choose_test.py.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "estimators/peers/rules.hpp"
#include "experiments/choose/dense_query.hpp"
#include "experiments/files/csv.hpp"

namespace skt {

struct ChoosePlan {
  std::vector<std::string> rules = default_rules();
  std::vector<Index> budgets{};  // keys on top of sink and window; rising
  SelectionRule always{};        // sink and window
  HashSettings hash{};
  Hyperplanes hyperplanes{};  // of SOCKET and LSH, as many as `hash` says, for every key head
  Seed seed{1};
  Lists lists = Lists::head;
  GroupRule group{};  // of a list for a KV head
};

struct MeasuredRules {
  std::vector<std::vector<double>>
      bits_per_key{};  // [rules, budgets]; read for scoring; NaN of the caller's own scores
  // [queries], of each [rules, budgets]; no keys: the rule has no selection of that size.
  std::vector<std::vector<KeptOfQuery>> kept{};
};

// Calls `step` once for each query. The problem's elements have been checked. InputError for rules that do not go together
// with each other, the lists or the arrays.
MeasuredRules measure_rules(AttendProblem& problem, const ChoosePlan& plan, const std::function<void()>& step);

// What is said of it.
struct Chosen {
  std::string text;
  std::vector<std::pair<std::string, CsvTable>> tables;  // by the names of their files without .csv
  bool found = true;                                     // by a search: a setting that reaches the target
};

}  // namespace skt
