// What is proved of the residual weight and of the output's error, by a sample of the rest?
//
// Symbols as in estimators/residual/rest_sample.hpp. Every limit holds with probability at least 1 - delta, over the
// draws and over the rows that the ceilings are made of, for one query; proofs: docs/bounds/residual.md. A limit that is
// exceeded more often would show in OWN-16c, d and e.
#pragma once

#include <functional>
#include <optional>

#include "estimators/residual/rest_sample.hpp"

namespace skt {

// Of delta: what the ceilings get, that none is below its logit. The draws get the other 0.9.
inline constexpr double kCeilingShare = 0.1;

// D_R exceeds it with probability at most `error` where the ceilings hold: by betting. Exact of a whole rest. Infinite
// if a sampled key lies above its ceiling, by more than rounding: then the ceilings do not hold, and nothing is known.
double rest_weight_limit(const RestDraws& draws, double error);

// Student's upper limit of D_R: nominal, as the draws are not normal. Exact of a whole rest.
double nominal_rest_weight_limit(const RestDraws& draws, double error);

// How far the estimate of G may be off, but with probability `error` where the ceilings hold and D_R <= weight_limit:
// Pinelis 1994, Theorem 3.4, for vectors. `longest` is at least |v_j - y_S| for every key of the rest.
double moved_radius(const RestDraws& draws, double weight_limit, double longest, double error);

// limit/(listed + limit), 1 for an infinite one.
double residual_of(double listed_weight, double rest_weight);

struct ResidualPlan {
  Index samples = 256;  // 2 and more
  double delta = 0.05;
  RestSampling sampling = RestSampling::weighted;
  std::optional<double> target{};  // the list grows until the limit of the residual weight is at most this
};

struct ResidualReport {
  std::vector<Index> list;    // as select_keys orders it
  Index read = 0;             // keys of the rest, of all stages
  Index stages = 1;           // lists tried
  double estimate = 0;        // D^/(D_S + D^)
  double limit = 0;           // proved, of the residual weight
  double nominal_limit = 0;   // Student's, at delta
  double error_estimate = 0;  // |G^|/(D_S + D^), of the output over the list
  double error_limit = 0;     // proved
  Vector corrected;           // [value_dim]
};

// Of a target: the budgets that are tried, each half as large again as the one before, at least 1; then all keys. Without
// one `budget` alone.
std::vector<Index> budgets_tried(Index budget, Index allowed, bool grows);

// The keys selected with a budget, as select_keys orders them; of all allowed keys it selects all.
using ListOfBudget = std::function<std::vector<Index>(Index budget)>;

// What attention over the list of `budget` is short of; of a target, over the first of the lists tried that is certified,
// or else over all keys. `ceilings` [keys], of the logits (-infinity: not allowed), hold with probability
// 1 - kCeilingShare delta; each stage gets an equal part of the rest of delta, as many draws, and the step
// at.step + stage. Empty where no key is selected. InputError for fewer than 2 samples.
std::optional<ResidualReport> residual_report(const Vector& logits, const Matrix& values, const Vector& ceilings,
                                              Index budget, const ListOfBudget& list_of, const ResidualPlan& plan,
                                              const RestAddress& at);

}  // namespace skt
