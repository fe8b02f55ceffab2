#include "estimators/population/plane_signal.hpp"

#include "tests/estimators/population/close.hpp"
#include "tests/numbers.hpp"

using namespace skt;

TEST_CASE("A saturated signal of strength ln(3)/2 misses with probability 1/4", "[unit]") {
  // tanh(|q| z) is 1, so miss = 1/(1 + e^{ln 3}) = 1/4 and T = 1 - 2/4.
  const PlaneSignal signal{1e9, std::log(3.0) / 2};

  CHECK(close(signal.miss(1), 0.25, 1e-14));
  CHECK(close(signal.tanh_beta(1), 0.5, 1e-14));
}

TEST_CASE("T is 1 - 2 miss, and the miss keeps its digits where T is 1", "[unit]") {
  const PlaneSignal usual{2, 0.7}, cold{1e9, 300};

  for (double z : {0.0, 0.1, 1.0, 3.0}) CHECK(std::abs(usual.tanh_beta(z) - (1 - 2 * usual.miss(z))) <= 4e-16);
  CHECK(cold.tanh_beta(1) == 1);
  CHECK(close(cold.miss(1), std::exp(-600.0), 1e-12));
}

TEST_CASE("The scale is that of the norm, and of the strength where it is above 1", "[unit]") {
  CHECK(PlaneSignal{2, 0.5}.scale() == 0.5);
  CHECK(close(PlaneSignal{2, 3}.scale(), 1.0 / 6, 1e-14));
}

TEST_CASE("The strength is the scaling factor over the temperature", "[unit]") {
  const PlaneSignal scaled = plane_signal({3, 0.5, 16, 8, Scaling::inverse_sqrt_dim});
  const PlaneSignal plain = plane_signal({3, 0.5, 16, 8, Scaling::none});

  CHECK(scaled.norm == 3);
  CHECK(scaled.strength == 0.5);  // 1/4 over 1/2
  CHECK(plain.strength == 2);
}

TEST_CASE("Parameters out of range are refused by name", "[unit]") {
  const double nan = std::numeric_limits<double>::quiet_NaN();

  CHECK_THROWS_WITH(plane_signal({0, 1, 1, 1, Scaling::none}), "query norm is 0: allowed is 1e-150 to 1e150");
  CHECK_THROWS_WITH(plane_signal({1, 1e151, 1, 1, Scaling::none}), "temperature is 1e+151: allowed is 1e-150 to 1e150");
  CHECK_THROWS_WITH(plane_signal({1, 1, 1, 0, Scaling::none}), "planes is 0: allowed is 1 and more");
  CHECK_THROWS_AS(plane_signal({nan, 1, 1, 1, Scaling::none}), InputError);
  CHECK_THROWS_AS(plane_signal({1, nan, 1, 1, Scaling::none}), InputError);
}

TEST_CASE("The cotangent is that of a 3-4-5 triangle, and keeps its digits at the poles", "[unit]") {
  CHECK(close(cotangent(Cosine::of(0.6)), 0.75, 1e-14));
  CHECK(close(cotangent(Cosine::of(-0.6)), -0.75, 1e-14));
  CHECK(close(cotangent(Cosine::of(0.8)), 4.0 / 3, 1e-14));
  CHECK(close(cotangent(Cosine::of(0.28)), 7.0 / 24, 1e-14));
  CHECK(cotangent(Cosine::of(0)) == 0);
  // cos = 1 - c: sin^2 = 2 c - c^2.
  CHECK(close(cotangent({1, 1e-300}), 1 / std::sqrt(2.0) * 1e150, 1e-14));
  CHECK(close(cotangent({-1, 1e-300}), -1 / std::sqrt(2.0) * 1e150, 1e-14));
  CHECK(std::isinf(cotangent({1, 0})));
}

TEST_CASE("A number that is no cosine, or whose complement is another's, has no cotangent", "[unit]") {
  CHECK_THROWS_AS(cotangent(Cosine::of(1.5)), InputError);
  CHECK_THROWS_AS(cotangent({0.5, 0.4}), InputError);
  CHECK_THROWS_AS(cotangent({1, -1e-300}), InputError);
  CHECK_THROWS_AS(cotangent(Cosine::of(std::numeric_limits<double>::quiet_NaN())), InputError);
}

TEST_CASE("The normal law keeps its digits in the lower tail", "[unit]") {
  CHECK(normal_cdf(0) == 0.5);
  CHECK(close(normal_cdf(-10), 7.61985302416052606597e-24, 1e-12));  // Phi(-10) of the tables
}

TEST_CASE("Means over the projection are the moments of |N(0,1)|", "[unit]") {
  const auto mean = [](auto f) { return mean_over_projection(f, 1).value; };

  CHECK(close(mean([](double) { return 1.0; }), 1, 1e-14));
  CHECK(close(mean([](double z) { return z; }), std::sqrt(2 / std::numbers::pi), 1e-14));
  CHECK(close(mean([](double z) { return z * z; }), 1, 1e-14));
  CHECK(close(mean([](double z) { return z * z * z * z; }), 3, 1e-14));
}

TEST_CASE("The squared signal is (S a)^2 where it is weak and tanh(S)^2 where it is saturated", "[unit]") {
  // T^2 = (S a z)^2 (1 - (2/3) (a z)^2 ..), whose mean differs by a share of 2 a^2.
  CHECK(close(squared_signal({1e-6, 1e-3}).value, 1e-18, 1e-11));
  // T differs from tanh S for z of the order of 1/a alone.
  CHECK(close(squared_signal({1e12, 0.5}).value, std::tanh(0.5) * std::tanh(0.5), 1e-11));
  CHECK(squared_signal({1, 0.5}).error <= 1e-14 * squared_signal({1, 0.5}).value);
}
