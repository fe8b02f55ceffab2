#include "proofs_check/laws/instances/two_point_tables.hpp"

#include "tests/catch.hpp"

using namespace skt;

namespace {

// (N, D) = (-1, 1) or (1, 3), each with probability 1/2.
TwoPointTables uneven() {
  return {{Vector::Constant(1, -1), 1}, {Vector::Constant(1, 1), 3}, 0.5};
}

}  // namespace

TEST_CASE("moments of two outcomes are those worked out by hand", "[unit]") {
  // Z = 2, y_tau = 0. At the target 1/2: zeta = -3/4 or -1/4, D/Z = 1/2 or 3/2.
  const TwoPointTables law = uneven();
  const Vector target = Vector::Constant(1, 0.5);

  const TargetMoments at = law.moments(target);

  CHECK(law.mass() == 2);
  CHECK(law.output()(0) == 0);
  CHECK(at.offset(0) == -0.5);
  CHECK(at.trace == Approx(1.0 / 16));
  CHECK(at.trace_of_square == Approx(1.0 / 256));
  CHECK(at.largest_eigenvalue == Approx(1.0 / 16));
  CHECK(at.with_normaliser(0) == Approx(1.0 / 8));
  CHECK(at.normaliser_deviation == Approx(0.5));
  CHECK(law.kurtosis() == Approx(1));
}

TEST_CASE("the kurtosis is the mean fourth power over the squared mean square", "[unit]") {
  // .8 with probability .2 and -.2 with .8: E xi^2 = .16, E xi^4 = .08192 + .00128 = .0832.
  CHECK(jump_tables(0.2).kurtosis() == Approx(0.0832 / (0.16 * 0.16)));
  CHECK(jump_tables(0.2).output()(0) == Approx(0).margin(1e-16));
  CHECK(jump_tables(0.2).moments(Vector::Zero(1)).trace == Approx(0.16));
}

TEST_CASE("a miss is a sum of binomial probabilities", "[unit]") {
  // Means of 4 signs: 0, +-1/2, +-1 with probabilities 6, 8, 2 of 16.
  const auto missed = [](double radius) {
    return miss_probability(sign_tables(3), 4, Vector::Zero(3), [radius](const TableSums&) { return radius; });
  };

  CHECK(missed(-1) == Approx(1));
  CHECK(missed(0) == Approx(10.0 / 16));
  CHECK(missed(0.5) == Approx(2.0 / 16));
  CHECK(missed(0.4999) == Approx(10.0 / 16));
  CHECK(missed(1) == 0);
}

TEST_CASE("numbers of rare tables below the least probability are left out", "[unit]") {
  // Of 4 signs 0 and 4 have the probability 1/16.
  const auto missed = [](double least) {
    return miss_probability(sign_tables(), 4, Vector::Zero(1), [](const TableSums&) { return -1.0; }, least);
  };

  CHECK(missed(0.06) == Approx(1));
  CHECK(missed(0.07) == Approx(14.0 / 16));
}

TEST_CASE("the radius sees the tables drawn", "[unit]") {
  // Both tables usual: y = -1; one of each: 0 over 4; both rare: 2 over 6.
  const auto radius = [](const TableSums& sums) { return sums.normalisers.sum() < 3 ? 2.0 : 0.1; };

  CHECK(miss_probability(uneven(), 2, Vector::Zero(1), radius) == Approx(0.25));
}
