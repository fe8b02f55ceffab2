// What is a table's made of a plane's, whose moments pair_moment_test.cpp compares with 50 digits?
#include "estimators/population/population.hpp"

#include "estimators/population/pair_moment.hpp"
#include "tests/estimators/population/close.hpp"
#include "tests/numbers.hpp"

using namespace skt;

namespace {

const PopulationParameters kUsual{2, 0.4, 4, 3, Scaling::inverse_sqrt_dim};

}  // namespace

TEST_CASE("The pair moment of a table is the power of a plane's", "[unit]") {
  const Cosine rho = Cosine::of(0.4), other = Cosine::of(-0.2), between = Cosine::of(0.5);
  const double h = plane_pair_moment(kUsual, rho, other, between).value;

  CHECK(close(population_pair_moment(kUsual, rho, other, between).value, h * h * h, 1e-13));
}

TEST_CASE("Angular weights are powers of 1 - angle/pi, with their digits at the antipode", "[unit]") {
  CHECK(close(angular_weight(3, Cosine::of(0.5)).value, 8.0 / 27, 1e-13));
  CHECK(close(angular_weight(2, Cosine::of(-0.5)).value, 1.0 / 9, 1e-13));
  CHECK(close(angular_weight(2, Cosine::of(std::sqrt(0.5))).value, 9.0 / 16, 1e-13));
  CHECK(angular_weight(5, {1, 0}).value == 1);
  CHECK(angular_weight(5, {-1, 0}).value == 0);
  CHECK(close(angular_weight(1, {-1, 1e-20}).value, std::sqrt(2e-20) / std::numbers::pi, 1e-13));
}

TEST_CASE("Cosines and planes out of range are refused", "[unit]") {
  CHECK_THROWS_AS(plane_agreement(kUsual, Cosine::of(1.1)), InputError);
  CHECK_THROWS_WITH(angular_weight(0, Cosine::of(0.5)), "planes is 0: allowed is 1 and more");
  CHECK_THROWS_AS(angular_weight(1, Cosine::of(-2)), InputError);
}
