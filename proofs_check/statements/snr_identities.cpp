// Does sparse attention err by residual weight times context divergence (document 004, sections 1.1 to 1.4)?
//
// Claims: equalities (S004-1 to S004-4, S004-6, S004-11, S004-15) and two inequalities (S004-3, S004-8).
// Scope: a finite score for every key, at least one key kept and one left out.
// Method: the estimator in double against the printed expression in long double, over random splits; each error is
// compared with the rounding bound of random_splits.hpp.
// Power: any deviation above 1e-12 of the largest value norm on one of the splits. No randomness enters a verdict.
// Mutants: at each statement.
#include <algorithm>
#include <cmath>
#include <functional>

#include "estimators/linearised_softmax.hpp"
#include "estimators/snr_decomposition.hpp"
#include "proofs_check/evidence.hpp"
#include "proofs_check/random_splits.hpp"

namespace skt {
namespace {

constexpr std::uint64_t kSplits = 2000;  // at the standard profile

using Long = long double;
using LongVector = Eigen::Matrix<Long, Eigen::Dynamic, 1>;

// N and D of a set in long double, relative to `shift`.
struct Sums {
  LongVector numerator;
  Long denominator = 0;
};

Sums sums(const Split& split, const std::function<bool(Index)>& in, double shift) {
  Sums sum{LongVector::Zero(split.values.cols())};
  for (Index j = 0; j < split.scores.size(); ++j) {
    if (!in(j)) continue;
    const Long weight = std::exp(static_cast<Long>(split.scores(j)) - static_cast<Long>(shift));
    sum.denominator += weight;
    sum.numerator += weight * split.values.row(j).transpose().cast<Long>();
  }
  return sum;
}

struct Reference {
  Sums active, pruned;
  LongVector full() const { return (active.numerator + pruned.numerator) / total(); }
  LongVector sparse() const { return active.numerator / active.denominator; }
  Long total() const { return active.denominator + pruned.denominator; }
  Long residual() const { return pruned.denominator / total(); }
};

Reference reference(const Split& split) {
  const double peak = split.scores.maxCoeff();
  const auto active = [&](Index j) { return std::count(split.active.begin(), split.active.end(), j) > 0; };
  return {sums(split, active, peak), sums(split, [&](Index j) { return !active(j); }, peak)};
}

// The largest value of `error` over the splits.
double largest(const Context& context, Policy policy, const std::function<double(const Split&)>& error) {
  double worst = 0;
  for (std::uint64_t trial = 0; trial < context.trials(kSplits); ++trial) {
    worst = std::max(worst, error(random_split(context.seed, trial, policy)));
  }
  return worst;
}

Evidence no_error(const Context& context, Policy policy, const std::string& quantity,
                  const std::function<double(const Split&)>& error) {
  return exact({"random splits", quantity}, largest(context, policy, error), equals(0, split_rounding()));
}

double distance(const LongVector& a, const LongVector& b) { return static_cast<double>((a - b).norm()); }
LongVector widened(const Vector& v) { return v.cast<Long>(); }

// S004-1.
enum class Maximum { one, own_of_each_sum };

std::vector<Evidence> definitions(const Context& context, Maximum maximum, double shift_factor) {
  const auto sparse = [=](const Split& split) {
    const SnrDecomposition d = snr_decomposition(split.scores, split.values, split.active);
    Reference r = reference(split);
    if (maximum == Maximum::own_of_each_sum) {  // numerator relative to its own largest score, denominator to m
      double own = split.scores(split.active.front());
      for (const Index j : split.active) own = std::max(own, split.scores(j));
      r.active.numerator *= std::exp(static_cast<Long>(split.scores.maxCoeff() - own));
    }
    return distance(widened(d.sparse), r.sparse());
  };
  const auto full = [](const Split& split) {
    const SnrDecomposition d = snr_decomposition(split.scores, split.values, split.active);
    const Sums unshifted = sums(split, [](Index) { return true; }, 0);
    return distance(widened(d.full), unshifted.numerator / unshifted.denominator);
  };
  const auto shifted = [=](const Split& split) {
    const SnrDecomposition d = snr_decomposition(split.scores, split.values, split.active);
    const Vector moved = shift_factor * split.scores.array() + 64;
    return (snr_decomposition(moved, split.values, split.active).full - d.full).norm();
  };
  return {no_error(context, Policy::any, "||O_sparse - N(A)/D(A)||", sparse),
          no_error(context, Policy::any, "||O_full - sum e^s v/sum e^s|| without subtracting m", full),
          no_error(context, Policy::any, "||O_full(s + 64) - O_full(s)||", shifted)};
}

// S004-2: error = weight(reference) * (noise - sparse).
std::vector<Evidence> error_identity(const Context& context, const std::function<Long(const Reference&)>& weight) {
  const auto product_form = [=](const Split& split) {
    const SnrDecomposition d = snr_decomposition(split.scores, split.values, split.active);
    return distance(widened(d.error()), weight(reference(split)) * widened(d.context_divergence()));
  };
  const auto common_denominator = [](const Split& split) {
    const SnrDecomposition d = snr_decomposition(split.scores, split.values, split.active);
    const Reference r = reference(split);
    const Sums &a = r.active, &c = r.pruned;
    const Long below = a.denominator * r.total();
    const LongVector first = ((a.numerator + c.numerator) * a.denominator - a.numerator * r.total()) / below;
    const LongVector third = (c.numerator * a.denominator - a.numerator * c.denominator) / below;
    return std::max(distance(widened(d.error()), first), distance(widened(d.error()), third));
  };
  return {no_error(context, Policy::any, "||E - eps (N(A^c)/D(A^c) - N(A)/D(A))||", product_form),
          no_error(context, Policy::any, "||E - line 1 or 3 of the expansion||", common_denominator)};
}

// S004-3: the combination with a weight of the noise, and the corollary ||E|| <= factor * eps * max||v||.
std::vector<Evidence> convex_combination(const Context& context, const std::function<double(double)>& noise_weight,
                                         double factor) {
  const auto combination = [=](const Split& split) {
    const SnrDecomposition d = snr_decomposition(split.scores, split.values, split.active);
    const double noise = noise_weight(d.residual_weight);
    return (d.full - (1 - noise) * d.sparse - noise * d.noise).norm();
  };
  const auto excess = [=](const Split& split) {
    const SnrDecomposition d = snr_decomposition(split.scores, split.values, split.active);
    return std::max(0.0, d.error().norm() - factor * d.residual_weight * split.values.rowwise().norm().maxCoeff());
  };
  Matrix opposite(2, 1);
  opposite << 1, -1;
  const SnrDecomposition tight = snr_decomposition(Vector::Zero(2), opposite, {0});
  const double attained = tight.error().norm() / (factor * tight.residual_weight);
  return {no_error(context, Policy::any, "||O_full - (1-eps) O_sparse - eps O_noise||", combination),
          no_error(context, Policy::any, "excess of ||E|| over 2 eps max||v||", excess),
          supremum({"two equal scores, opposite values", "||E||/(2 eps max||v||)"}, attained, split_rounding(), 1, 1)};
}

double itself(double eps) { return eps; }

// S004-4: eps as a function of rho.
std::vector<Evidence> residual_weight(const Context& context, const std::function<double(double)>& formula) {
  const auto error = [=](const Split& split) {
    const SnrDecomposition d = snr_decomposition(split.scores, split.values, split.active);
    const double exact_value = static_cast<double>(reference(split).residual());
    return std::abs(formula(d.snr) - exact_value) / exact_value;
  };
  double least_drop = 1;  // of eps where rho doubles
  for (int power = -20; power < 20; ++power) {
    least_drop = std::min(least_drop, 1 - formula(std::exp2(power + 1)) / formula(std::exp2(power)));
  }
  // eps(2 rho)/eps(rho) = (1 + rho)/(1 + 2 rho), nearest to 1 at the smallest rho, 2^-20.
  const double exact_drop = std::exp2(-20) / (1 + std::exp2(-19));
  return {no_error(context, Policy::any, "|1/(1+rho) - D(A^c)/D_total| / (D(A^c)/D_total)", error),
          exact({"rho = 2^-20 .. 2^20", "smallest relative fall of eps where rho doubles"}, least_drop,
                equals(exact_drop, split_rounding()))};
}

// S004-6: the second line of the bound, with its boundary term given as a function of the set.
std::vector<Evidence> rewritten_bound(const Context& context, const std::function<double(const ActiveSet&)>& second) {
  const auto error = [=](const Split& split) {
    const ActiveSet set = describe_active_set(split.scores, split.active);
    return std::abs(second(set) - top_k_bound(set)) / top_k_bound(set);
  };
  return {no_error(context, Policy::top_k, "|second line - first line| / first line", error)};
}

// S004-8: bounds on s_max^c, `lower(sorted, k)` <= s_max^c <= `upper(sorted, k)`, scores sorted from the largest.
using Order = std::function<double(const std::vector<double>&, std::size_t)>;

std::vector<Evidence> missed_maximum(const Context& context, const Order& lower, const Order& upper) {
  double below = 0, above = 0, gap_of_top_k = 0;
  for (std::uint64_t trial = 0; trial < context.trials(kSplits); ++trial) {
    for (const Policy policy : {Policy::any, Policy::top_k}) {
      const Split split = random_split(context.seed, trial, policy);
      const ActiveSet set = describe_active_set(split.scores, split.active);
      std::vector<double> sorted(split.scores.begin(), split.scores.end());
      std::sort(sorted.begin(), sorted.end(), std::greater<>());
      below = std::max(below, lower(sorted, split.active.size()) - set.pruned_max);
      above = std::max(above, set.pruned_max - upper(sorted, split.active.size()));
      if (policy == Policy::top_k) {
        gap_of_top_k = std::max(gap_of_top_k, set.pruned_max - lower(sorted, split.active.size()));
      }
    }
  }
  return {exact({"random splits", "largest s_{k+1} - s_max^c"}, below, at_most(0)),
          exact({"random splits", "largest s_max^c - s_1"}, above, at_most(0)),
          exact({"random top-k sets", "largest s_max^c - s_{k+1}"}, gap_of_top_k, equals(0))};
}

double after_cut(const std::vector<double>& sorted, std::size_t k) { return sorted[k]; }
double at_cut(const std::vector<double>& sorted, std::size_t k) { return sorted[k - 1]; }
double first(const std::vector<double>& sorted, std::size_t) { return sorted[0]; }

// S004-11: eps of |A| flat scores out of `keys`, and of one score `gap` above the others.
std::vector<Evidence> limits(const std::function<double(double kept, double keys)>& flat, double peaked_constant) {
  std::vector<Evidence> evidence;
  for (const Index keys : {2, 31, 1000}) {
    const Matrix values(keys, 0);
    std::vector<Index> active;
    for (Index j = 0; 3 * j < keys; ++j) active.push_back(j);
    const SnrDecomposition uniform = snr_decomposition(Vector::Zero(keys), values, active);
    evidence.push_back(exact({std::to_string(keys) + " equal scores", "eps"}, uniform.residual_weight,
                             equals(flat(double(active.size()), double(keys)), split_rounding())));
    double ratio = 0;
    for (const double gap : {1.0, 10.0, 30.0}) {
      const SnrDecomposition peaked = snr_decomposition(gap * Vector::Unit(keys, 0), values, {0});
      ratio = std::max(ratio, peaked.residual_weight / (std::exp(-gap) * std::pow(double(keys - 1), peaked_constant)));
    }
    evidence.push_back(supremum({std::to_string(keys) + " keys, one above by 1, 10, 30", "eps e^gap/|A^c|"}, ratio,
                                split_rounding(), 3, 3));
  }
  return evidence;
}

// S004-15: centred scores fill [-Delta, 0], whatever constant is added to all of them.
std::vector<Evidence> range(const Context& context, const std::function<double(const Vector&)>& delta) {
  const auto change = [=](const Split& split) {
    return std::abs(delta(split.scores.array() + 64) - delta(split.scores));
  };
  const auto reach = [=](const Split& split) {
    return std::abs((split.scores.array() - split.scores.maxCoeff()).minCoeff() + delta(split.scores));
  };
  return {no_error(context, Policy::any, "|Delta(s + 64) - Delta(s)|", change),
          no_error(context, Policy::any, "|min(s - m) + Delta|", reach)};
}

Statement definitions_statement() {
  return {.id = "S004-1",
          .title = "Full and sparse attention do not depend on the score that is subtracted",
          .source = "document 004, section 1.1",
          .kind = Kind::identity,
          .scope = "finite scores, A and its complement not empty",
          .measure = [](const Context& c) { return definitions(c, Maximum::one, 1); },
          .mutants = {{"numerator and denominator subtract different maxima",
                       [](const Context& c) { return definitions(c, Maximum::own_of_each_sum, 1); }},
                      {"scores scaled instead of shifted", [](const Context& c) { return definitions(c, Maximum::one, 2); }}}};
}

Statement error_statement() {
  return {.id = "S004-2",
          .title = "The error is residual weight times context divergence",
          .source = "document 004, section 1.2",
          .kind = Kind::identity,
          .scope = "finite scores, A and its complement not empty",
          .measure = [](const Context& c) { return error_identity(c, &Reference::residual); },
          .mutants = {{"eps = D(A^c)/D(A)",
                       [](const Context& c) {
                         return error_identity(
                             c, [](const Reference& r) { return r.pruned.denominator / r.active.denominator; });
                       }},
                      {"opposite sign",
                       [](const Context& c) { return error_identity(c, [](const Reference& r) { return -r.residual(); }); }},
                      {"eps squared", [](const Context& c) {
                         return error_identity(c, [](const Reference& r) { return r.residual() * r.residual(); });
                       }}}};
}

Statement combination_statement() {
  return {.id = "S004-3",
          .title = "Full attention is a convex combination of signal and noise, so ||E|| <= 2 eps max||v||",
          .source = "document 004, section 1.3 (the bound is a corollary)",
          .kind = Kind::identity,
          .scope = "finite scores, A and its complement not empty",
          .measure = [](const Context& c) { return convex_combination(c, itself, 2); },
          .mutants = {{"eps and 1 - eps swapped", [](const Context& c) { return convex_combination(c, [](double eps) { return 1 - eps; }, 2); }},
                      {"||E|| <= eps max||v||", [](const Context& c) { return convex_combination(c, itself, 1); }}}};
}

Statement residual_statement() {
  return {.id = "S004-4",
          .title = "eps = 1/(1 + rho), strictly decreasing in rho",
          .source = "document 004, section 1.4",
          .kind = Kind::identity,
          .scope = "finite scores, A and its complement not empty",
          .measure = [](const Context& c) { return residual_weight(c, [](double rho) { return 1 / (1 + rho); }); },
          .mutants = {{"eps = 1/rho", [](const Context& c) { return residual_weight(c, [](double rho) { return 1 / rho; }); }},
                      {"eps = rho/(1 + rho)",
                       [](const Context& c) { return residual_weight(c, [](double rho) { return rho / (1 + rho); }); }}}};
}

Statement rewriting_statement() {
  return {.id = "S004-6",
          .title = "The bound on rho splits into peak-to-noise gap and boundary gap",
          .source = "document 004, section 1.4",
          .kind = Kind::identity,
          .scope = "A the k largest scores",
          .measure =
              [](const Context& c) {
                return rewritten_bound(c, [](const ActiveSet& a) {
                  return (peak_to_noise_term(a) + boundary_term(a)) / double(a.pruned);
                });
              },
          .mutants = {{"second term not divided by e^{s_{k+1} - m}",
                       [](const Context& c) {
                         return rewritten_bound(c, [](const ActiveSet& a) {
                           const double left = double(a.active - 1) * std::exp(a.active_min - a.peak);
                           return (peak_to_noise_term(a) + left) / double(a.pruned);
                         });
                       }},
                      {"boundary gap counted for all of A", [](const Context& c) {
                         return rewritten_bound(c, [](const ActiveSet& a) {
                           const double all = double(a.active) * std::exp(a.active_min - a.pruned_max);
                           return (peak_to_noise_term(a) + all) / double(a.pruned);
                         });
                       }}}};
}

Statement missed_statement() {
  return {.id = "S004-8",
          .title = "The largest pruned score lies between s_{k+1} (A a top-k set) and the largest of all",
          .source = "document 004, section 1.5",
          .kind = Kind::inequality,
          .scope = "|A| = k, scores counted from s_1 = m",
          .measure = [](const Context& c) { return missed_maximum(c, after_cut, first); },
          .mutants = {{"s_k <= s_max^c", [](const Context& c) { return missed_maximum(c, at_cut, first); }},
                      {"s_max^c <= s_k", [](const Context& c) { return missed_maximum(c, after_cut, at_cut); }}},
          .remark = "The document calls the largest score s_0 here and counts s_k from 1 elsewhere; with s_0 for the "
                    "largest, the lower end would be s_k."};
}

Statement limits_statement() {
  return {.id = "S004-11",
          .title = "A peaked distribution loses at most |A^c| e^{-gap}, a flat one exactly |A^c|/N",
          .source = "document 004, section 1.3",
          .kind = Kind::limit,
          .scope = "one score above equal others; all scores equal",
          .measure = [](const Context&) { return limits([](double kept, double keys) { return 1 - kept / keys; }, 1); },
          .mutants = {{"flat: |A|/N",
                       [](const Context&) { return limits([](double kept, double keys) { return kept / keys; }, 1); }},
                      {"peaked: e^{-gap} whatever the number of pruned keys", [](const Context&) {
                         return limits([](double kept, double keys) { return 1 - kept / keys; }, 0);
                       }}}};
}

Statement range_statement() {
  return {.id = "S004-15",
          .title = "The dynamic range max s - min s is shift invariant and is the reach of the centred scores",
          .source = "document 004, review",
          .kind = Kind::identity,
          .scope = "finite scores",
          .measure = [](const Context& c) { return range(c, dynamic_range); },
          .mutants = {{"max |s|", [](const Context& c) {
                         return range(c, [](const Vector& s) { return s.cwiseAbs().maxCoeff(); });
                       }},
                      {"max s - mean s", [](const Context& c) {
                         return range(c, [](const Vector& s) { return s.maxCoeff() - s.mean(); });
                       }}}};
}

}  // namespace

std::vector<Statement> snr_identities_statements() {
  return {definitions_statement(), error_statement(),  combination_statement(), residual_statement(),
          rewriting_statement(),   missed_statement(), limits_statement(),      range_statement()};
}

}  // namespace skt
