// How is one probability of a false verdict divided among all random comparisons of a run?
//
// By the union bound, the chance that any of several intervals misses is at most the sum of their errors. A budget
// hands out equal shares and refuses one more than it was divided into; a share can be divided again. It would be wrong
// if the shares could add up to more than the total.
#pragma once

#include <cstddef>

namespace skt {

// The chance that a whole run of `socketlab reproduce` gives any wrong verdict.
inline constexpr double kFamilyWiseError = 1e-3;

// The parts of it. A command takes its own whether it runs alone or within reproduce, so that a verdict has the same
// share of the error wherever it is made.
inline constexpr double kStatementsError = kFamilyWiseError / 2;
inline constexpr double kSweepsError = kFamilyWiseError / 4;
inline constexpr double kFaultsError = kFamilyWiseError / 8;
inline constexpr double kRankingsError = kFamilyWiseError / 8;

class ErrorBudget {
 public:
  // InputError unless 0 < total < 1. No items: nothing to hand out.
  ErrorBudget(double total, std::size_t items);

  // total / items, rounded down. std::logic_error when all have been taken.
  double take();

  std::size_t left() const { return left_; }

 private:
  double share_ = 0;
  std::size_t left_;
};

}  // namespace skt
