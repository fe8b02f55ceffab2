#include "estimators/population/half_angle.hpp"

#include "tests/estimators/population/close.hpp"
#include "tests/numbers.hpp"

using namespace skt;

TEST_CASE("The angle of cosine 0.28 has the half angle of a 3-4-5 triangle", "[unit]") {
  // cos = 1 - 2 (3/5)^2.
  const HalfAngle half = HalfAngle::of_cosine(0.28), obtuse = HalfAngle::of_cosine(-0.28);

  CHECK(close(half.sine, 0.6, 4e-15));
  CHECK(close(half.cosine, 0.8, 4e-15));
  CHECK(close(obtuse.sine, 0.8, 4e-15));
  CHECK(close(obtuse.cosine, 0.6, 4e-15));
  CHECK(close(half.cotangent_of_angle(), 7.0 / 24, 4e-15));
  CHECK(close(half.cosine_of_angle().value, 0.28, 4e-15));
  CHECK(close(half.cosine_of_angle().complement, 0.72, 4e-15));
  CHECK(close(obtuse.cosine_of_angle().value, -0.28, 4e-15));
}

TEST_CASE("Between two unit vectors it is half of their angle, to its last digits next to 0 and pi", "[unit]") {
  const Vector axis{{1.0, 0.0}}, near{{1.0, 1e-9}}, far{{-1.0, 1e-9}}, other{{0.28, 0.96}};

  CHECK(close(HalfAngle::between(axis, other).sine, 0.6, 4e-15));
  CHECK(close(HalfAngle::between(other, axis).cosine, 0.8, 4e-15));
  CHECK(close(HalfAngle::between(axis, near).sine, 5e-10, 4e-15));
  CHECK(close(HalfAngle::between(axis, far).cosine, 5e-10, 4e-15));
  CHECK(HalfAngle::between(axis, axis).sine == 0);
  CHECK(HalfAngle::between(axis, -axis).cosine == 0);
}

TEST_CASE("The complement of the cosine is twice the squared sine of the half angle, however small", "[unit]") {
  const Cosine along = HalfAngle{1e-100, 1}.cosine_of_angle(), against = HalfAngle{1, 1e-100}.cosine_of_angle();

  CHECK(along.value == 1);
  CHECK(close(along.complement, 2e-200, 4e-15));
  CHECK(against.value == -1);
  CHECK(close(against.complement, 2e-200, 4e-15));
  CHECK(std::abs(HalfAngle{std::sqrt(0.5), std::sqrt(0.5)}.cosine_of_angle().value) <= 1e-15);
}

TEST_CASE("The cotangent is infinite at both ends, with the sign of the side", "[unit]") {
  CHECK(HalfAngle{0, 1}.cotangent_of_angle() == kInfinity);
  CHECK(HalfAngle{1, 0}.cotangent_of_angle() == -kInfinity);
}

TEST_CASE("A unit vector has the length 1 even where the norm is subnormal, and zero stays zero", "[unit]") {
  const Vector usual = unit_or_zero(Vector{{3.0, 4.0}}, "key"), tiny = unit_or_zero(Vector{{3e-310, 4e-310}}, "key");

  CHECK(close(usual[0], 0.6, 4e-15));
  CHECK(close(usual[1], 0.8, 4e-15));
  CHECK(close(tiny.norm(), 1, 4e-15));
  CHECK(std::abs(tiny[0] - 0.6) <= 1e-13);  // the entries are known to 5e-324 / 3e-310
  CHECK(unit_or_zero(Vector::Zero(2), "key") == Vector::Zero(2));
  CHECK_THROWS_WITH(unit_or_zero(Vector{{1.0, std::numeric_limits<double>::infinity()}}, "query"),
                    Catch::Matchers::StartsWith("query has the norm inf"));
}
