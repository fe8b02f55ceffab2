#include "proofs_check/bounds/value_covariance.hpp"

#include "tests/numbers.hpp"

using namespace skt;

TEST_CASE("Two values e and 0 have the covariance m (1 - m) e e^T", "[unit]") {
  const Vector law{{0.25, 0.75}};
  const Matrix values{{2.0, -4.0}, {0.0, 0.0}};
  const Matrix expected{{0.75, -1.5}, {-1.5, 3.0}};  // 3/16 of e e^T

  CHECK(value_covariance(law, values, values.transpose() * law) == expected);
  CHECK(std::abs(largest_eigenvalue(expected) - 3.75) <= 16 * kEpsilon);  // 3/16 |e|^2
}

TEST_CASE("Values far from the origin lose no digits of their covariance", "[unit]") {
  const Vector law{{0.25, 0.75}};
  const Matrix values{{0x1p40}, {0x1p40 + 4}};  // deviations 3 and 1 from the mean, exactly

  CHECK(value_covariance(law, values, values.transpose() * law)(0, 0) == 3);
}

TEST_CASE("The blocks of a long sum leave no row out", "[unit]") {
  for (const Index rows : {1, 255, 256, 257, 1000}) {
    const Matrix sum = sum_of_outer_products(rows, 2, [](Index j, auto&& row) {
      row(0) = 1;
      row(1) = real(j);
    });
    const double n = real(rows);
    CHECK(sum(0, 0) == n);
    CHECK(sum(0, 1) == n * (n - 1) / 2);
    CHECK(sum(1, 0) == sum(0, 1));
    CHECK(sum(1, 1) == n * (n - 1) * (2 * n - 1) / 6);
  }
  CHECK(sum_of_outer_products(0, 2, [](Index, auto&&) {}).isZero(0));
}

TEST_CASE("The largest eigenvalue of a matrix of two, and of none", "[unit]") {
  CHECK(std::abs(largest_eigenvalue(Matrix{{2.0, 1.0}, {1.0, 2.0}}) - 3) <= 16 * kEpsilon);
  CHECK(largest_eigenvalue(Matrix(0, 0)) == 0);
}

TEST_CASE("Weights become probabilities, and those that cannot are refused", "[unit]") {
  const double nan = std::numeric_limits<double>::quiet_NaN();

  CHECK(probabilities_of(Vector{{1.0, 3.0}}, 2, "weights") == Vector{{0.25, 0.75}});
  CHECK_THROWS_AS(probabilities_of(Vector{{1.0, 3.0}}, 3, "weights"), InputError);
  CHECK_THROWS_AS(probabilities_of(Vector{{1.0, -1e-9}}, 2, "weights"), InputError);
  CHECK_THROWS_AS(probabilities_of(Vector{{1.0, nan}}, 2, "weights"), InputError);
  CHECK_THROWS_AS(probabilities_of(Vector{{0.0, 0.0}}, 2, "weights"), InputError);
}
