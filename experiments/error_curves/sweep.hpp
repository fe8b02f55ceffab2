// Along one axis, such as tables, samples or temperature, how large is each error term of the paper's Theorem 3, does
// it agree with its exact centre, how far above it lies the paper's bound, and at which rate does it fall?
//
// Where a budget is set, the error of exact attention over the keys of highest score stands beside them (Algorithm 3):
// no part of Theorem 3, and without an exact centre; its bound is 2 max ||v|| times the softmax mass left out.
//
// Every value of the axis has trials of its own (a seed derived from the value), so the points of a curve are
// independent. The intervals of a sweep share one family-wise error. A wrong oracle, estimator or rate shows as a
// verdict `refuted`.
#pragma once

#include <optional>
#include <vector>

#include "experiments/error_curves/sweep_axes.hpp"
#include "proofs_check/error_curves/curve_slope.hpp"
#include "proofs_check/error_curves/judged_terms.hpp"
#include "proofs_check/judge.hpp"

namespace skt {

// A second axis, at one of its values.
struct SecondAxis {
  Axis axis = Axis::planes;
  double value = 0;
};

struct SweepPlan : SweepProblem {  // the value of the axis is replaced by each of `values`
  Axis axis = Axis::tables;
  std::vector<double> values;
  std::optional<SecondAxis> second{};  // already part of the problem; named in the files
  Effort effort;                       // trials >= 2
  double delta = 0.1;                  // of the bounds, half for the tables and half for the samples, as in Theorem 3
  double family_error = 1e-3;          // probability that any interval of the sweep misses
};

struct AxisPoint {
  double value = 0;
  Setting setting;
  // B, keys: the fullest bucket of any table drawn; what any B that holds almost surely is at least.
  Index occupancy_drawn = 0, occupancy_sure = 0;
  double required_drawn = 0, required_sure = 0;  // the least L that Theorem 3 admits
  double query_norm = 0;
  double largest_value = 0;  // max_j ||v_j||, the trivial bound
  TermResults terms{};
};

// Of sampling along M, of finite tables along L, of the selection along budget and density, of the total along the
// other axes. Judged where the theory knows the power.
struct SlopeResult {
  Term term = Term::total;
  CurveSlope fit;
};

struct SweepResult {
  SweepPlan plan;
  double error_share = 0;  // of the interval of one term at one value
  double slope_error_share = 0;
  std::vector<AxisPoint> points{};
  std::optional<SlopeResult> slope{};  // none with fewer than two usable values above 0, or where !has_ratios(axis)
};

// InputError for a plan that is out of range: a value that its axis does not admit or that stands twice, an axis that
// the family does not know.
void check(const SweepPlan& plan);

// InputError for a plan that fails the check.
SweepResult run_sweep(const SweepPlan& plan, Seed seed);

// Every verdict of the sweep.
std::vector<Verdict> verdicts(const SweepResult& result);

}  // namespace skt
