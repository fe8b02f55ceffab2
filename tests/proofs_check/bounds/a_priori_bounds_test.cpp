#include "proofs_check/bounds/a_priori_bounds.hpp"

#include "estimators/population/weights.hpp"
#include "proofs_check/laws/instances/two_point_tables.hpp"
#include "sim/families.hpp"
#include "tests/numbers.hpp"

using namespace skt;

namespace {

double square(double x) {
  return x * x;
}

}  // namespace

TEST_CASE("Corollary 3 is attained by one table with a jump of probability delta", "[unit]") {
  // r^2 = T1 + k sqrt(E xi^4 - T1^2) is the larger square, .95^2.
  const TwoPointTables jump = jump_tables(0.05);
  CHECK(a_priori_bound(jump.moments(Vector::Zero(1)), jump.kurtosis(), 1, 0.05) == Approx(0.95));

  // A jump of probability .06 at delta = .05: T1 = .0564, E xi^4 = .06 .94^4 + .94 .06^4.
  const TwoPointTables likelier = jump_tables(0.06);
  const double fourth = 0.06 * std::pow(0.94, 4) + 0.94 * std::pow(0.06, 4);
  const double by_hand = 0.0564 + std::sqrt(19 * (fourth - square(0.0564)));
  CHECK(square(a_priori_bound(likelier.moments(Vector::Zero(1)), likelier.kurtosis(), 1, 0.05)) == Approx(by_hand));
  CHECK(by_hand > square(0.94));
}

TEST_CASE("Corollary 3 is attained off y_tau too", "[unit]") {
  // Target -1: zeta = 1.95 with probability .05, .95 otherwise.
  const TwoPointTables jump = jump_tables(0.05);

  CHECK(a_priori_bound(jump.moments(Vector::Constant(1, -1)), jump.kurtosis(), 1, 0.05) == Approx(1.95));
}

TEST_CASE("the terms of Corollary 3 by hand", "[unit]") {
  // mu = (1, 0), Sigma = diag(2, 0), L = 2, kappa = 2, k = 1: m = 1 + 1, V = (4 + 2 4)/8 + 4 2/2 + 4 2 sqrt(2)/4,
  // K = 2 (1/2)/2: r^2 = m - 2 K + sqrt(V - 4 m K + 4 K^2).
  TargetMoments at;
  at.mass = 1;
  at.offset = Vector{{1, 0}};
  at.covariance = Matrix{{2, 0}, {0, 0}};
  at.with_normaliser = Vector{{0.5, 0}};
  at.trace = at.largest_eigenvalue = 2;
  at.trace_of_square = 4;
  const double v = 1.5 + 4 + 2 * std::numbers::sqrt2;
  CHECK(square(a_priori_bound(at, 2, 2, 0.5)) == Approx(1 + std::sqrt(v - 4 + 1)));

  // An error of the covariance: mu^T Sigma mu up by .1, K down by .1/2.
  at.error = 0.1;
  const double wider = 1.5 + 4 * 2.1 / 2 + 8 * std::sqrt(2.1) / 4, k = 0.45;
  CHECK(square(a_priori_bound(at, 2, 2, 0.5)) == Approx(2 - 2 * k + std::sqrt(wider - 8 * k + 4 * k * k)));
}

TEST_CASE("the quadratic and the second form by hand", "[unit]") {
  // k^2 = 4, c^2/L = 1/64: (3/4) u^2 - 2 u + 1 - 4/4 = 0 has the root 8/3.
  CHECK(square(radius_of_ratio({1, 0.25, 0, 0.125}, 1, 0.2)) == Approx(8.0 / 3));
  // K = 1/16: (3/4) u^2 - (2 - 1) u = 0.
  CHECK(square(radius_of_ratio({1, 0.25, 1.0 / 16, 0.125}, 1, 0.2)) == Approx(4.0 / 3));
  // 4 k^2 c^2/L = 1: the second form with delta_2 = .1, eta = 3/4 by Cantelli.
  CHECK(radius_of_ratio({1, 0.25, 0, 1}, 16, 0.2) == Approx(std::sqrt(2.5) / 0.25));
  // c = 10 at L = 1600: 4 k^2 c^2/L = 1 again. eta = sqrt(2 101 log(1/.1)/1600) = .539, where Cantelli has 10 3/40 = .75.
  const double eta = std::sqrt(202 * std::log(10.0) / 1600);
  CHECK(radius_of_ratio({1, 0.25, 0, 10}, 1600, 0.2) == Approx(std::sqrt(2.5) / (1 - eta)).epsilon(1e-12));
  CHECK(radius_of_ratio({1, 0.25, 0, 10}, 1, 0.2) == kInfinity);
}

TEST_CASE("Chebyshev's bound by hand", "[unit]") {
  TargetMoments at;
  at.offset = Vector{{0, 0}};
  at.trace = 16;
  at.normaliser_deviation = 0.4;

  CHECK(chebyshev_bound(at, 16, 0.25) == Approx(1 / (0.5 - 0.1)));
  at.offset = Vector{{0.6, 0.8}};
  CHECK(chebyshev_bound(at, 16, 0.25) == Approx(std::sqrt(2.0) / 0.4));  // below (1 + 1/2)/.4
  at.offset = Vector{{6, 8}};
  CHECK(chebyshev_bound(at, 16, 0.25) == Approx((1 + 0.5 * 10) / 0.4));  // below sqrt(101)/.4
  CHECK(chebyshev_bound(at, 16, 0.01) == kInfinity);
}

TEST_CASE("the longest xi of a table by hand", "[unit]") {
  PopulationParameters parameters{.query_norm = 1, .temperature = 0.5, .dim = 4, .planes = 1};
  TableMoments at_zero;
  at_zero.mass = 0.5;
  at_zero.output = Vector::Zero(2);
  const double t = std::tanh(1 / (0.5 * 2));
  const Instance opposite{"", Vector::Unit(4, 0), Matrix::Ones(2, 4), Matrix{{1, 0}, {-1, 0}}};
  const Instance orthogonal{"", Vector::Unit(4, 0), Matrix::Ones(2, 4), Matrix{{3, 0}, {0, 4}}};

  // Scores (1 + t)/2 and (1 - t)/2.
  CHECK(largest_table_norm(opposite, at_zero, parameters) == Approx(t / 0.5));
  // Three planes: sqrt(2) times the longer length, 4, is less than 3 + 4.
  parameters.planes = 3;
  const double high = std::pow((1 + t) / 2, 3), low = std::pow((1 - t) / 2, 3);
  CHECK(largest_table_norm(orthogonal, at_zero, parameters) ==
        Approx(((high + low) / 2 * 5 + (high - low) / 2 * 4 * std::numbers::sqrt2) / 0.5));
}

TEST_CASE("no choice of scores gives a longer xi than the longest", "[unit]") {
  const Instance instance = make_instance({.keys = 10, .dim = 4, .value_dim = 3}, Seed{3}, 0);
  const PopulationParameters p = population_parameters(instance, 2, 0.3, Scaling::none);
  const TableMoments moments = table_moments(p, instance);
  const double t = std::tanh(1 / 0.3), high = square((1 + t) / 2), low = square((1 - t) / 2);

  double longest = 0;  // over all tables in which every score is at its least or at its largest
  for (unsigned pattern = 0; pattern < 1024; ++pattern) {
    Vector sum = Vector::Zero(3);
    for (Index j = 0; j < 10; ++j)
      sum += ((pattern >> j & 1u) != 0 ? high : low) * (instance.values.row(j).transpose() - moments.output);
    longest = std::max(longest, sum.norm() / moments.mass);
  }

  const double bound = largest_table_norm(instance, moments, p);
  CHECK(bound >= longest);
  CHECK(bound <= 2 * longest);  // sqrt(n) times an operator norm against signs
}

TEST_CASE("the approximation for values without structure", "[unit]") {
  // Large query, no scaling, tau = 1: T = tanh(1) but near z = 0. Four keys of equal weight, values +-1: 1/(4 L).
  const Instance instance{"", 1e9 * Vector::Unit(4, 0), Matrix::Identity(4, 4), Matrix{{1}, {-1}, {-1}, {1}}};
  const PopulationParameters p{.query_norm = 1e9, .temperature = 1, .dim = 4, .planes = 2, .scaling = Scaling::none};
  const double of_scores = square(1 + square(std::tanh(1.0))) - 1;

  CHECK(approximate_table_error(instance, p, Vector::Constant(4, 0.3), 10) ==
        Approx(std::sqrt(of_scores / 40)).epsilon(1e-6));
  // Weights 1 and 3 of four keys: (1 + 3)^2/(1 + 9) keys.
  CHECK(approximate_table_error(instance, p, Vector{{1, 3, 0, 0}}, 10) ==
        Approx(std::sqrt(of_scores / 16)).epsilon(1e-6));
}

TEST_CASE("the smallest number of tables is found", "[unit]") {
  const auto falling = [](double tables) { return 1 / tables; };

  for (const Index n : {1, 2, 3, 7, 63, 64, 65, 1000, 4097})
    CHECK(smallest_tables(1 / real(n), falling, 1 << 20).value() == n);
  CHECK(smallest_tables(2, falling, 10).value() == 1);
  CHECK_FALSE(smallest_tables(1.0 / 11, falling, 10).has_value());
  CHECK(smallest_tables(1.0 / 10, falling, 10).value() == 10);
  CHECK_FALSE(smallest_tables(1, [](double) { return kInfinity; }, 1000).has_value());
  // As with fresh tables, which say nothing of too many: it is reached from 100 to 200 only.
  const auto between = [](double tables) { return tables >= 100 && tables <= 200 ? 0 : kInfinity; };
  CHECK(smallest_tables(1, between, 1 << 20).value() == 100);
}

TEST_CASE("what is out of range is refused", "[unit]") {
  const TargetMoments at = jump_tables(0.1).moments(Vector::Zero(1));

  CHECK_THROWS_AS(a_priori_bound(at, 0.9, 10, 0.05), InputError);
  CHECK_THROWS_AS(a_priori_bound(at, 2, 0.5, 0.05), InputError);
  CHECK_THROWS_AS(a_priori_bound(at, 2, 10, 1), InputError);
  CHECK_THROWS_AS(chebyshev_bound(at, 10, 0), InputError);
  CHECK(a_priori_bound(at, kInfinity, 10, 0.05) == kInfinity);
}
