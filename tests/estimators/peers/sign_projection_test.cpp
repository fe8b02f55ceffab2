#include "estimators/peers/sign_projection.hpp"

#include <Eigen/LU>

#include "tests/normal_draws.hpp"
#include "tests/numbers.hpp"

using namespace skt;

namespace {

constexpr double kFailure = 1e-6;  // of one random check

}  // namespace

TEST_CASE("Each block of orthogonal projections is a rotation times sqrt(dim)", "[unit]") {
  const Index dim = 12;

  const Matrix rows = draw_projection(Seed{1}, 0, 2 * dim + 5, dim, ProjectionRows::orthogonal_blocks);

  // Householder QR of a dim x dim matrix is orthogonal to a small multiple of dim^(3/2) epsilon (Higham, 19.3).
  const double tolerance = 20 * std::pow(double(dim), 1.5) * kEpsilon * double(dim);
  for (const Index first : {Index{0}, dim, 2 * dim}) {
    const Matrix block = rows.middleRows(first, std::min(dim, rows.rows() - first));
    const Matrix gram = block * block.transpose();
    const Matrix expected = double(dim) * Matrix::Identity(gram.rows(), gram.cols());
    CHECK((gram - expected).cwiseAbs().maxCoeff() <= tolerance);
  }
  CHECK(rows.topRows(dim) != rows.middleRows(dim, dim));
}

TEST_CASE("The entries of a random rotation have the moments of Haar's law, alone and in pairs", "[unit]") {
  const Index dim = 3;
  std::vector<Moments> entry(dim * dim), fourth(dim * dim), product(dim * dim * dim * dim), conjugate(dim * dim);
  Moments determinant;

  for (std::uint32_t t = 0; t < 6000; ++t) {
    const Matrix q = draw_projection(Seed{15}, t, dim, dim, ProjectionRows::orthogonal_blocks) / std::sqrt(3.0);
    const Matrix product_of_two = q * q;
    determinant.add(q.determinant());
    for (Index i = 0; i < dim * dim; ++i) {
      const double x = q(i / dim, i % dim);
      entry[i].add(x);
      fourth[i].add(x * x * x * x);
      conjugate[i].add(product_of_two(i / dim, i % dim));
      for (Index j = 0; j < i; ++j) product[i * dim * dim + j].add(x * q(j / dim, j % dim));
    }
  }

  // -Q, PQ and Q^T have the law of Q; a row is on the sphere, where E x^4 = 3/(dim (dim + 2)); E Q^2 is I/dim.
  const double z = two_sided_normal(kFailure);
  CHECK(deviations_from(0, determinant) <= z);
  for (Index i = 0; i < dim * dim; ++i) {
    INFO("entry " << i);
    CHECK(deviations_from(0, entry[i]) <= z);
    CHECK(deviations_from(3.0 / (3 * 5), fourth[i]) <= z);
    CHECK(deviations_from(i / dim == i % dim ? 1.0 / 3 : 0, conjugate[i]) <= z);
    for (Index j = 0; j < i; ++j) CHECK(deviations_from(0, product[i * dim * dim + j]) <= z);
  }
}

TEST_CASE("A projection of 0 counts as +1, of a key and of the query", "[unit]") {
  const Index bits = 9, dim = 5;
  const SignProjection projection(Matrix::Zero(1, dim), bits, ProjectionRows::independent, Seed{2}, 0);
  const Vector query = normal_vector(Seed{2}, 100, dim), weights = projection.rows() * query;

  const double of_zero_key = projection.scores(query, QuerySide::linear, KeyFactor::none)(0);
  const double of_both = projection.scores(Vector::Zero(dim), QuerySide::sign, KeyFactor::none)(0);

  CHECK(std::abs(of_zero_key - weights.sum()) <= double(2 * bits) * kEpsilon * weights.cwiseAbs().sum());
  CHECK(of_both == double(bits));
}

TEST_CASE("The gain of a row is sqrt(2/pi), on the sphere E|cos| in one and two dimensions and near it in many",
          "[unit]") {
  const double pi = std::numbers::pi;

  const double one = projection_gain(ProjectionRows::orthogonal_blocks, 1);
  const double two = projection_gain(ProjectionRows::orthogonal_blocks, 2);
  const double many = projection_gain(ProjectionRows::orthogonal_blocks, 4096);

  CHECK(std::abs(projection_gain(ProjectionRows::independent, 5) - kC) <= kEpsilon);
  CHECK(std::abs(one - 1) <= 8 * kEpsilon);
  CHECK(std::abs(two - std::sqrt(2.0) * 2 / pi) <= 8 * kEpsilon);
  // Gamma(d/2)/Gamma((d+1)/2) sqrt(d/2) = 1 + 1/(4d) + O(1/d^2) (Tricomi and Erdelyi 1951).
  CHECK(std::abs(many / std::sqrt(2 / pi) - (1 + 1 / (4.0 * 4096))) <= 1 / (4096.0 * 4096.0));
}

TEST_CASE("Signed projection is its definition, row by row", "[unit]") {
  const Index dim = 7, keys = 9, bits = 17;
  const Matrix k = normal_matrix(Seed{2}, 0, keys, dim);
  const Vector q = normal_vector(Seed{2}, 1, dim);
  const auto rows = GENERATE(ProjectionRows::independent, ProjectionRows::orthogonal_blocks);
  const auto side = GENERATE(QuerySide::linear, QuerySide::sign);
  const auto factor = GENERATE(KeyFactor::none, KeyFactor::norm, KeyFactor::exact_on_key);
  const Matrix w = draw_projection(Seed{3}, 4, bits, dim, rows);

  const Vector scores = SignProjection(k, bits, rows, Seed{3}, 4).scores(q, side, factor);

  for (Index j = 0; j < keys; ++j) {
    double sum = 0, size = 0, self = 0;
    for (Index i = 0; i < bits; ++i) {
      const double on_key = w.row(i).dot(k.row(j)), on_query = w.row(i).dot(q);
      const double f = side == QuerySide::linear ? on_query : (on_query >= 0 ? 1.0 : -1.0);
      sum += on_key >= 0 ? f : -f;
      size += std::abs(f);
      self += std::abs(on_key);
    }
    double c = 1;
    if (factor == KeyFactor::norm) c = k.row(j).norm() / (double(bits) * projection_gain(rows, dim));
    if (factor == KeyFactor::exact_on_key) c = k.row(j).squaredNorm() / self;
    CHECK(std::abs(scores(j) - c * sum) <= 4 * double(bits + dim) * kEpsilon * c * size);
  }
}

TEST_CASE("A key of length 0 scores 0 where its length is a factor", "[unit]") {
  Matrix keys = normal_matrix(Seed{12}, 0, 2, 8);
  keys.row(1).setZero();
  const SignProjection index(keys, 16, ProjectionRows::independent, Seed{13}, 0);
  const Vector q = normal_vector(Seed{12}, 1, 8);
  for (const KeyFactor factor : {KeyFactor::norm, KeyFactor::exact_on_key})
    CHECK(index.scores(q, QuerySide::linear, factor)(1) == 0);
}

TEST_CASE("A projection onto no row is refused", "[unit]") {
  CHECK_THROWS_AS(draw_projection(Seed{1}, 0, 0, 4, ProjectionRows::independent), InputError);
}
