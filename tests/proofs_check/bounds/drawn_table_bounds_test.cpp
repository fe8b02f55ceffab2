#include "proofs_check/bounds/drawn_table_bounds.hpp"

#include "proofs_check/laws/instances/two_point_tables.hpp"
#include "tests/numbers.hpp"

using namespace skt;

namespace {

// One coordinate with variance `variance`, Z = mass.
TargetMoments moments_of(double variance, double mass = 1) {
  TargetMoments at;
  at.mass = mass;
  at.offset = Vector::Zero(1);
  at.covariance = Matrix::Constant(1, 1, variance);
  at.with_normaliser = Vector::Zero(1);
  at.trace = at.largest_eigenvalue = variance;
  at.trace_of_square = variance * variance;
  return at;
}

const Vector kZero = Vector::Zero(1);

}  // namespace

TEST_CASE("the factor of Cantelli's inequality", "[unit]") {
  CHECK(cantelli_factor(0.5) == 1);
  CHECK(cantelli_factor(0.2) == Approx(2));
  CHECK(cantelli_factor(0.05) == Approx(std::sqrt(19.0)));
}

TEST_CASE("Theorem 1(a) is attained by two signs at delta = 1/2", "[unit]") {
  // 1/4 (1 + 1) + 1 sqrt(2/8) = 1, and ||y_L|| is 1 with probability 1/2.
  const TargetMoments at = moments_of(1);
  const TableSums same{Matrix{{1}, {1}}, Vector{{1, 1}}}, opposite{Matrix{{1}, {-1}}, Vector{{1, 1}}};

  CHECK(self_normalised_bound(same, kZero, at, 0.5) == Approx(1));
  CHECK(self_normalised_bound(opposite, kZero, at, 0.5) == Approx(1));
  // With the pairs counted once: 1/2 + sqrt(1/8).
  CHECK(self_normalised_bound(same, kZero, moments_of(std::sqrt(0.5)), 0.5) ==
        Approx(std::sqrt(0.5 + std::sqrt(0.125))));
}

TEST_CASE("Theorem 1(a) divides by the drawn normaliser, and Z cancels", "[unit]") {
  // One key along q with value -1, two orthogonal to it with value +1, both tables low: (N, D) = (-1, 1), Z = 2,
  // xi = -1/2, T2 = 1/16: (1/4 (1/4 + 1/4) + 2 sqrt(2/16/8))/(1/4) = 3/2.
  const TableSums low{Matrix{{-1}, {-1}}, Vector{{1, 1}}};

  CHECK(self_normalised_bound(low, kZero, moments_of(0.25, 2), 0.2) == Approx(std::sqrt(1.5)));
  CHECK(self_normalised_bound(low, kZero, moments_of(0.25 * 4 / 9, 3), 0.2) == Approx(std::sqrt(1.5)));
}

TEST_CASE("Theorem 1(b) on two tables by hand", "[unit]") {
  // D = 1: both xi = 1: r = 0, A = 1/2, B = k/2, radius sqrt(k).
  const TableSums same{Matrix{{1}, {1}}, Vector{{1, 1}}};
  CHECK(certified_bound(same, moments_of(1), 0.2) == Approx(std::sqrt(2.0)));

  // D = (1, 3), N = (2, 0): y_L = 1/2, r = +-3/2, A = 2 (1 3)/4, b = |3/2 - 9/2|/4, B = 2 (9/4)/4 + 2 sqrt(2 t/8) with
  // t = Z^4 T2 = 16.
  const TableSums uneven{Matrix{{2}, {0}}, Vector{{1, 3}}};
  const double by_hand = (0.75 + std::sqrt(0.75 * 0.75 + 1.5 * 5.125)) / 1.5;
  CHECK(certified_bound(uneven, moments_of(4), 0.2) == Approx(by_hand));
  CHECK(certified_bound(uneven, moments_of(1, 2), 0.2) == Approx(by_hand));

  // t estimated: 2 <r_1, r_2>^2 = 2 (9/4)^2.
  const double t = 2 * 2.25 * 2.25;
  const double estimated = (0.75 + std::sqrt(0.75 * 0.75 + 1.5 * (1.125 + 2 * std::sqrt(t / 4)))) / 1.5;
  CHECK(estimated_bound(uneven, 0.2) == Approx(estimated));
}

TEST_CASE("a single table certifies nothing without y_tau", "[unit]") {
  const TableSums one{Matrix{{3}}, Vector{{1}}};

  CHECK(certified_bound(one, moments_of(1), 0.05) == kInfinity);
  CHECK(estimated_bound(one, 0.05) == kInfinity);
  CHECK(self_normalised_bound(one, kZero, moments_of(1), 0.05) == Approx(3));  // the error itself
}

TEST_CASE("tables whose scores underflow give infinity, no NaN", "[unit]") {
  const TableSums empty{Matrix{{0}, {0}}, Vector{{0, 0}}};

  CHECK(self_normalised_bound(empty, kZero, moments_of(1), 0.05) == kInfinity);
  CHECK(certified_bound(empty, moments_of(1), 0.05) == kInfinity);
  CHECK(estimated_bound(empty, 0.05) == kInfinity);
  CHECK(exponential_bound(empty, kZero, moments_of(1), 0.05) == kInfinity);
}

TEST_CASE("Theorem 2 by hand", "[unit]") {
  // One table, xi = 2, Sigma = 1: Q = 4/3 + 2/3 = 2; gamma = 1, x = 1: (1 + 2)(log 3 + 2).
  const double delta = std::exp(-1), by_hand = std::sqrt(3 * (std::log(3) + 2));
  CHECK(exponential_bound({Matrix{{2}}, Vector{{1}}}, kZero, moments_of(1), delta, 1) == Approx(by_hand));

  // Numerators, normalisers and Z three times as large are the same; a larger normaliser shrinks the error.
  CHECK(exponential_bound({Matrix{{6}}, Vector{{3}}}, kZero, moments_of(1, 3), delta, 1) == Approx(by_hand));
  CHECK(exponential_bound({Matrix{{2}}, Vector{{2}}}, kZero, moments_of(1), delta, 1) == Approx(by_hand / 2));

  // Two tables of two coordinates: xi = (1, 0), (0, 2), Sigma = diag(1, 4): Q = diag(1/3 + 4/3, 4/3 + 16/3).
  TargetMoments at = moments_of(1);
  at.covariance = Matrix{{1, 0}, {0, 4}};
  const TableSums two{Matrix{{1, 0}, {0, 2}}, Vector{{1, 1}}};
  const double square = (0.5 + 20.0 / 3) * (std::log(1 + 10.0 / 3) + std::log(1 + 40.0 / 3) + 2 * 3);
  CHECK(exponential_bound(two, Vector::Zero(2), at, std::exp(-3), 2) == Approx(std::sqrt(square) / 2));

  // Without a gamma: sqrt(x/(L^2 lambda T1)).
  at.trace = 5;
  at.largest_eigenvalue = 4;
  CHECK(exponential_bound(two, Vector::Zero(2), at, std::exp(-3)) ==
        Approx(exponential_bound(two, Vector::Zero(2), at, std::exp(-3), std::sqrt(3.0 / (4 * 20)))));
}

TEST_CASE("an uncertain covariance widens Theorem 2", "[unit]") {
  // xi = 1 and -2: Q = 5/3 + 4/3; ||Q|| grows by 4/30, log det(1 + Q) by at most that.
  TargetMoments uncertain = moments_of(1);
  uncertain.error = 0.1;
  const double square = (1 + 3 + 4.0 / 30) * (std::log(4) + 4.0 / 30 + 2);

  CHECK(exponential_bound({Matrix{{1}, {-2}}, Vector{{1, 2}}}, kZero, uncertain, std::exp(-1), 1) ==
        Approx(std::sqrt(square) / 3));
}

TEST_CASE("where every table gives y_tau the radius is 0", "[unit]") {
  const TableSums constant{Matrix{{0}, {0}}, Vector{{1, 2}}};

  CHECK(self_normalised_bound(constant, kZero, moments_of(0), 0.05) == 0);
  CHECK(certified_bound(constant, moments_of(0), 0.05) == 0);
  CHECK(exponential_bound(constant, kZero, moments_of(0), 0.05) == 0);
}

TEST_CASE("what does not fit is refused", "[unit]") {
  const TableSums two{Matrix{{1}, {-1}}, Vector{{1, 1}}}, torn{Matrix{{1}, {-1}}, Vector{{1}}};

  for (const double delta : {0.0, 1.0, -0.1, std::numeric_limits<double>::quiet_NaN()}) {
    CHECK_THROWS_AS(self_normalised_bound(two, kZero, moments_of(1), delta), InputError);
    CHECK_THROWS_AS(certified_bound(two, moments_of(1), delta), InputError);
    CHECK_THROWS_AS(estimated_bound(two, delta), InputError);
    CHECK_THROWS_AS(exponential_bound(two, kZero, moments_of(1), delta), InputError);
  }
  CHECK_THROWS_AS(self_normalised_bound(two, Vector::Zero(2), moments_of(1), 0.1), InputError);
  CHECK_THROWS_AS(exponential_bound(two, kZero, moments_of(1), 0.1, 0), InputError);
  CHECK_THROWS_AS(certified_bound(torn, moments_of(1), 0.1), InputError);
}

TEST_CASE("60 signs miss no radius more often than delta, and one without its second term often", "[statement]") {
  const TwoPointTables signs = sign_tables(2);
  const Vector zero = Vector::Zero(2);
  const TargetMoments at = signs.moments(zero);
  const auto missed = [&](const RadiusOfSums& radius) { return miss_probability(signs, 60, zero, radius); };
  TargetMoments none = at;
  none.trace_of_square = 0;

  CHECK(missed([&](const TableSums& s) { return self_normalised_bound(s, zero, at, 0.05); }) <= 0.05);
  CHECK(missed([&](const TableSums& s) { return certified_bound(s, at, 0.05); }) <= 0.05);
  CHECK(missed([&](const TableSums& s) { return exponential_bound(s, zero, at, 0.05); }) <= 0.05);
  // P(|Bin(60, 1/2) - 30| >= 4), the radius being sqrt(1/60): 2 (1 - .8169).
  CHECK(missed([&](const TableSums& s) { return self_normalised_bound(s, zero, none, 0.05); }) ==
        Approx(0.3662).margin(5e-4));
}
