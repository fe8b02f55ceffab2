#include "proofs_check/bounds/bias_bounds.hpp"

#include "estimators/weighted_output.hpp"
#include "tests/numbers.hpp"

using namespace skt;

TEST_CASE("Theorem 8 is attained by two values", "[unit]") {
  // rr = 3/2 and 1/2: chi2 = 1/4, TV = 1/4; values +-1 have variance 1 and diameter 2; y* - y_tau = 1/2.
  const Vector angular{{3.0, 1.0}}, population{{7.0, 7.0}};
  const Matrix values{{1.0}, {-1.0}};

  CHECK(chi_square(angular, population) == 0.25);
  CHECK(total_variation(angular, population) == 0.25);
  CHECK(std::abs(bias_bound_by_chi_square(angular, population, values) - 0.5) <= 4 * kEpsilon);
  CHECK(bias_bound_by_variation(angular, population, 2) == 0.5);
}

TEST_CASE("An affine ratio attains 8(i) along the largest variance only", "[unit]") {
  // Four values (+-2, +-1) of equal weight: Cov = diag(4, 1). rr = 1 + v_1/4 or 1 + v_2/4.
  const Matrix values{{2.0, 1.0}, {2.0, -1.0}, {-2.0, 1.0}, {-2.0, -1.0}};
  const Vector equal = Vector::Ones(4);
  const Vector along_first = 1 + values.col(0).array() / 4, along_second = 1 + values.col(1).array() / 4;

  // chi2 = 4/16, bias 4/4 = sqrt(chi2 * 4).
  CHECK(std::abs(bias_bound_by_chi_square(along_first, equal, values) - 1) <= 4 * kEpsilon);
  CHECK(weighted_output(along_first, values).norm() == 1);
  // chi2 = 1/16, bias 1/4 below sqrt(chi2 * 4) = 1/2.
  CHECK(std::abs(bias_bound_by_chi_square(along_second, equal, values) - 0.5) <= 4 * kEpsilon);
  CHECK(weighted_output(along_second, values).norm() == 0.25);
}

TEST_CASE("Two values of the ratio attain the variation that a bounded ratio allows", "[unit]") {
  // Largest over smallest 4: rr = 1/2 and 2 with probabilities 2/3 and 1/3 have TV = 1/3 = (2 - 1)/(2 + 1).
  const Vector population{{2.0, 1.0}}, angular{{1.0, 2.0}};

  CHECK(std::abs(total_variation(angular, population) - 1.0 / 3) <= 2 * kEpsilon);
  CHECK(variation_of_ratio(4) == 1.0 / 3);
  CHECK(variation_of_ratio(1) == 0);
  CHECK(variation_of_ratio(kInfinity) == 1);
}

TEST_CASE("A key with angular weight and no population weight leaves 8(i) without a bound", "[unit]") {
  const Matrix values{{1.0}, {-1.0}, {3.0}};

  CHECK(bias_bound_by_chi_square(Vector{{1.0, 1.0, 1e-300}}, Vector{{1.0, 1.0, 0.0}}, values) == kInfinity);
  CHECK(bias_bound_by_chi_square(Vector{{1.0, 1.0, 0.0}}, Vector{{1.0, 1.0, 0.0}}, values) == 0);
  CHECK(total_variation(Vector{{1.0, 1.0, 2.0}}, Vector{{1.0, 1.0, 0.0}}) == 0.5);
}

TEST_CASE("Bias bounds refuse what they are not defined for", "[unit]") {
  const Vector two = Vector::Ones(2), three = Vector::Ones(3);

  CHECK_THROWS_AS(chi_square(two, three), InputError);
  CHECK_THROWS_AS(total_variation(two, three), InputError);
  CHECK_THROWS_AS(bias_bound_by_chi_square(two, two, Matrix::Ones(3, 1)), InputError);
  CHECK_THROWS_AS(bias_bound_by_variation(two, Vector{{1.0, -1.0}}, 1), InputError);
  CHECK_THROWS_AS(bias_bound_by_variation(two, two, -1), InputError);
  CHECK_THROWS_AS(bias_bound_by_variation(two, two, kInfinity), InputError);
  CHECK_THROWS_AS(variation_of_ratio(0.5), InputError);
}
