#include "sim/decompositions.hpp"

#include "tests/numbers.hpp"

using namespace skt;

namespace {

// Backward stable algorithms on matrices of at most 3 x 3 with entries below 10 and conditions below 10 (Higham, 19): a
// modest multiple of n^2 = 9 rounding units, times the norm and the condition.
constexpr double kRounding = 10 * 9 * 10 * 10 * std::numeric_limits<double>::epsilon();

}  // namespace

TEST_CASE("Eigenvalues rise, and are read from the lower half", "[unit]") {
  Eigen::MatrixXd symmetric{{2, 99}, {1, 2}};  // the eigenvectors (1, -1) and (1, 1)

  const Vector values = symmetric_eigenvalues(symmetric);

  REQUIRE(values.size() == 2);
  CHECK(std::abs(values(0) - 1) <= kRounding);
  CHECK(std::abs(values(1) - 3) <= kRounding);
  CHECK(symmetric_eigenvalues(Eigen::MatrixXd{{-7}})(0) == -7);
}

TEST_CASE("The solver for rows first has the eigenvalues, and eigenvectors of length 1 in their order", "[unit]") {
  const Matrix symmetric{{2, 1}, {1, 2}};

  const Vector values = eigenvalues_rows_first(symmetric);
  const Matrix vectors = eigenvectors_rows_first(symmetric);

  CHECK((values - Vector{{1, 3}}).norm() <= kRounding);
  CHECK(std::abs(std::abs(vectors.col(0).dot(Vector{{1, -1}})) - std::sqrt(2.0)) <= kRounding);
  CHECK(std::abs(std::abs(vectors.col(1).dot(Vector{{1, 1}})) - std::sqrt(2.0)) <= kRounding);
}

TEST_CASE("Orthonormal columns span, one after the other, what the columns span", "[unit]") {
  const Eigen::MatrixXd columns{{3, 1}, {4, 2}, {0, 5}};

  const Eigen::MatrixXd q = orthonormal_columns(columns);

  // Gram-Schmidt by hand: (3, 4, 0)/5, and (1, 2, 5) less 11/5 of it, (-8, 6, 125)/25, of squared length 15725/625.
  const Vector first{{0.6, 0.8, 0}}, second = Vector{{-8, 6, 125}} / std::sqrt(15725.0);
  REQUIRE(q.rows() == 3);
  REQUIRE(q.cols() == 2);
  CHECK(std::abs(std::abs(q.col(0).dot(first)) - 1) <= kRounding);
  CHECK(std::abs(std::abs(q.col(1).dot(second)) - 1) <= kRounding);
  CHECK((q.transpose() * q - Eigen::Matrix2d::Identity()).norm() <= kRounding);
}

TEST_CASE("The pseudo-inverse gives least squares, the shortest where many are least", "[unit]") {
  const Eigen::MatrixXd tall{{1, 0}, {1, 1}, {1, 2}};  // a line through (0, 1), (1, 3), (2, 2): 1.5 + x/2
  const Eigen::MatrixXd singular{{1, 1}, {1, 1}};      // x + y = 4 is shortest as (2, 2)

  const Vector line = least_squares(tall, Vector{{1, 3, 2}});
  const Eigen::MatrixXd inverse = pseudo_inverse(singular);

  CHECK((line - Vector{{1.5, 0.5}}).norm() <= kRounding);
  CHECK((least_squares(singular, Vector{{3, 5}}) - Vector{{2, 2}}).norm() <= kRounding);
  CHECK((inverse - Eigen::MatrixXd::Constant(2, 2, 0.25)).norm() <= kRounding);
  CHECK((pseudo_inverse(tall) * Vector{{1, 3, 2}} - line).norm() <= kRounding);
}
