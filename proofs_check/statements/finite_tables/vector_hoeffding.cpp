// Does the vector Hoeffding inequality hold as it is displayed, without the number of summands? (proof of Lemma 8)
//
// S002-VH            P(||sum_k X_k|| >= t) <= 2 exp(-t^2/(2 R^2)) for K independent, centred X_k with ||X_k|| <= R
// S002-VH-corrected  P(..) <= 2 exp(-t^2/(2 K R^2)), in any Hilbert space
//
// Method: the exact binomial tail at K and t on I-RAD, X_k = +-1 with probability 1/2, so that R = 1 and ||sum|| is
//         |2 Bin(K,1/2) - K|.
// Power: exact; any excess of the tail over the bound is seen.
#include <fmt/format.h>

#include <cmath>

#include "proofs_check/evidence.hpp"
#include "proofs_check/statement.hpp"
#include "sim/number.hpp"
#include "sim/statistics/binomial_tails.hpp"

namespace skt {
namespace {

struct Point {
  std::uint64_t summands;  // K
  std::uint64_t level;     // t, of the parity of K: a value that the sum takes
};

// K = 2 at the largest value; K = 100 at 0.4 standard deviations; K = 10,000 at 3 standard deviations, where a constant
// of the exponent shows.
constexpr Point kPoints[] = {{2, 2}, {100, 4}, {10'000, 300}};

// P(|sum of K signs| >= t) = 2 P(Bin(K,1/2) >= (K + t)/2), t > 0.
double tail(const Point& at) {
  return 2 * binomial_at_least((at.summands + at.level) / 2, at.summands, 0.5);
}

using Exponent = double (*)(double level, double summands);

auto tail_below(Exponent exponent) {
  return [exponent](const Context&) {
    std::vector<Evidence> evidence;
    for (const Point& at : kPoints) {
      const double bound = 2 * std::exp(-exponent(real(at.level), real(at.summands)));
      // Incomplete beta functions are good to some hundred units; 1e-12 of the tail is far above that.
      evidence.push_back(exact({fmt::format("I-RAD, K={} t={}", at.summands, at.level), "P(|sum X_k| >= t)"}, tail(at),
                               at_most(bound, 1e-12 * tail(at))));
    }
    return evidence;
  };
}

}  // namespace

std::vector<Statement> vector_hoeffding_statements() {
  return {{.id = "S002-VH",
           .title = "Vector Hoeffding without the number of summands",
           .source = "paper, Appendix B.1, display before eq. (20)",
           .kind = Kind::high_probability,
           .scope = "independent, centred, ||X_k|| <= R",
           .measure = tail_below([](double t, double) { return t * t / 2; }),
           .expected = Verdict::refuted,
           .remark = "The number of summands K is missing from the exponent; (20) and (30) insert it correctly."},
          {.id = "S002-VH-corrected",
           .title = "Vector Hoeffding with the number of summands",
           .source = "Pinelis; as used in paper, eqs. (20) and (30)",
           .kind = Kind::high_probability,
           .scope = "independent, centred, ||X_k|| <= R",
           .measure = tail_below([](double t, double n) { return t * t / (2 * n); }),
           .mutants = {{"exponent t^2/(K R^2)", tail_below([](double t, double n) { return t * t / n; })},
                       {"exponent 2 t^2/(K R^2)", tail_below([](double t, double n) { return 2 * t * t / n; })}}}};
}

}  // namespace skt
