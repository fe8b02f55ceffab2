#include "estimators/hyperplanes.hpp"

#include "tests/estimators/plain_formulas.hpp"
#include "tests/normal_draws.hpp"
#include "tests/numbers.hpp"

using namespace skt;

namespace {

const Seed kPlaneSeed{20};

}  // namespace

TEST_CASE("The first tables of a larger draw are the tables of a smaller one", "[unit]") {
  const Hyperplanes few = draw_hyperplanes(kPlaneSeed, 3, 2, 5, 7);
  const Hyperplanes many = draw_hyperplanes(kPlaneSeed, 3, 9, 5, 7);
  const Hyperplanes more_planes = draw_hyperplanes(kPlaneSeed, 3, 2, 6, 8);

  CHECK(many.rows.topRows(10) == few.rows);
  CHECK(more_planes.table(1).topLeftCorner(5, 7) == few.table(1));
  CHECK(draw_hyperplanes(kPlaneSeed, 4, 2, 5, 7).rows != few.rows);
}

TEST_CASE("No hyperplane is drawn twice, in any trial, table and place", "[unit]") {
  std::set<double> first_entries;
  for (const std::uint32_t trial : {0u, 1u, 2u, 3u, 4u, 0xfffffffeu, 0xffffffffu}) {
    const Hyperplanes drawn = draw_hyperplanes(kPlaneSeed, trial, 9, 5, 3);
    for (Index row = 0; row < drawn.rows.rows(); ++row) first_entries.insert(drawn.rows(row, 0));
  }

  CHECK(first_entries.size() == 7 * 9 * 5);  // two normal numbers agree in 52 bits with probability below 1e-10
}

TEST_CASE("Hyperplanes of impossible sizes are refused", "[unit]") {
  CHECK_THROWS_AS(draw_hyperplanes(kPlaneSeed, 0, 0, 1, 1), InputError);
  CHECK_THROWS_AS(draw_hyperplanes(kPlaneSeed, 0, (Index{1} << 24) + 1, 1, 1), InputError);
  CHECK_THROWS_AS(draw_hyperplanes(kPlaneSeed, 0, 1, 0, 1), InputError);
  CHECK_THROWS_AS(draw_hyperplanes(kPlaneSeed, 0, 1, 31, 1), InputError);
  CHECK_THROWS_AS(draw_hyperplanes(kPlaneSeed, 0, 1, 1, 0), InputError);
  CHECK_THROWS_AS(given_hyperplanes(2, 3, Matrix::Ones(5, 4)), InputError);
  CHECK(given_hyperplanes(2, 3, Matrix::Ones(6, 4)).dim == 4);
}

TEST_CASE("Projections are W x up to the rounding of a dot product", "[unit]") {
  for (const Index dim : {Index{1}, Index{3}, Index{128}, Index{777}}) {
    for (const Index n : {Index{0}, Index{1}, Index{31}, Index{32}, Index{33}}) {
      const Hyperplanes hyperplanes = draw_hyperplanes(kPlaneSeed, 0, 3, 7, dim);
      const Matrix vectors = normal_matrix(kPlaneSeed, 1, n, dim);

      const Matrix projected = projections(hyperplanes, vectors, 4, 9);

      REQUIRE(projected.rows() == n);
      REQUIRE(projected.cols() == 9);
      for (Index j = 0; j < n; ++j) {
        for (Index i = 0; i < 9; ++i) {
          const auto row = hyperplanes.rows.row(4 + i);
          const auto error = std::abs(projected(j, i) - static_cast<double>(plain_dot(row, vectors.row(j))));
          REQUIRE(error <= dot_error(row, vectors.row(j)));
        }
      }
    }
  }
}

TEST_CASE("A vector has the same projections, bit for bit, wherever it stands", "[unit]") {
  for (const Index dim : {Index{1}, Index{2}, Index{5}, Index{64}, Index{300}}) {
    for (const Index planes : {Index{1}, Index{2}, Index{6}, Index{26}}) {
      const Hyperplanes hyperplanes = draw_hyperplanes(kPlaneSeed, 1, 1, planes, dim);
      const Vector x = normal_vector(kPlaneSeed, 2, dim);
      const Matrix alone = projections(hyperplanes, Matrix(x.transpose()), 0, planes);
      for (const Index n : {Index{32}, Index{45}, Index{256}}) {
        const Matrix copies = x.transpose().replicate(n, 1);

        const Matrix projected = projections(hyperplanes, copies, 0, planes);

        for (Index j = 0; j < n; ++j) REQUIRE(projected.row(j) == alone.row(0));
      }
    }
  }
}

TEST_CASE("A query of another dim or without finite projections is refused", "[unit]") {
  const Hyperplanes hyperplanes = draw_hyperplanes(kPlaneSeed, 0, 2, 3, 4);

  CHECK_THROWS_AS(query_projections(hyperplanes, Vector::Ones(5)), InputError);
  CHECK_THROWS_AS(query_projections(hyperplanes, Vector::Constant(4, NAN)), InputError);
  CHECK_THROWS_AS(query_projections(hyperplanes, Vector::Constant(4, 1e308) * 100), InputError);
  CHECK(query_projections(hyperplanes, Vector::Zero(4)) == Matrix::Zero(2, 3));
}
