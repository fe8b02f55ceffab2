// Which planes, tables, temperature and number of keys reach a wanted error or mass on the caller's arrays, at which cost?
//
// Every setting of the grid is measured on a number of queries: tables nest, so that one pass over the largest L gives every
// smaller one, and one order of the keys gives every budget. Of each setting the fewest keys are kept whose mean over
// queries reaches the target. The queries of a key head are dealt out over several draws of the hyperplanes, since on
// anisotropic keys one draw favours settings that need twice the keys at another. The best of many settings is chosen by
// its own result; the best ones are therefore measured at other draws, and of the one that is then named an error is proved
// for yet another draw (Theorem 5, docs/bounds/redraws.md). A setting that the search ranks wrongly would show in
// python/tests/choose_search_test.py.
#pragma once

#include "experiments/choose/choose.hpp"

namespace skt {

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

}  // namespace skt
