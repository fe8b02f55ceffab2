// Along one axis - tables, samples or temperature - how large is each error term of the paper's Theorem 3, does it
// agree with its exact centre, how far above it lies the paper's bound, and at which rate does it fall?
//
// Every value of the axis has trials of its own (a seed derived from the value), so the points of a curve are
// independent. The intervals of a sweep share one family-wise error. A wrong oracle, estimator or rate shows as a
// verdict `refuted`.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "experiments/error_terms.hpp"
#include "proofs_check/statement.hpp"
#include "sim/families.hpp"

namespace skt {

enum class Axis { tables, samples, temperature };
enum class Term { sampling, finite_tables, bias, total };

std::string name_of(Axis axis);
Axis axis_named(const std::string& name);  // InputError names what is allowed
std::string name_of(Term term);

struct SweepPlan {
  FamilyParameters family;
  Setting setting;              // the value of the axis is replaced by each of `values`
  Axis axis = Axis::tables;
  std::vector<double> values;   // tables and samples: whole numbers from 1; temperature: above 0
  Effort effort;                // trials >= 2
  double delta = 0.1;           // of the bounds, half for the tables and half for the samples, as in Theorem 3
  double family_error = 1e-3;   // probability that any interval of the sweep misses
};

// An error term at one value of the axis, in the unit of the values v_j. NaN: not known.
struct TermResult {
  Term term = Term::total;
  double measured = 0;          // root mean square; of the bias its length
  Interval interval;            // of `measured`
  Estimate predicted;
  double bound_drawn = 0;       // the paper's bound with B the fullest bucket of any table drawn
  double bound_sure = 0;        // with B = ceil(N/2), the smallest that can hold almost surely
  // Mean square times L (finite tables) or M (sampling), which the theory makes a constant.
  double scaled = 0;
  Interval scaled_interval;
  Estimate scaled_predicted;
  std::optional<Verdict> verdict;  // none below the number of tables from which a limit in L is judged
};

struct AxisPoint {
  double value = 0;
  Setting setting;
  Index occupancy_drawn = 0, occupancy_sure = 0;     // B, keys
  double required_drawn = 0, required_sure = 0;      // the least L that Theorem 3 admits
  std::vector<TermResult> terms{};                   // in the order of the enumeration
};

// d log(root mean square)/d log(axis) of the term that falls along the axis.
struct SlopeResult {
  Term term = Term::total;
  double slope = 0;
  Interval interval;
  double predicted = 0;
  double first_value = 0;       // of the axis, in the fit
  Verdict verdict = Verdict::inconclusive;
};

struct SweepResult {
  SweepPlan plan;
  double query_norm = 0;
  double largest_value = 0;     // max_j ||v_j||, the trivial bound
  double error_share = 0;       // of the interval of one term at one value
  double slope_error_share = 0;
  std::vector<AxisPoint> points{};
  std::optional<SlopeResult> slope{};  // none along temperature or with fewer than two usable values
};

// InputError for a plan that is out of range.
SweepResult run_sweep(const SweepPlan& plan, Seed seed);

// Every verdict of the sweep.
std::vector<Verdict> verdicts(const SweepResult& result);

}  // namespace skt
