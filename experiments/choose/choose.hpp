// Which rule loses least on the caller's own queries, keys and values?
//
// For every query, rule and budget: sink and window keys, then the `budget` others of highest score (ties to the lower
// index), with exact softmax attention over them. MagicPIG draws its keys at the tables whose density is the budget and
// weighs them by 1/u; sink and window are in its list for certain. Every rule sees the same queries, so that rules are
// compared by paired differences. A rule that read another head's keys, or a mask that was left out, would show against
// NumPy: python/tests/choose_test.py.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "estimators/peers/rules.hpp"
#include "experiments/choose/dense_query.hpp"
#include "experiments/files/csv.hpp"

namespace skt {

class Fields;

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

// A table for each budget and its line of conclusion: the best, and those whose error is not told apart from its. The
// files are of the rules, of their differences and of all queries.
Chosen compared(const MeasuredRules& measured, const ChoosePlan& plan, double family_error);

// Of the rest of the plan a search takes sink and window, the scaling and the seed.
struct SearchPlan : ChoosePlan {
  std::optional<double> target_error, target_mass;  // mean at most, or at least; an error of 0.1 where neither is given
  std::vector<Index> planes{4, 6, 8, 10, 12};
  std::vector<Index> tables{5, 10, 20, 30, 40, 60, 80, 120};  // rising
  std::vector<double> temperatures{0.06, 0.25, 0.5, 1, 2};
  Index queries = 64;  // that are measured at most, evenly spread over each key head; one a key head at least
  Index redraws = 8;   // of the tables, at which the best settings are measured again
  Index draws = 8;     // of the hyperplanes; query i of a key head is measured at draw i mod draws

  double target() const { return target_mass.value_or(target_error.value_or(0.1)); }
  bool reaches(double mean) const { return target_mass ? mean >= target() : mean <= target(); }
};

// The settings that reach the target, with their frontier, and the one that reads least at other draws of the tables. Calls
// `step` search_steps times, or less often where no setting reaches the target.
Chosen searched(AttendProblem& problem, const SearchPlan& plan, const std::function<void()>& step);
std::uint64_t search_steps(const AttendProblem& problem, const SearchPlan& plan);

// What is asked of choose: the command and the Python package ask and answer in the same words.
struct ChooseRequest {
  AttendFiles files;
  std::vector<std::string> budgets{"0.05"};
  std::optional<Index> tables, planes;
  SearchPlan plan;  // its budgets, hyperplanes and seed follow from the rest and the arrays
  double family_error = 0.05;
  bool search = false;
};

void add_fields(Fields& fields, ChooseRequest& request);

// Calls `expect` once with the number of steps. The problem's elements have been checked, of a batch merged. InputError for
// budgets that the keys do not have and hyperplanes of another size.
Chosen chosen(const ChooseRequest& request, AttendProblem& problem, Seed seed,
              const std::function<void(std::uint64_t)>& expect, const std::function<void()>& step);

}  // namespace skt
