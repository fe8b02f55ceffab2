// Are the two sides of an identity equal, on every instance tried?
//
// Left over right, claimed to be 1 up to rounding. Of all pairs the one counts whose difference is largest in units of
// its own rounding, so that the check is as strict as |left - right| <= rounding on each of them, and a planted lie of
// one percent reads .99 or 1.01. It would be wrong if a pair that differs by more than its rounding were lost among
// others; the tests lose none.
#pragma once

#include <cmath>
#include <cstdint>

#include "proofs_check/evidence.hpp"
#include "sim/matrix.hpp"

namespace skt {

// An accumulator of run_trials.
struct BothSides {
  double ratio = 1;
  double rounding = 0;        // relative
  double excess = -HUGE_VAL;  // |left - right|/rounding of that pair; minus infinity while there is none
  std::uint64_t pairs = 0;

  // `absolute` bounds what rounding can make of left - right; > 0. Beside a right side within it a ratio says nothing:
  // there 1 plus the difference in units of the rounding stands, claimed to be 1 up to 1.
  void add(double left, double right, double absolute) {
    ++pairs;
    const double found = std::abs(left - right) / absolute;
    if (!(found > excess || std::isnan(found))) return;
    excess = larger(excess, found);
    const bool vanishes = std::abs(right) <= absolute;
    ratio = vanishes ? 1 + found : left / right;
    rounding = vanishes ? 1 : absolute / std::abs(right);
  }
  void add(const Vector& left, const Vector& right, double absolute) {
    for (Index i = 0; i < right.size(); ++i) add(left(i), right(i), absolute);
  }
  void merge(const BothSides& later) {
    const std::uint64_t all = pairs + later.pairs;
    if (later.excess > excess || std::isnan(later.excess)) *this = later;
    pairs = all;
  }

  // Without a pair: inconclusive.
  Evidence evidence(const Observed& what) const {
    Evidence e = exact(what, ratio, equals(1, rounding));
    e.trials = e.trials_in_scope = pairs;
    return e;
  }
};

}  // namespace skt
