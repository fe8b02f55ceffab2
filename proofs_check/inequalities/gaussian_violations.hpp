// How often do L tables break a bound on Gaussian keys, where no bound is tight?
//
// 32 keys in d = 16 with values in four dimensions, P = 2, tau = .3 and B = N, at the number of tables that Lemma 8
// asks for at delta = .1. Nothing false within the factor that the row tells could be refuted here; it is the whole
// estimator that is looked at. It would be wrong if a bound of nothing were kept, or one above all errors broken.
#pragma once

#include <functional>

#include "proofs_check/context.hpp"
#include "proofs_check/evidence.hpp"
#include "proofs_check/inequalities/tail_bounds.hpp"
#include "proofs_check/laws/exact_population.hpp"
#include "proofs_check/laws/paper_error_bounds.hpp"
#include "proofs_check/laws/table_scores.hpp"

namespace skt {

constexpr double kGaussianDelta = 0.1;

struct GaussianKeys {
  Instance instance;
  Population population;
  BoundConstants constants;
  Index tables;

  double mass_error(const FiniteTables& t) const { return t.normaliser - population.soft_mass; }  // Z~ - Z_tau
  double numerator_error(const FiniteTables& t) const;                                            // |n~ - n_tau|
  double output_error(const FiniteTables& t) const;                                               // |y_tauL - y_tau|

  // What no tables exceed, since every soft score lies in [0, 1]: of Z~ - Z_tau and of |n~ - n_tau|. Of outputs the
  // longest value.
  double largest_mass_error() const;
  double largest_numerator_error() const;
  double longest_value() const;
};

GaussianKeys gaussian_keys(Seed seed);

using ErrorOfTables = std::function<double(const GaussianKeys&, const FiniteTables&)>;
using BoundOnKeys = std::function<BoundOfDraws(const GaussianKeys&)>;

// P(error > bound), claimed to be at most `allowed`; spends the whole share of the context.
Evidence violations_on_gaussian_keys(const Context& context, double allowed, const ErrorOfTables& error,
                                     const BoundOnKeys& bound);

}  // namespace skt
