#include "proofs_check/bounds/drawn_table_bounds.hpp"
#include "proofs_check/laws/instances/table_cases.hpp"
#include "proofs_check/statements/measuring.hpp"

namespace skt::exponential_error_group {

extern const StatementGroup kGroup = {
    .question = "Do Lemma D and Theorem 2 hold, and what of them could be spared?",
    .method =
        "Lemma D by its supremum over x of both signs and nine decades. Theorem 2 by exact binomial sums over tables "
        "with two outcomes (laws/table_cases.hpp), with the radius of the function that certifies. Also 1000 signs at "
        "delta = 1e-20, where its exponent matters.",
    .power =
        "Exact. For delta of 1e-4 and more these laws use at most a twentieth of it, so a smaller radius would pass "
        "there. At 1e-20 an exponent of 1.75 x instead of 2x is seen."};

namespace {

// 1 + x + a x^2 against e^{x - b x^2}, by the difference of their logarithms. Near x = 0, where both are 1, it is that
// of three numbers below 1, each off by some units; elsewhere it is far from 0.
auto lemma_d(double polynomial, double exponent) {
  return [=](const Context&) -> std::vector<Evidence> {
    constexpr int kSteps = 4000;
    constexpr double kRounding = 16 * std::numeric_limits<double>::epsilon();
    Largest worst;
    for (int i = 0; i <= kSteps; ++i) {
      const double size = std::pow(10, -6 + 9.0 * i / kSteps);
      for (const double x : {size, -size})
        worst.add(std::exp(x - exponent * x * x - std::log1p(x + polynomial * x * x)));
    }
    return {supremum({"|x| = 1e-6 to 1e3", "e^{x - x^2/6}/(1 + x + x^2/3)"}, worst.value, kRounding, worst.trials,
                     worst.in_scope)};
  };
}

auto keeps_delta(const RadiusOfCase& radius) {
  return [radius](const Context&) -> std::vector<Evidence> {
    std::vector<TableCase> rare;
    for (const double delta : {1e-3, 1e-4})
      for (const Index tables : {100, 400, 2000}) rare.push_back({sign_tables(), tables, delta});
    return {largest_miss("two signs, delta .45 to .55", two_sign_cases(), radius),
            largest_miss("10 to 2000 signs", many_sign_cases(), radius),
            largest_miss("100 to 2000 signs, delta 1e-3 and 1e-4", rare, radius),
            largest_miss("1000 signs, delta 1e-20", {{sign_tables(), 1000, 1e-20}}, radius),
            largest_miss("jumps of probability 1e-4 to .06, L = 1, 4, 60", jump_cases(), radius),
            largest_miss("two outcomes of N and D, L = 2 to 60", uneven_cases(), radius)};
  };
}

// What stands for the 2 of 2x, the 1/3 of the observed and the 2/3 of the exact part of Q.
struct Constants {
  double exponent = 2;
  double observed = 1.0 / 3;
  double exact = 2.0 / 3;
};

// gamma = x/(L T1), which suits a delta as small as 1e-20; it is fixed before the tables are drawn, like any other.
double gamma_of(const TableCase& at, const TargetMoments& moments) {
  return -std::log(at.delta) / (real(at.tables) * moments.trace);
}

// The function with other constants: another delta for the exponent, another Sigma for the exact part; Z smaller by a
// factor makes every xi larger by it, and so the observed part by its square and the radius by itself.
RadiusOfCase radius_with(Constants constants) {
  return [constants](const TableSums& sums, const TableCase& at, TargetMoments moments) {
    const double gamma = gamma_of(at, moments), factor = std::sqrt(3 * constants.observed);
    moments.covariance *= 1.5 * constants.exact;
    moments.mass /= factor;
    const double delta = std::pow(at.delta, constants.exponent / 2);
    return factor * exponential_bound(sums, at.law.output(), moments, delta, gamma);
  };
}

double with_its_own_gamma(const TableSums& sums, const TableCase& at, const TargetMoments& moments) {
  return exponential_bound(sums, at.law.output(), moments, at.delta);
}

auto both_gammas(const Context& context) {
  std::vector<Evidence> evidence = keeps_delta(with_its_own_gamma)(context);
  for (Evidence piece : keeps_delta(radius_with({}))(context)) {
    piece.instance += ", gamma = x/(L T1)";
    evidence.push_back(piece);
  }
  return evidence;
}

}  // namespace

std::vector<Statement> statements() {
  return {
      {.id = "OWN-D",
       .title = "e^{x - x^2/6} <= 1 + x + x^2/3 for every real x",
       .source = "docs/bounds/drawn_tables.md, Lemma D",
       .kind = Kind::inequality,
       .scope = "any real x",
       .measure = lemma_d(1.0 / 3, 1.0 / 6),
       .mutants = {{"1/6 -> 1/6.2", lemma_d(1.0 / 3, 1 / 6.2)},
                   {"1/6 -> 1/7", lemma_d(1.0 / 3, 1.0 / 7)},
                   {"1/3 -> 1/3.1", lemma_d(1 / 3.1, 1.0 / 6)}}},
      {.id = "OWN-2",
       .title = "L |y_tauL - y_tau| Dbar' <= sqrt((1/gamma + |Q|)(log det(I + gamma Q) + 2 log(1/delta)))",
       .source = "docs/bounds/drawn_tables.md, Theorem 2",
       .kind = Kind::high_probability,
       .scope = "independent tables, positive normalisers, gamma fixed before the draw; any keys, values, tau and P",
       .measure = both_gammas,
       .mutants = {{"2x -> 1.75 x", keeps_delta(radius_with({.exponent = 1.75}))},
                   {"2x -> x/4", keeps_delta(radius_with({.exponent = 0.25}))},
                   {"Q without the observed third", keeps_delta(radius_with({.observed = 1e-12}))},
                   {"Q without the exact two thirds", keeps_delta(radius_with({.exact = 0}))}}}};
}

}  // namespace skt::exponential_error_group
