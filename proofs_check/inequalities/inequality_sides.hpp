// What are the two sides of an inequality on one instance, and where is their ratio largest?
//
// One mechanism for the statements on random, structured and tight instances and for the adversarial search: both judge
// the ratio after taking from the left side what rounding can have added to the difference.
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>
#include <string>

#include "proofs_check/evidence.hpp"

namespace skt {

struct InequalitySides {
  double left = 0;
  double right = 0;
  double rounding = 0;  // bounds the rounding of left - right, absolute

  // At most 1 if left <= right holds; the largest number if the right side vanishes and the left does not; NaN stays.
  double ratio() const {
    const double excess = left - rounding;
    if (right > 0) return excess / right;
    return excess > 0 ? std::numeric_limits<double>::max() : excess - right;
  }
};

// The larger ratio of two, the first if equal; a NaN wins.
inline InequalitySides worse(const InequalitySides& a, const InequalitySides& b) {
  return b.ratio() > a.ratio() || std::isnan(b.ratio()) ? b : a;
}

// An identity is two inequalities: neither side exceeds the other, on the side of zero where the right one lies. Their
// quotient rounds by two units more.
inline InequalitySides neither_exceeds(double left, double right, double rounding) {
  const double along = right < 0 ? -left : left, size = std::abs(right);
  const double with_quotient = rounding + 2 * std::numeric_limits<double>::epsilon() * size;
  return worse({along, size, with_quotient}, {size, along, with_quotient});
}

// The same with a rounding of `condition` times the right side.
inline InequalitySides neither_exceeds_by(double condition, double left, double right) {
  return neither_exceeds(left, right, condition * std::abs(right));
}

// The largest ratio of many instances and the name of the first that attains it. An accumulator of run_trials.
struct AttainedSupremum {
  double ratio = -std::numeric_limits<double>::infinity();
  std::string where;
  std::uint64_t trials = 0, in_scope = 0;

  template <class Name>
  void add(const InequalitySides& sides, Name name) {
    ++trials, ++in_scope;
    const double r = sides.ratio();
    if (in_scope > 1 && !(r > ratio || std::isnan(r))) return;
    ratio = larger(ratio, r);
    where = name();
  }
  void add_out_of_scope() { ++trials; }
  void merge(const AttainedSupremum& later) {
    const bool takes = later.in_scope > 0 && (in_scope == 0 || later.ratio > ratio || std::isnan(later.ratio));
    if (takes) ratio = later.ratio, where = later.where;
    trials += later.trials, in_scope += later.in_scope;
  }
};

// Claimed to be at most 1: what rounding can add has been taken off already. `family` says which instances.
inline Evidence supremum(const std::string& family, const AttainedSupremum& s) {
  return supremum({family + "; attained on " + s.where, "sup left/right"}, s.ratio, 0, s.trials, s.in_scope);
}

// An instance on which the two sides are equal, or on which a mutant must show.
inline Evidence tight(const std::string& instance, const InequalitySides& s, Equality equality) {
  return exact({instance, "left/right"}, s.left / s.right, bounded_by(1, s.rounding / s.right, equality));
}

}  // namespace skt
