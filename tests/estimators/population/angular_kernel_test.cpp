#include "estimators/population/angular_kernel.hpp"

#include "tests/estimators/plain_formulas.hpp"
#include "tests/normal_draws.hpp"
#include "tests/numbers.hpp"

using namespace skt;

namespace {

const Seed kSeed{24};

Vector at_angle(double theta) {
  return Vector{{std::cos(theta), std::sin(theta)}};
}

}  // namespace

TEST_CASE("Angles keep their digits next to 0 and pi", "[unit]") {
  const Vector axis = at_angle(0);
  // A unit vector's rounding moves the angle by gamma_2 of 1 at most in the difference and the sum; for small
  // angles the second coordinate alone carries it, to a relative error of a few roundings.
  for (const double theta : {1e-300, 1e-160, 1e-12, 1e-8, 1e-3}) {
    CHECK(std::abs(angle(axis, at_angle(theta)) - theta) <= gamma_of(16) * theta);
    CHECK(std::abs(angle(axis, -at_angle(theta)) - (kPi - theta)) <= gamma_of(16) * kPi);
  }
  for (const double theta : {0.3, 1.0, kPi / 2, 2.5}) {
    CHECK(std::abs(angle(axis, at_angle(theta)) - theta) <= gamma_of(16) * kPi);
    CHECK(std::abs(cosine(axis, at_angle(theta)) - std::cos(theta)) <= gamma_of(16));
  }
}

TEST_CASE("Parallel and opposite vectors of any length have angle 0 and pi exactly", "[unit]") {
  for (std::uint32_t stream = 0; stream < 50; ++stream) {
    const Vector x = normal_vector(kSeed, stream, 1 + stream);
    for (const double factor : {0x1p-900, 1.0, 0x1p+900}) {
      REQUIRE(angle(x, factor * x) == 0);
      REQUIRE(angle(x, -factor * x) == kPi);
      REQUIRE(std::abs(cosine(x, 3.3 * x)) <= 1);
      REQUIRE(angle(x, 3.3 * x) <= gamma_of(8 + real(x.size())));
    }
  }
}

TEST_CASE("Angular weights are (1 - angle/pi)^planes", "[unit]") {
  Instance instance;
  instance.query = 5 * at_angle(0);
  instance.keys.resize(4, 2);
  instance.keys << 2, 0, 0, 7, -1, 0, 1, 1;

  const Vector weights = angular_weights(instance, 3);

  const std::vector<double> expected{1, 1.0 / 8, 0, 27.0 / 64};
  for (Index j = 0; j < 4; ++j) CHECK(std::abs(weights[j] - expected[j]) <= gamma_of(64) * expected[j]);
  CHECK(weights[0] == 1);
  CHECK(weights[2] == 0);
}

TEST_CASE("Cosines and angles of an instance are those of its keys one by one", "[unit]") {
  for (const Index keys : {Index{0}, Index{1}, Index{33}}) {
    const Instance instance{"", normal_vector(kSeed, 1, 6), normal_matrix(kSeed, 2, keys, 6), Matrix(keys, 0)};
    const Vector cosines = cosines_to_query(instance);
    const Vector angles = angles_to_query(instance);

    REQUIRE(cosines.size() == keys);
    for (Index j = 0; j < keys; ++j) {
      CHECK(cosines[j] == cosine(instance.query, instance.keys.row(j)));
      CHECK(angles[j] == angle(instance.query, instance.keys.row(j)));
      CHECK(std::abs(std::cos(angles[j]) - cosines[j]) <= gamma_of(32));
    }
  }
}

TEST_CASE("A zero vector has no angle", "[unit]") {
  Instance instance{"", Vector::Ones(2), Matrix::Ones(3, 2), Matrix(3, 0)};
  instance.keys.row(2).setZero();

  CHECK_THROWS_AS(angle(Vector::Zero(3), Vector::Ones(3)), InputError);
  CHECK_THROWS_AS(cosine(Vector::Ones(3), Vector::Zero(3)), InputError);
  CHECK_THROWS_WITH(angular_weights(instance, 1), Catch::Matchers::StartsWith("key 2:"));
  CHECK_THROWS_WITH(angular_weights({"", Vector::Zero(2), Matrix::Ones(1, 2), Matrix(1, 0)}, 1),
                    Catch::Matchers::StartsWith("query:"));
  CHECK_THROWS_AS(angular_weights({"", Vector::Ones(2), Matrix::Ones(1, 2), Matrix(1, 0)}, 0), InputError);
}
