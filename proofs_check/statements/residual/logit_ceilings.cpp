#include "estimators/residual/logit_ceilings.hpp"

#include <boost/math/special_functions/bessel.hpp>

#include <tuple>

#include "proofs_check/statements/measuring.hpp"
#include "proofs_check/statements/residual/hidden_weight.hpp"

namespace skt::logit_ceilings_group {

extern const StatementGroup kGroup = {
    .question = "How large can the logit of a key be whose signs alone are known? (Theorem 16 of this project, part b)",
    .notes = R"(c is the cosine of a key and the query, c^ its estimate by the signs of b projections of the key. In d
dimensions gain = E|w.u| for a unit u, rows of length sqrt(d) in blocks of d orthogonal ones.

  OWN-16b   log E e^{-t(c^ - c)} <= t^2 (pi/2 - max(c, 0)^2)/2 for one independent row
            log E e^{-t(c^ - c)} <= a (1 - 2/pi) t^2/(2d) + (|c| t/gain + a t^2/(2(d-1)))^2/(2(d-1)) for one block,
            a = (1 - c^2)/gain^2
            so all keys lie below their ceilings with probability 1 - delta

The proofs are in docs/bounds/residual.md.)",
    .method =
        "Both sides for t up to 8: one row in closed form, a block by quadrature in 2 and 3 dimensions. Then ceilings of "
        "all keys with rows drawn afresh.",
    .power = "A constant off by 1% where the two sides meet, at small t; a violation rate a third above its level."};

namespace {

constexpr double kPi = std::numbers::pi;
constexpr std::array kCosines{-1.0, -0.5, 0.0, 0.1, 0.5, 0.9, 1.0};
constexpr std::array kSteps{0.05, 0.2, 1.0, 3.0, 8.0};

// log E e^{-t(c^ - c)} of one row: c^ = sqrt(pi/2) (c|g| + s h), g and h normal.
double exact_of_row(double t, double c) {
  const double along = t * c * std::sqrt(kPi / 2), across = t * t * (1 - c * c) * kPi / 4;
  return t * c + across + along * along / 2 + std::log(std::erfc(along / std::numbers::sqrt2));
}

// Of a block: c^ = (c A + s sqrt(1 - A^2) x)/gain, A = |g|_1/sqrt(d) of g uniform on the sphere of R^d, x one coordinate
// of a uniform unit vector of R^{d-1}. By midpoints over the part of the sphere with positive coordinates.
double exact_of_block(double t, double c, Index dim) {
  const double gain = projection_gain(ProjectionRows::orthogonal_blocks, dim), s = std::sqrt(1 - c * c);
  constexpr int kCells = 400;
  double sum = 0;
  const auto add = [&](double one_norm) {
    const double a = one_norm / std::sqrt(real(dim)), u = t * s * std::sqrt(std::max(0.0, 1 - a * a)) / gain;
    sum += std::exp(t * c * (1 - a / gain)) * (dim == 2 ? std::cosh(u) : boost::math::cyl_bessel_i(0, u));
  };
  for (int i = 0; i < kCells; ++i) {
    const double angle = (i + 0.5) / kCells * kPi / 2, across = std::cos(angle) + std::sin(angle);
    if (dim == 2) add(across);
    for (int k = 0; dim == 3 && k < kCells; ++k) {
      const double height = (k + 0.5) / kCells;  // uniform on the sphere of three dimensions
      add(height + std::sqrt(1 - height * height) * across);
    }
  }
  return std::log(sum / (dim == 2 ? kCells : kCells * kCells));
}

// Midpoints of smooth functions, with a square root at one end of the height: below 1e-5 of t^2 at these cells.
constexpr double kQuadrature = 2e-5;

using Row = double (*)(double t, double cosine);
using Block = double (*)(double t, double cosine, Index dim);

std::vector<Evidence> moments_below(Row row, Block block) {
  static const auto kBlocks = [] {  // of claim and lies alike
    std::vector<std::tuple<Index, double, double, double>> all;
    for (const double c : kCosines)
      for (const double t : kSteps)
        for (const Index dim : {2, 3}) all.emplace_back(dim, c, t, exact_of_block(t, c, dim));
    return all;
  }();
  AttainedSupremum rows, blocks;
  for (const double c : kCosines)
    for (const double t : kSteps)
      rows.add({exact_of_row(t, c), row(t, c), 1e-13}, [&] { return fmt::format("c={}, t={}", c, t); });
  for (const auto& [dim, c, t, exact] : kBlocks)
    blocks.add({exact, block(t, c, dim), kQuadrature * t * t},
               [&] { return fmt::format("d={}, c={}, t={}", dim, c, t); });
  return {supremum("one row, log moments", rows), supremum("one block, log moments", blocks)};
}

auto moments_are_below(Row row, Block block) {
  return [=](const Context&) { return moments_below(row, block); };
}

constexpr double kDelta = 0.05;
constexpr std::array kTried{Hidden::nothing, Hidden::heavy_norms, Hidden::mean_key};

// A logit above its ceiling, of any of the keys; `keys` is what delta is divided by.
std::vector<Evidence> violations(Hidden hidden, double keys, const Context& context) {
  constexpr std::array kRows{ProjectionRows::independent, ProjectionRows::orthogonal_blocks};
  constexpr std::array kDrawn{"independent rows", "blocks"};
  const std::uint64_t trials = context.trials(2000);
  const auto above = run_trials(trials, Counts(kRows.size()), [&](std::uint32_t trial, Counts& c) {
    const HiddenProblem problem = hidden_problem(hidden, context.seed, trial);
    const double delta = kDelta * real(problem.logits.size()) / keys;
    for (std::size_t i = 0; i < kRows.size(); ++i) {
      const LogitCeilings ceilings(problem.instance.keys, 64, kRows[i], context.seed, trial);
      c.of[i] += (problem.logits - ceilings.of(problem.instance.query, kHiddenScale, delta)).maxCoeff() > 1e-9;
    }
  });
  std::vector<Evidence> evidence;
  for (std::size_t i = 0; i < kRows.size(); ++i)
    evidence.push_back(frequency(
        {fmt::format("{}, 256 keys, d=16, b=64, {}", name_of(hidden), kDrawn[i]), "P(a logit above its ceiling)"},
        above.of[i], trials, at_most(kDelta), {context.share(kTried, kRows), 2 * kDelta}));
  return evidence;
}

std::vector<Evidence> ceilings_hold(const Context& context) {
  std::vector<Evidence> evidence = moments_below(log_moment_of_row, log_moment_of_block);
  for (const Hidden hidden : kTried)
    for (const Evidence& piece : violations(hidden, 256, context)) evidence.push_back(piece);
  return evidence;
}

}  // namespace

std::vector<Statement> statements() {
  const Row row_lie = [](double t, double c) { return 0.98 * log_moment_of_row(t, c); };
  const Row two_sided = [](double t, double c) { return t * t * (kPi / 2 - c * c) / 2; };
  const Block block_lie = [](double t, double c, Index dim) { return 0.98 * log_moment_of_block(t, c, dim); };
  const auto each_key = [](const Context& context) { return violations(Hidden::mean_key, 1, context); };
  return {{.id = "OWN-16b",
           .title = "All keys lie below the ceilings that the signs of their projections give",
           .source = "docs/bounds/residual.md, 16b",
           .kind = Kind::high_probability,
           .scope = "rows that depend on neither query nor keys; blocks of at least two orthogonal rows",
           .chance = Chance::random,
           .measure = ceilings_hold,
           .mutants = {{"variance of a row .98 of it", moments_are_below(row_lie, log_moment_of_block)},
                       {"pi/2 - c^2 for negative cosines too", moments_are_below(two_sided, log_moment_of_block)},
                       {"log moment of a block .98 of it", moments_are_below(log_moment_of_row, block_lie)},
                       {"delta for each key, not for all", each_key}},
           .remark = "The two sides meet as t tends to 0, for c = 0 of a block and for c >= 0 of a row."}};
}

}  // namespace skt::logit_ceilings_group
