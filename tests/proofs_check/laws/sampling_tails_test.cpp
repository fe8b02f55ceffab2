#include "proofs_check/laws/sampling_tails.hpp"

#include "sim/statistics/intervals.hpp"
#include "tests/numbers.hpp"

using namespace skt;

namespace {

const Vector kNone = Vector::Zero(1);

}  // namespace

TEST_CASE("Signs leave a radius with the binomial's probability, and not one that they meet", "[unit]") {
  // Three signs of chance .1: |T - .8| is .2, .4667, 1.1333, 1.8 with probabilities .729, .243, .027, .001.
  CHECK(std::abs(signs_outside(3, 0.1, 0.3) - 0.271) <= 8 * kEpsilon);
  CHECK(std::abs(signs_outside(3, 0.1, 0.5) - 0.028) <= 8 * kEpsilon);
  CHECK(signs_outside(2, 0.5, 1) == 0);
  CHECK(signs_outside(2, 0.5, 1 - 1e-9) == 0.5);
}

TEST_CASE("The enumeration of two draws of nine to one, by hand", "[unit]") {
  // T - y is .4, -1.6, -3.6, moved by -1; half of it has the squares .09, 1.69, 5.29 with chances .81, .18, .01.
  const SampledErrorLaw law =
      enumerated_errors(Vector{{9.0, 1.0}}, Matrix{{2.0}, {-2.0}}, 2, Vector::Constant(1, -1.0));

  REQUIRE(law.chances.size() == 4);
  CHECK(std::abs(law.mean() - 4 * (0.81 * 0.09 + 0.18 * 1.69 + 0.01 * 5.29)) <= 64 * kEpsilon);
  CHECK(std::abs(law.outside(2) - 0.19) <= 8 * kEpsilon);
  CHECK(law.outside(4.6) == 0);  // met
  const double square = 16 * (0.81 * 0.09 * 0.09 + 0.18 * 1.69 * 1.69 + 0.01 * 5.29 * 5.29);
  CHECK(std::abs(law.variance() - (square - law.mean() * law.mean())) <= 256 * kEpsilon * square);
}

TEST_CASE("Keys that cannot be drawn leave no sequence", "[unit]") {
  const SampledErrorLaw law = enumerated_errors(Vector{{1.0, 0.0, 1.0}}, Matrix{{1.0}, {5.0}, {0.0}}, 3, kNone);

  REQUIRE(law.chances.size() == 1);
  CHECK(law.chances[0] == 1);
  CHECK(law.squares[0] == 0);
}

TEST_CASE("Counted draws leave a radius as often as the enumeration says, and carry their rows", "[unit]") {
  const Vector weights{{3.0, 2.0, 1.0}};
  const Matrix values{{1.0, 0.0}, {0.0, 2.0}, {-3.0, 1.0}};
  const double radius = 1, exact = enumerated_errors(weights, values, 4, Vector::Zero(2)).outside(radius);
  constexpr std::uint64_t kTrials = 20'000;
  const SampledErrors drawn = drawn_errors(Seed{5}, weights, values, 4, kTrials, [&](const Matrix& rows) {
    return rows.rows() == 4 && rows.cols() == 2 ? radius : 0;
  });

  CHECK(exact > 0.1);
  CHECK(clopper_pearson(drawn.outside(), kTrials, 1e-9).contains(exact));
  // The quantile at the level that the radius leaves is the radius, up to a step of the law.
  CHECK(drawn.radius_over_quantile(1 - exact - 0.02) >= 1);
  CHECK(drawn.radius_over_quantile(1 - exact + 0.02) <= 1);
}
