#include "proofs_check/laws/error_law.hpp"
#include "proofs_check/statements/measuring.hpp"

namespace skt::vector_hoeffding_group {

extern const StatementGroup kGroup = {
    .question =
        "Does the vector Hoeffding inequality hold as it is displayed, without the number of summands? (proof of "
        "Lemma 8)",
    .notes = R"(
S002-VH            P(||sum_k X_k|| >= t) <= 2 exp(-t^2/(2 R^2)) for K independent, centred X_k with ||X_k|| <= R
S002-VH-corrected  P(..) <= 2 exp(-t^2/(2 K R^2)), in any Hilbert space)",
    .method =
        "The exact tail at every value of the sum, for K = 1 and more. Signs have R = 1 and ||sum|| = |2 Bin(K,1/2) - "
        "K|; vectors of three independent signs have R = sqrt 3; steps along the axes of the plane have R = 1. Values "
        "p and 1 - p with probabilities 1 - p and p have R = 1 - p, where p < 1/2.",
    .power =
        "Exact. The largest ratio of the tail to the corrected bound is sqrt(e)/2 = .824, at K = 1 and t = R. A "
        "leading constant below 1.64 instead of 2 is seen and, with 400 signs, an exponent above .5501 instead of "
        "1/2.",
    .kind = Kind::high_probability,
    .scope = "independent, centred, ||X_k|| <= R"};

namespace {

// Independent, centred, equal summands: their bound R and the law of the length of a mean of K of them.
struct Summands {
  std::string name;
  double longest;
  std::function<ErrorLaw(Index summands)> mean;
  Index most;  // of K
};

// X = 1 - p with probability p and -p otherwise.
Summands unequal(double p) {
  return {fmt::format("{} with probability {}, else {}", 1 - p, p, -p), 1 - p,
          [=](Index k) { return binomial_error(k, p); }, 400};
}

std::vector<Summands> cases() {
  return {{"I-RAD: signs", 1, [](Index k) { return mean_of_signs(1, k); }, 400},
          {"three signs", std::sqrt(3.0), [](Index k) { return mean_of_signs(3, k); }, 40},
          {"steps in the plane", 1, mean_of_plane_steps, 100},
          unequal(0.1),
          unequal(0.01)};
}

constexpr Index kNumbers[] = {1, 2, 3, 4, 5, 8, 12, 20, 40, 100, 200, 400};

// P(||sum of K|| >= t) <= constant * exp(-rate t^2/(K^power R^2)).
struct Claimed {
  double constant = 2, rate = 0.5, power = 1;
};

auto tail_below(const Claimed& claimed) {
  return [=](const Context&) {
    std::vector<Evidence> evidence;
    for (const Summands& x : cases()) {
      AttainedSupremum worst;
      for (const Index k : kNumbers) {
        if (k > x.most) break;
        for (const ErrorLaw::Tail& tail : x.mean(k).tails()) {
          const double t = tail.error * real(k) / x.longest;
          const double bound = claimed.constant * std::exp(-claimed.rate * t * t / std::pow(real(k), claimed.power));
          // An exponent e rounds the bound by a few e units; a tail is a sum of positive terms, each to some hundred.
          const double rounding = 1e-12 * tail.at_least;
          if (bound > std::numeric_limits<double>::min())
            worst.add({tail.at_least, bound, rounding}, [&] { return fmt::format("K={} t={:.4g} R", k, t); });
        }
      }
      evidence.push_back(supremum(fmt::format("{}, K = 1 .. {}", x.name, x.most), worst));
    }
    return evidence;
  };
}

constexpr Claimed kWithoutNumber{.power = 0};

}  // namespace

std::vector<Statement> statements() {
  return {{.id = "S002-VH",
           .title = "Vector Hoeffding without the number of summands",
           .source = "paper, Appendix B.1, display before eq. (20)",
           .quote = "P(|sum_{k=1}^K X_k| >= t) <= 2 exp(-t^2/(2R^2))",
           .measure = tail_below(kWithoutNumber),
           .controls = {{"exponent t^2/(2 K R^2)", tail_below({})}},
           .expected = Verdict::refuted,
           .severity = Severity::misprint,
           .remark = "The number of summands K is missing from the exponent; (20) and (30) insert it correctly."},
          {.id = "S002-VH-corrected",
           .title = "Vector Hoeffding with the number of summands",
           .source = "Pinelis; as used in paper, eqs. (20) and (30)",
           .measure = tail_below({}),
           .mutants = {{"1.6 for the leading 2", tail_below({.constant = 1.6})},
                       {"exponent 0.5505 t^2/(K R^2)", tail_below({.rate = 0.5505})},
                       {"exponent t^2/(K R^2)", tail_below({.rate = 1})},
                       {"K^0.9 for K", tail_below({.power = 0.9})},
                       {"exponent 2 t^2/(K R^2)", tail_below({.rate = 2})}}}};
}

}  // namespace skt::vector_hoeffding_group
