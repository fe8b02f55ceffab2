#include "estimators/weighted_output.hpp"

#include "sim/decompositions.hpp"
#include "tests/estimators/plain_formulas.hpp"
#include "tests/normal_draws.hpp"
#include "tests/numbers.hpp"

using namespace skt;

namespace {

const Seed kOutputSeed{25};

}  // namespace

TEST_CASE("The weighted output is the weighted mean of the values", "[unit]") {
  Matrix values(3, 2);
  values << 1, 0, 0, 1, 4, -4;

  CHECK(weighted_output(Vector{{1, 2, 1}}, values) == Vector{{1.25, -0.5}});
  CHECK(weighted_output(Vector{{0, 3, 0}}, values) == Vector{{0, 1}});
  CHECK(weighted_output(Vector{{0x1p-1070, 0x1p-1069, 0x1p-1070}}, values) == Vector{{1.25, -0.5}});
}

TEST_CASE("The weighted output agrees with plain sums, at any scale of the weights", "[unit]") {
  for (const Index keys : {Index{1}, Index{31}, Index{32}, Index{33}, Index{2000}}) {
    const Vector weights = normal_vector(kOutputSeed, 1, keys).cwiseAbs();
    const Matrix values = normal_matrix(kOutputSeed, 2, keys, 5);

    const Vector output = weighted_output(weights, values);

    for (Index c = 0; c < 5; ++c) {
      const long double sum = plain_dot(weights, values.col(c));
      const auto mean = static_cast<double>(sum / weights.cast<long double>().sum());
      // Two sums and a quotient, each relative to the sum of magnitudes.
      const double magnitude = weights.dot(values.col(c).cwiseAbs()) / weights.sum();
      REQUIRE(std::abs(output[c] - mean) <= gamma_of(2 * real(keys) + 4) * magnitude);
    }
    CHECK(weighted_output(weights * 0x1p400, values) == output);
  }
}

TEST_CASE("Weights that are not a law are refused", "[unit]") {
  const Matrix values = Matrix::Ones(2, 3);

  CHECK_THROWS_AS(weighted_output(Vector{{1, -1e-9}}, values), InputError);
  CHECK_THROWS_AS(weighted_output(Vector{{1, NAN}}, values), InputError);
  CHECK_THROWS_AS(weighted_output(Vector{{1, INFINITY}}, values), InputError);
  CHECK_THROWS_AS(weighted_output(Vector{{1e308, 1e308}}, values), InputError);
  CHECK_THROWS_AS(weighted_output(Vector::Zero(2), values), InputError);
  CHECK_THROWS_AS(weighted_output(Vector::Ones(3), values), InputError);
  CHECK_THROWS_AS(weighted_output(Vector(), Matrix(0, 3)), InputError);
}

TEST_CASE("The spectral norm of an orthogonal times a diagonal matrix is its largest entry", "[unit]") {
  struct Shape {
    Index rows, cols;
  };
  for (const Shape& s : {Shape{1, 1}, Shape{40, 6}, Shape{6, 40}, Shape{33, 32}}) {
    const Index rank = std::min(s.rows, s.cols);
    const Matrix u = orthonormal_columns(normal_matrix(kOutputSeed, 3, s.rows, s.rows));
    const Matrix v = orthonormal_columns(normal_matrix(kOutputSeed, 4, s.cols, s.cols));
    for (const double largest : {0x1p-520, 1.0, 0x1p520}) {
      Vector singular = Vector::LinSpaced(rank, 0.25, 1) * largest;
      singular[rank - 1] = largest;

      const Matrix values = u.leftCols(rank) * singular.asDiagonal() * v.leftCols(rank).transpose();

      // Building values rounds rows + rank + cols times, the Gram matrix max(rows, cols) times more.
      const auto roundings = real(8 * (s.rows + s.cols + rank) * rank);
      CHECK(std::abs(spectral_norm(values) / largest - 1) <= gamma_of(roundings));
    }
  }
  CHECK(spectral_norm(Matrix::Zero(3, 2)) == 0);
  CHECK(spectral_norm(Matrix(0, 2)) == 0);
}

TEST_CASE("Row norms are the lengths of the rows", "[unit]") {
  Matrix values(3, 2);
  values << 3, -4, 0, 0, 0x1p600, 0;

  CHECK(row_norms(values) == Vector{{5, 0, 0x1p600}});
  CHECK(row_norms(Matrix(0, 2)).size() == 0);
}

TEST_CASE("Equal rows have equal norms, bit for bit, wherever they stand", "[unit]") {
  for (const Index cols : {Index{1}, Index{5}, Index{17}, Index{128}, Index{131}}) {
    const Vector row = normal_vector(kOutputSeed, 6, cols);

    const Vector norms = row_norms(row.transpose().replicate(40, 1));

    CHECK(norms == Vector::Constant(40, norms[0]));
    const auto exact = static_cast<double>(std::sqrt(plain_dot(row, row)));
    CHECK(std::abs(norms[0] - exact) <= gamma_of(real(cols) + 4) * exact);
  }
}
