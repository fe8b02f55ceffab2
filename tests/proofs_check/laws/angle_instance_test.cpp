#include "proofs_check/laws/angle_instance.hpp"

#include "estimators/population/angular_kernel.hpp"
#include "tests/numbers.hpp"

using namespace skt;

namespace {

const std::vector<double> kAngles = {0, 0.25, std::numbers::pi / 2, 3, std::numbers::pi};

// Normalising twice leaves a few roundings for each coordinate.
double rounding(Index dim) {
  return 16 * real(dim) * std::numeric_limits<double>::epsilon();
}

}  // namespace

TEST_CASE("Keys have length 1, the query its norm, and their angles are those asked for", "[unit]") {
  for (const Index dim : {2, 3, 128}) {
    const Instance built = angle_instance(kAngles, dim, 2.5, {7});

    CHECK(std::abs(built.query.norm() - 2.5) <= 2.5 * rounding(dim));
    REQUIRE(built.num_keys() == 5);
    for (Index j = 0; j < built.num_keys(); ++j) {
      const Vector key = built.keys.row(j).transpose();
      CHECK(std::abs(key.norm() - 1) <= rounding(dim));
      CHECK(std::abs(angle(built.query, key) - kAngles[j]) <= 4 * rounding(dim));
    }
  }
}

TEST_CASE("All keys lie on one side of the query in one plane, so that angles between them are differences", "[unit]") {
  const Instance built = angle_instance({0.25, 1.25, 2}, 16, 1, {8});
  const auto between = [&](Index i, Index j) {
    return angle(built.keys.row(i).transpose(), built.keys.row(j).transpose());
  };

  CHECK(std::abs(between(0, 1) - 1) <= 4 * rounding(16));
  CHECK(std::abs(between(0, 2) - 1.75) <= 4 * rounding(16));
  CHECK(std::abs(between(1, 2) - 0.75) <= 4 * rounding(16));
}

TEST_CASE("Values are the unit vectors, the name says what it is, and another seed gives another plane", "[unit]") {
  const Instance built = angle_instance(kAngles, 8, 1, {9});

  CHECK(built.values == Matrix::Identity(5, 5));
  CHECK(built.name == "keys at 5 angles, d=8");
  CHECK(built.query == angle_instance(kAngles, 8, 1, {9}).query);
  CHECK(built.query != angle_instance(kAngles, 8, 1, {10}).query);
}

TEST_CASE("One dimension has no angles", "[unit]") {
  CHECK_THROWS_AS(angle_instance(kAngles, 1, 1, {7}), InputError);
}
