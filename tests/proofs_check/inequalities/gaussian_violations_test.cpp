#include "proofs_check/inequalities/gaussian_violations.hpp"

#include "proofs_check/judge.hpp"
#include "tests/numbers.hpp"

using namespace skt;

namespace {

const Context kSmokeGaussian{.seed = {5}, .profile = Profile::smoke, .error_share = 1e-3};

Evidence below_times_output(double factor) {
  return violations_on_gaussian_keys(
      kSmokeGaussian, kGaussianDelta, [](const GaussianKeys& g, const FiniteTables& t) { return g.output_error(t); },
      [&](const GaussianKeys& g) -> BoundOfDraws {
        return {factor * g.population.soft_output.norm(), g.longest_value()};
      });
}

}  // namespace

TEST_CASE("The errors of tables that are the population vanish, and others are counted by hand", "[unit]") {
  const GaussianKeys g = gaussian_keys({5});
  const Vector numerator = g.instance.values.transpose() * g.population.soft;
  const FiniteTables exact{g.population.soft_mass, numerator, g.population.soft_output};
  FiniteTables off = exact;
  off.normaliser += 2;
  off.numerator(0) += 3;
  off.output(1) -= 4;

  CHECK(g.mass_error(exact) == 0);
  CHECK(g.numerator_error(exact) == 0);
  CHECK(g.output_error(exact) == 0);
  CHECK(std::abs(g.mass_error(off) - 2) <= 1e-14);
  CHECK(std::abs(g.numerator_error(off) - 3) <= 1e-14);
  CHECK(std::abs(g.output_error(off) - 4) <= 1e-14);
  CHECK(g.constants.occupancy == 32);
  CHECK(real(g.tables) >= required_tables(g.constants, kGaussianDelta));
}

TEST_CASE("What no tables exceed is reached where every soft score is 0 or 1, whichever is farther", "[unit]") {
  GaussianKeys g = gaussian_keys({5});
  g.instance.keys = Matrix::Zero(2, 3);
  g.instance.values = Matrix{{3.0, 4.0}, {0.0, -2.0}};
  g.population.soft = Vector{{0.25, 0.75}};
  g.population.soft_mass = 1.25;

  CHECK(g.largest_mass_error() == 1.25);           // both scores 0; both 1 would be .75 off
  CHECK(g.largest_numerator_error() == 0.75 * 7);  // .75 |(3, 4)| + .75 |(0, -2)|
  CHECK(g.longest_value() == 5);
  g.population.soft_mass = 0.5;
  CHECK(g.largest_mass_error() == 1.5);
}

TEST_CASE("A bound of nothing is broken in every trial, one above all outputs in none", "[statement]") {
  const Evidence nothing = below_times_output(0);
  const Evidence everything = below_times_output(1e3);

  CHECK(judge(nothing) == Verdict::refuted);
  CHECK(nothing.observed.hi == 1);
  CHECK(nothing.bound_over_quantile == 0.0);
  CHECK(judge(everything) == Verdict::not_refuted);
  CHECK(everything.observed.lo == 0);
  REQUIRE(everything.bound_over_quantile);
  CHECK(*everything.bound_over_quantile > 10);
  CHECK(*everything.bound_over_trivial > 1);
  CHECK(everything.trials == 500);
}
