#include "estimators/quadrature.hpp"

#include "tests/numbers.hpp"

using namespace skt;

TEST_CASE("Integrals known in closed form lie within the error that is reported", "[oracle]") {
  const Estimate cubic = integrate_graded([](double x) { return x * x * x; }, 1, 3, 1);
  const Estimate wave = integrate_graded([](double x) { return std::sin(x); }, 0, std::numbers::pi, 1);

  CHECK(std::abs(cubic.value - 20) <= cubic.error);  // (81 - 1)/4
  CHECK(std::abs(wave.value - 2) <= wave.error);
  CHECK(cubic.error <= 1e-13);
  CHECK(wave.error <= 1e-13);
}

TEST_CASE("A bend of width 1e-3 is integrated by panels that start there, and reported by others", "[oracle]") {
  // int_0^1 s/(x^2 + s^2) dx = atan(1/s).
  constexpr double kWidth = 1e-3;
  const auto bend = [](double x) { return kWidth / (x * x + kWidth * kWidth); };

  const Estimate fine = integrate_graded(bend, 0, 1, kWidth), coarse = integrate_graded(bend, 0, 1, 1);

  CHECK(std::abs(fine.value - std::atan(1 / kWidth)) <= fine.error);
  CHECK(fine.error <= 1e-13);
  CHECK(coarse.error > 1e-3);
}

TEST_CASE("An empty interval integrates to nothing", "[unit]") {
  const Estimate none = integrate_graded([](double) { return 1.0; }, 2, 2, 1);

  CHECK(none.value == 0);
  CHECK(none.error == 0);
}
