#include "estimators/peers/linearised_softmax.hpp"

#include "tests/numbers.hpp"

using namespace skt;

namespace {

Vector two(double a, double b) {
  Vector v(2);
  v << a, b;
  return v;
}

}  // namespace

TEST_CASE("Linearised weights of two scores are those worked by hand", "[unit]") {
  const LinearisedSoftmax near = linearised_softmax(two(3, 2.5));
  const LinearisedSoftmax far = linearised_softmax(two(0, -1.5));

  CHECK(near.state == LinearisedState::probability_vector);
  CHECK(near.denominator == 1.5);
  CHECK(near.weights == two(1 / 1.5, 0.5 / 1.5));
  CHECK(far.state == LinearisedState::negative_weights);
  CHECK(far.weights == two(2, -1));
}

TEST_CASE("A vanishing or negative denominator is flagged and gives no weights", "[unit]") {
  const LinearisedSoftmax zero = linearised_softmax(two(0, -2));
  const LinearisedSoftmax negative = linearised_softmax(two(-3, 0));

  CHECK(zero.state == LinearisedState::non_positive_denominator);
  CHECK(zero.denominator == 0);
  CHECK(zero.weights.size() == 0);
  CHECK(negative.state == LinearisedState::non_positive_denominator);
  CHECK(negative.denominator == -1);
}

TEST_CASE("The remainder of the exponential keeps its digits at both ends of the switch", "[unit]") {
  const double eps = std::numeric_limits<double>::epsilon();
  // R_1(x) = x^2/2 (1 + x/3 + x^2/12 + ...): at |x| <= 1e-9 the square bracket differs from 1 + x/3 by less than eps.
  for (const double x : {1e-9, -1e-9, 1e-150, -1e-150}) {
    const double exact = x * x / 2 * (1 + x / 3);
    CHECK(std::abs(exponential_remainder(x) - exact) <= 4 * eps * exact);
  }
  for (const double x : {0.5, -0.5, 0.500001, -0.500001, 3.0, -20.0}) {
    const long double exact = expm1l(static_cast<long double>(x)) - static_cast<long double>(x);
    CHECK(std::abs(exponential_remainder(x) - static_cast<double>(exact)) <= 16 * eps * static_cast<double>(exact));
  }
  CHECK(exponential_remainder(0) == 0);
  CHECK(std::isnan(exponential_remainder(std::nan(""))));
}

TEST_CASE("The dynamic range does not change when every score is shifted", "[unit]") {
  CHECK(dynamic_range(two(-1, 2)) == 3);
  CHECK(dynamic_range(two(-1 + 64, 2 + 64)) == 3);
  CHECK(linearisation_bound(0) == 0);
  CHECK(linearisation_bound(1) == std::exp(1));
}

TEST_CASE("Scores that are missing or not finite are refused", "[unit]") {
  CHECK_THROWS_AS(linearised_softmax(Vector(0)), InputError);
  CHECK_THROWS_AS(linearised_softmax(two(0, std::nan(""))), InputError);
}
