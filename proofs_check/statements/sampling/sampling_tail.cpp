// How probable is it that the sampling estimator misses by t, and that it and the tables both keep their bounds?
//
// With two scalar values of opposite sign T = S1 (2 Bin(M, p)/M - 1), p = a_1|v_1|/S1: every probability is a finite
// sum. From Lemma 10 and Theorem 12; what is derived there:
//
//   S002-E30-sharper  S1 takes the place of |V|, since every summand has norm S1
//   S002-T12-product  the bound of Lemma 10 holds given any tables, so the probabilities of the two lemmas multiply:
//                     more than 1 - delta_M - delta_L, with equality in the limit of many tables on I-TWO
//
// Method: exact binomial sums over grids of M and t, and over the number of tables that agree.
// Power: exact; the constant 8 is a factor of 4 (E30-sharper) above what these instances need, so no constant between 2
// and 8 could be refuted.
#include <fmt/format.h>

#include <algorithm>
#include <boost/math/distributions/binomial.hpp>
#include <cmath>

#include "proofs_check/inequalities/inequality_sides.hpp"
#include "proofs_check/laws/exact_tails.hpp"
#include "proofs_check/statement.hpp"
#include "sim/number.hpp"

namespace skt {
namespace {

// Values +first and -second with the attention weights a and 1 - a.
struct TwoValues {
  double weight, first, second;
  double total() const { return weight * first + (1 - weight) * second; }  // S1
  double spectral() const { return std::hypot(first, second); }            // |V|_2
  double probability() const { return weight * first / total(); }
};
constexpr TwoValues kInstances[] = {{0.5, 1, 1}, {0.9, 1, 1}, {0.99, 1, 1}, {0.5, 1, 10}, {0.01, 100, 1}};

using Scale = double (*)(const TwoValues&);

// sup P(|T - y| >= t)/(2 exp(-M^power t^2/(constant scale^2))) over M = 1 .. 400 and t = S1 k/16 up to 2 S1.
auto tail_below(Scale scale, double constant, double power) {
  return [=](const Context&) {
    std::vector<Evidence> evidence;
    for (const TwoValues& v : kInstances) {
      AttainedSupremum worst;
      for (std::uint64_t m = 1; m <= 400; m = m < 16 ? m + 1 : m * 5 / 4)
        for (int k = 1; k <= 32; ++k) {
          const double t = v.total() * k / 16, samples = real(m);
          const double s = scale(v);
          // "At least t" is "more than a little less", which can only add to the left side.
          const double left = binomial_deviation(m, v.probability(), t * (1 - 0x1p-40) / (2 * v.total()));
          const double right = 2 * std::exp(-std::pow(samples, power) * t * t / (constant * s * s));
          worst.add({left, right, 1e-12 * left}, [&] { return fmt::format("M={} t={:.4g}", m, t); });
        }
      evidence.push_back(supremum(
          fmt::format("weights ({}, {}), values ({}, {})", v.weight, 1 - v.weight, v.first, -v.second), worst));
    }
    return evidence;
  };
}

// I-TWO as tau -> 0: H ~ Bin(L, 1/2) tables agree, y_tauL = 2H/L - 1, and T is a mean of M signs that are + with
// probability H/L. The thresholds are `width` standard deviations; delta_L and delta_M are exact, delta_M over all H.
struct Joint {
  double delta_tables = 0, delta_samples = 0, both = 0;

  Joint(std::uint64_t tables, std::uint64_t samples, double width) {
    const double n = real(tables);
    const double table_bound = width / std::sqrt(n), sample_bound = width / std::sqrt(real(samples));
    const boost::math::binomial_distribution<double> law(n, 0.5);
    const double reach = 12 / std::sqrt(n);  // beyond, less than e^-72 is left
    for (std::uint64_t h = 0; h <= tables; ++h) {
      const double p = real(h) / n;
      if (std::abs(2 * p - 1) > reach) continue;
      const double missed = binomial_deviation(samples, p, sample_bound / 2);
      const double here = boost::math::pdf(law, real(h));
      delta_samples = std::max(delta_samples, missed);
      if (std::abs(2 * p - 1) > table_bound)
        delta_tables += here;
      else
        both += here * (1 - missed);
    }
  }
};

using Level = double (*)(double delta_samples, double delta_tables);

auto jointly(Level level) {
  return [=](const Context&) {
    std::vector<Evidence> evidence;
    for (const auto& [tables, samples, width] :
         {std::tuple{40, 60, 1.7}, std::tuple{40, 60, 0.9}, std::tuple{500, 50, 2.6}, std::tuple{5000, 5, 1.7}}) {
      const Joint joint(tables, samples, width);
      const double claimed = level(joint.delta_samples, joint.delta_tables);
      evidence.push_back(exact({fmt::format("I-TWO L={} M={}, delta_L={:.4g} delta_M={:.4g}", tables, samples,
                                            joint.delta_tables, joint.delta_samples),
                                "P(both bounds hold)"},
                               joint.both, at_least(claimed, 1e-12)));
    }
    return evidence;
  };
}

constexpr const char* kScope = "given tables, S1 > 0";

}  // namespace

std::vector<Statement> sampling_tail_statements() {
  const Scale spectral = [](const TwoValues& v) { return v.spectral(); };
  const Scale total = [](const TwoValues& v) { return v.total(); };
  return {{.id = "S002-E30",
           .title = "P(|T - y_tauL| >= t) <= 2 exp(-M t^2/(8|V|^2))",
           .source = "paper, eq. (30)",
           .kind = Kind::high_probability,
           .scope = kScope,
           .measure = tail_below(spectral, 8, 1),
           .mutants = {{"0.5 for 8", tail_below(spectral, 0.5, 1)}, {"M^2 for M", tail_below(spectral, 8, 2)}}},
          {.id = "S002-E30-sharper",
           .title = "P(|T - y_tauL| >= t) <= 2 exp(-M t^2/(8 S1^2))",
           .source = "derived from paper, eqs. (25) to (30)",
           .kind = Kind::high_probability,
           .scope = kScope,
           .measure = tail_below(total, 8, 1),
           .mutants = {{"0.5 for 8", tail_below(total, 0.5, 1)}, {"M^2 for M", tail_below(total, 8, 2)}}},
          {.id = "S002-T12-product",
           .title = "Both bounds hold with probability (1 - delta_M)(1 - delta_L)",
           .source = "derived from paper, eq. (48)",
           .kind = Kind::high_probability,
           .scope = kScope,
           .measure = jointly([](double m, double l) { return (1 - m) * (1 - l); }),
           .mutants = {{"1 - delta_M delta_L", jointly([](double m, double l) { return 1 - m * l; })},
                       {"1 - max(delta_M, delta_L)", jointly([](double m, double l) { return 1 - std::max(m, l); })}}}};
}

}  // namespace skt
