#include "estimators/prediction/soft_score_law.hpp"

#include <boost/math/special_functions/beta.hpp>

#include "estimators/population/plane_signal.hpp"
#include "estimators/population/soft_score_moments.hpp"
#include "tests/numbers.hpp"

using namespace skt;

namespace {

constexpr double kStated = 1e-3;  // the numerical error of a probability, in the header

PopulationParameters of(double norm, double temperature, Index planes) {
  return {norm, temperature, 16, planes, Scaling::inverse_sqrt_dim};
}

double above(const SoftScoreLaw& law, double angle, double x) {
  return law.at_angle(law.tails(x), angle);
}

}  // namespace

TEST_CASE("One plane of one table at a right angle has the law of its projection", "[oracle]") {
  // s = sigma(+-2 S tanh(a |z|)) with S = 1/(4 * .5), either sign alike: P(s > x) for x > 1/2 is P(|z| > z_x)/2.
  const SoftScoreLaw law(of(2, 0.5, 1), 1, 1.2, 1.8);
  for (const double z : {0.2, 0.5, 1.0, 2.0}) {
    const double x = 1 / (1 + std::exp(-2 * 0.5 * std::tanh(2 * z)));
    const double tail = normal_cdf(-z);
    INFO("z " << z);
    CHECK(std::abs(above(law, kPi / 2, x) - tail) <= kStated);
    CHECK(std::abs(above(law, kPi / 2, 1 - x) - (1 - tail)) <= kStated);
  }
}

TEST_CASE("At temperature 0 the mean over tables is a share of hits, of binomial law", "[oracle]") {
  const Index tables = 20;
  const SoftScoreLaw law(of(3, 1e-7, 4), tables, 0.5, 1.9);
  for (const double angle : {0.6, 1.0, kPi / 2}) {
    const double w = std::pow(1 - angle / kPi, 4);
    for (const Index hits : {0, 1, 3, 8}) {
      const double exact = boost::math::ibeta(real(hits + 1), real(tables - hits), w);
      INFO("angle " << angle << " hits " << hits);
      CHECK(std::abs(above(law, angle, (real(hits) + 0.5) / real(tables)) - exact) <= kStated);
    }
  }
}

TEST_CASE("Many tables of a near key do not pass the end of the grid", "[oracle]") {
  // 2000 tables, a quarter of them hit: a grid of the reach of a key at twice the angle, .05 a table, would end below.
  const Index tables = 2000;
  const SoftScoreLaw law(of(3, 1e-7, 8), tables, 0.5, 0.5);
  const double w = std::pow(1 - 0.5 / kPi, 8);
  for (const Index hits : {460, 500, 540}) {
    const double exact = boost::math::ibeta(real(hits + 1), real(tables - hits), w);
    INFO("hits " << hits);
    CHECK(std::abs(above(law, 0.5, (real(hits) + 0.5) / real(tables)) - exact) <= kStated);
  }
}

TEST_CASE("The law has the mean, the variance and the third moment of its tables", "[oracle]") {
  for (const auto& [tau, planes, tables] : {std::tuple{0.5, 8, 60}, {0.1, 8, 60}, {0.05, 12, 20}, {0.3, 4, 3}}) {
    const PopulationParameters p = of(4, tau, planes);
    const SoftScoreLaw law(p, tables, 1.45, 1.45);
    const ScoreMoments one = SoftScoreMoments(p).of_table(HalfAngle::of_cosine(std::cos(1.45)));
    // E X^n = int n x^(n-1) P(X > x) dx, by the trapezoidal rule on a grid that holds the law's own of 2^16 points.
    double raw[3] = {0, 0, 0};
    constexpr int kCells = (1 << 16) - 1, kSteps = 2 * kCells;
    const double most = law.most_score(), step = most / kSteps;
    for (int i = 0; i <= kSteps; ++i) {
      const double x = i * step, tail = above(law, 1.45, x) * step * (i == 0 || i == kSteps ? 0.5 : 1);
      for (int n = 0; n < 3; ++n) raw[n] += (n + 1) * std::pow(x, n) * tail;
    }

    // E s^k of a table is a product over planes. Each factor is a mean over 4,000 projections of equal probability: off
    // by at most 1/8000 of the summand's variation, which is 2 at most. Its logarithm, split between points h apart,
    // makes it larger by a share of (kh)^2/8 at most.
    const double strength = 1 / (4 * tau), h = 2 * strength / (16384.0 / planes - 1);
    const auto error_of_moment = [&](double moment, int k) {
      const double factor = std::pow(moment, 1.0 / planes);
      return moment * (std::pow((1 + 2 / 8000.0 / factor) * std::exp(k * h * k * h / 8), planes) - 1);
    };
    const double square = one.variance + one.mean * one.mean;
    const double cube = one.third + 3 * one.mean * square - 2 * std::pow(one.mean, 3);
    const double d1 = error_of_moment(one.mean, 1), d2 = error_of_moment(square, 2), d3 = error_of_moment(cube, 3);
    // Independent tables: cumulants of their mean are those of one over n and n^2. P is straight within a cell, where
    // it has a jump at a point: the square is off by a cell's square at most, the cube by three times the reach of that.
    const double n = tables, cell = most / kCells * most / kCells;
    const double variance = one.variance / n, third = one.third / (n * n);
    const double variance_error = (d2 + 2 * one.mean * d1) / n + cell;
    const double third_error =
        (d3 + 3 * one.mean * d2 + 3 * (square + 2 * one.mean * one.mean) * d1) / (n * n) + 6 * most * cell;
    INFO("tau " << tau << " planes " << planes << " tables " << tables);
    CHECK(std::abs(raw[0] - one.mean) <= d1);
    CHECK(std::abs(raw[1] - raw[0] * raw[0] - variance) <= variance_error);
    const double seen = raw[2] - 3 * raw[1] * raw[0] + 2 * std::pow(raw[0], 3);
    CHECK(std::abs(seen - third) <= third_error);
  }
}

TEST_CASE("Tails fall from 1 to 0 with the score and with the angle", "[unit]") {
  const SoftScoreLaw law(of(4, 0.05, 10), 60, 0.4, 2.0);
  CHECK(above(law, 1.0, -1e-300) == 1);
  CHECK(above(law, 0.4, law.most_score()) <= 1e-6);
  for (const double angle : {0.5, 1.0, 1.5, 2.0}) {
    double before = 1;
    for (int i = 0; i <= 200; ++i) {
      const double now = above(law, angle, i * law.most_score() / 200);
      CHECK(now <= before + kStated);
      before = now;
    }
  }
  for (const double x : {0.01, 0.1}) CHECK(above(law, 0.5, x) > above(law, 1.5, x));
}

TEST_CASE("No tail is below 0, however little is left", "[unit]") {
  const SoftScoreLaw law(of(4, 0.3, 8), 60, 0.4, 2.0);
  for (int i = 0; i <= 2000; ++i) {
    const std::vector<double> tails = law.tails(i * law.most_score() / 2000);
    REQUIRE(*std::min_element(tails.begin(), tails.end()) >= 0);
    REQUIRE(*std::max_element(tails.begin(), tails.end()) <= 1);
  }
}

TEST_CASE("A law at one angle only, and at the poles, is a law", "[unit]") {
  for (const double angle : {0.0, 1.0, kPi}) {
    const SoftScoreLaw law(of(4, 0.1, 4), 7, angle, angle);
    CHECK(above(law, angle, -1) == 1);
    const double middle = above(law, angle, law.most_score() / 4);
    CHECK((middle >= 0 && middle <= 1));
  }
}

TEST_CASE("A law out of range is refused", "[unit]") {
  CHECK_THROWS_AS(SoftScoreLaw(of(4, 0.1, 4), 0, 1, 1), InputError);
  CHECK_THROWS_AS(SoftScoreLaw(of(4, 0.1, 4), 5, 1.5, 1), InputError);
  CHECK_THROWS_AS(SoftScoreLaw(of(4, 0.1, 4), 5, -0.1, 1), InputError);
  CHECK_THROWS_AS(SoftScoreLaw(of(4, 0.1, 4), 5, 1, std::nan("")), InputError);
  CHECK_THROWS_AS(SoftScoreLaw(of(4, 0.1, 31), 5, 1, 1), InputError);
  CHECK_THROWS_AS(SoftScoreLaw(of(0, 0.1, 4), 5, 1, 1), InputError);
}
