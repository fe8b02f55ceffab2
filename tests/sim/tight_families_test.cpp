#include "sim/tight_families.hpp"

#include "sim/families.hpp"
#include "tests/numbers.hpp"

using namespace skt;

namespace {

FamilyParameters tight_parameters(InstanceFamily family, Index copies, Index dim) {
  FamilyParameters p;
  p.family = family;
  p.copies = copies;
  p.dim = dim;
  return p;
}

Index corner_of(const Vector& projections) {
  Index corner = 0;
  for (const double projection : projections) corner = 2 * corner + (projection >= 0 ? 1 : 0);
  return corner;
}

}  // namespace

TEST_CASE("I-COPY is copies of one key at the angle that was asked for", "[unit]") {
  for (const double angle : {0.0, 0.3, std::numbers::pi / 2, 3.0, std::numbers::pi}) {
    FamilyParameters p = tight_parameters(InstanceFamily::copies, 7, 4);
    p.angle = angle;
    const Instance built = make_instance(p, Seed{1}, 0);

    CHECK(built.num_keys() == 7);
    for (Index j = 0; j < 7; ++j) {
      const double measured = std::atan2(built.keys.row(j).tail(3).norm(), built.keys.row(j).dot(built.query));
      CHECK(std::abs(measured - angle) <= 4 * kEpsilon);
      CHECK(built.keys.row(j) == built.keys.row(0));
      CHECK(built.values.row(j) == Vector::Unit(4, 0).transpose());
    }
  }
}

TEST_CASE("I-TWO has opposite keys orthogonal to the query, with opposite values", "[unit]") {
  const Instance built = make_instance(tight_parameters(InstanceFamily::two_sided, 3, 2), Seed{1}, 0);

  CHECK(built.num_keys() == 6);
  CHECK(built.query == Vector::Unit(2, 1));
  for (Index j = 0; j < 6; ++j) {
    CHECK(built.keys.row(j) == (j < 3 ? 1 : -1) * Vector::Unit(2, 0).transpose());
    CHECK(built.values.row(j) == built.keys.row(j));
  }
  // ||V||_2 = sqrt(2 B)
  CHECK(built.values.squaredNorm() == 6);
}

TEST_CASE("I-ANTI has keys along and against the query", "[unit]") {
  FamilyParameters p = tight_parameters(InstanceFamily::antipodal, 2, 3);
  p.query_norm = 5;
  const Instance built = make_instance(p, Seed{1}, 0);

  CHECK(built.num_keys() == 4);
  CHECK(built.keys * built.query == 5 * Eigen::Vector4d(1, 1, -1, -1));
  CHECK(built.values.col(0) == Eigen::Vector4d(1, 1, -1, -1));
}

TEST_CASE("Every bucket of I-GRID's own table holds exactly the copies", "[unit]") {
  FamilyParameters p = tight_parameters(InstanceFamily::grid, 5, 6);
  p.planes = 3;
  const Instance built = make_instance(p, Seed{2}, 1);
  const Matrix planes = axis_planes(3, 6);

  CHECK(built.num_keys() == 8 * 5);
  for (Index j = 0; j < built.num_keys(); ++j) {
    const Vector projections = planes * built.keys.row(j).transpose();
    CHECK(corner_of(projections) == j / 5);
    CHECK(projections.cwiseAbs() == Vector::Ones(3));
  }
}

TEST_CASE("I-GRID on turned orthonormal hyperplanes keeps its corners", "[unit]") {
  // A Householder reflection has orthonormal rows.
  const Vector axis = Vector::LinSpaced(4, 1, 4).normalized();
  const Matrix reflection = Matrix::Identity(4, 4) - 2 * axis * axis.transpose();
  const Matrix planes = reflection.topRows(2);
  const Instance built = grid_instance(planes, tight_parameters(InstanceFamily::grid, 2, 4), Seed{2}, 1);

  REQUIRE(built.num_keys() == 8);
  for (Index j = 0; j < 8; ++j) {
    const Vector projections = planes * built.keys.row(j).transpose();
    CHECK(corner_of(projections) == j / 2);
    CHECK((projections.cwiseAbs().array() - 1).abs().maxCoeff() <= 16 * kEpsilon);
  }
}

TEST_CASE("I-GRID refuses hyperplanes that are not orthonormal", "[unit]") {
  const FamilyParameters p = tight_parameters(InstanceFamily::grid, 1, 3);
  Matrix planes = axis_planes(2, 3);
  planes(0, 1) = 1e-6;
  CHECK_THROWS_AS(grid_instance(planes, p, Seed{1}, 0), InputError);
  planes(0, 1) = std::numeric_limits<double>::quiet_NaN();
  CHECK_THROWS_AS(grid_instance(planes, p, Seed{1}, 0), InputError);
}

TEST_CASE("I-ORTHV has orthonormal values on Gaussian keys", "[unit]") {
  FamilyParameters p = tight_parameters(InstanceFamily::orthogonal_values, 1, 4);
  p.keys = 6;
  const Instance built = make_instance(p, Seed{3}, 2);
  p.family = InstanceFamily::gaussian;

  CHECK(built.values == Matrix::Identity(6, 6));
  CHECK(built.keys == make_instance(p, Seed{3}, 2).keys);

  p.family = InstanceFamily::orthogonal_values;
  p.value_dim = 5;
  CHECK_THROWS_AS(make_instance(p, Seed{3}, 2), InputError);
}

TEST_CASE("I-RAD is two equal keys with opposite scalar values", "[unit]") {
  const Instance built = make_instance(tight_parameters(InstanceFamily::rademacher, 1, 3), Seed{1}, 0);

  CHECK(built.num_keys() == 2);
  CHECK(built.value_dim() == 1);
  CHECK(built.keys.row(0) == built.keys.row(1));
  CHECK(built.values(0, 0) == 1);
  CHECK(built.values(1, 0) == -1);
}

TEST_CASE("One dimension has room for angles 0 and pi only", "[unit]") {
  FamilyParameters p = tight_parameters(InstanceFamily::copies, 2, 1);
  CHECK_THROWS_AS(make_instance(p, Seed{1}, 0), InputError);
  p.angle = std::numbers::pi;
  CHECK(make_instance(p, Seed{1}, 0).keys(0, 0) == -1);
  p.angle = 0;
  CHECK(make_instance(p, Seed{1}, 0).keys(0, 0) == 1);
  p.family = InstanceFamily::two_sided;
  CHECK_THROWS_AS(make_instance(p, Seed{1}, 0), InputError);
}
