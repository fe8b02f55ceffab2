#include "estimators/population/soft_score_moments.hpp"

#include "estimators/population/plane_signal.hpp"
#include "estimators/population/population.hpp"
#include "tests/estimators/population/half_angle_of.hpp"
#include "tests/numbers.hpp"

using namespace skt;

namespace {

constexpr double kUnit = std::numeric_limits<double>::epsilon();

PopulationParameters of(double norm, double temperature, Index planes) {
  return {norm, temperature, 16, planes, Scaling::inverse_sqrt_dim};
}

// E s^3 of a table, by one quadrature over the projection of one plane.
double third_raw_moment(const PopulationParameters& p, double rho) {
  const PlaneSignal signal = plane_signal(p);
  const double cot = cotangent(Cosine::of(rho));
  const double plane = mean_over_projection(
                           [&](double z) {
                             const double miss = signal.miss(z), hit = 1 - miss;
                             return hit * hit * hit * normal_cdf(cot * z) + miss * miss * miss * normal_cdf(-cot * z);
                           },
                           std::fmin(signal.scale(), 1 / std::fmax(1, std::abs(cot))))
                           .value;
  return std::pow(plane, real(p.planes));
}

}  // namespace

TEST_CASE("With a saturated query one plane is a coin with two values", "[oracle]") {
  // |q| -> infinity: s = (1 +- t)/2 with t = tanh(1/(4 * 0.5)), on the query's side with chance 1 - angle/pi; what T
  // lacks of t is at most 1/|q| on average.
  const SoftScoreMoments moments(of(1e9, 0.5, 1));
  const double t = std::tanh(0.5);

  for (const double angle : {0.0, 0.01, 0.7, kPi / 2, 2.0, 3.1, kPi}) {
    const double p = 1 - angle / kPi;
    const ScoreMoments plane = moments.of_plane(half_angle_of(angle));
    INFO("angle " << angle);
    CHECK(std::abs(plane.mean - (0.5 + t * (p - 0.5))) <= 1e-9);
    CHECK(std::abs(plane.variance - t * t * p * (1 - p)) <= 1e-9);
    CHECK(std::abs(plane.third - t * t * t * p * (1 - p) * (1 - 2 * p)) <= 1e-9);
  }
}

TEST_CASE("At temperature 0 a table's score is a coin with the chance of a hard collision", "[oracle]") {
  const SoftScoreMoments moments(of(3, 1e-8, 4));

  for (const double angle : {0.4, 1.2, kPi / 2, 2.2}) {
    const double w = std::pow(1 - angle / kPi, 4);
    const ScoreMoments table = moments.of_table(half_angle_of(angle));
    INFO("angle " << angle);
    // P(|z| < tau sqrt(dim)/|q|) is about 1e-8 a plane.
    CHECK(std::abs(table.mean - w) <= 1e-7);
    CHECK(std::abs(table.variance - w * (1 - w)) <= 1e-7);
    CHECK(std::abs(table.third - w * (1 - w) * (1 - 2 * w)) <= 1e-7);
    CHECK(std::abs(table.skewness() - (1 - 2 * w) / std::sqrt(w * (1 - w))) <= 1e-5);
  }
}

TEST_CASE("At infinite temperature a score is 2^-P, and its spread that of the tanh of a right-angled key",
          "[oracle]") {
  const double tau = 1e9;
  const SoftScoreMoments moments(of(3, tau, 6));
  const double square = mean_over_projection([](double z) { return std::pow(std::tanh(3 * z), 2); }, 1.0 / 3).value;

  const ScoreMoments table = moments.of_table(half_angle_of(kPi / 2));

  CHECK(table.mean == Approx(std::exp2(-6)).epsilon(1e-12));
  // 2 s - 1 = +-tanh(3 z)/(4 tau) of each of six planes, to a relative error of the order of 1/tau.
  CHECK(table.variance == Approx(std::exp2(-12) * 6 * square / (16 * tau * tau)).epsilon(1e-8));
  CHECK(std::abs(table.skewness()) <= 1e-8);
}

TEST_CASE("A key along the query, against it and at a right angle", "[oracle]") {
  const PopulationParameters p = of(2, 0.3, 1);
  const SoftScoreMoments moments(p);
  const PlaneSignal signal = plane_signal(p);
  const auto mean = [&](auto&& f) { return mean_over_projection(f, signal.scale()).value; };
  const double miss = mean([&](double z) { return signal.miss(z); });
  const double variance = mean([&](double z) { return std::pow(signal.miss(z) - miss, 2); });
  const double third = mean([&](double z) { return std::pow(signal.miss(z) - miss, 3); });

  const ScoreMoments against = moments.of_plane({1, 0}), along = moments.of_plane({0, 1});
  const ScoreMoments right = moments.of_plane(half_angle_of(kPi / 2));

  CHECK(against.mean == Approx(miss).epsilon(1e-13));
  CHECK(against.variance == Approx(variance).epsilon(1e-12));
  CHECK(against.third == Approx(third).epsilon(1e-11));
  CHECK(along.mean == 1 - against.mean);
  CHECK(along.variance == against.variance);
  CHECK(along.third == -against.third);
  CHECK(right.mean == Approx(0.5).epsilon(1e-14));
  CHECK(right.variance == Approx(squared_signal(signal).value / 4).epsilon(1e-13));
  CHECK(std::abs(right.third) <= 1e-14);
}

TEST_CASE("Mean and variance are those of the quadrature, to the error that is stated", "[oracle]") {
  for (const double tau : {1e-4, 0.03, 0.3, 1.0, 30.0, 1e5}) {
    for (const Index planes : {1, 8, 12}) {
      const PopulationParameters p = of(3, tau, planes);
      const SoftScoreMoments moments(p);
      CHECK(moments.relative_error() <= 1e-12);
      for (const double rho : {-1.0, -0.99, -0.4, 0.0, 0.1, 0.3, 0.9, 0.999, 1.0}) {
        const ScoreMoments table = moments.of_table(HalfAngle::of_cosine(rho));
        const Estimate mean = population_weight(p, Cosine::of(rho));
        const Estimate variance = population_weight_variance(p, Cosine::of(rho));
        const double relative = moments.relative_error() + 16 * kUnit;
        INFO("tau " << tau << " planes " << planes << " cosine " << rho);
        CHECK(std::abs(table.mean - mean.value) <= mean.error + real(planes) * relative * mean.value);
        CHECK(std::abs(table.variance - variance.value) <=
              variance.error + 2 * real(planes) * relative * variance.value);
      }
    }
  }
}

TEST_CASE("The third moment is that of a quadrature of its own", "[oracle]") {
  for (const double tau : {0.01, 0.1, 0.3, 1.0, 10.0}) {
    for (const double rho : {-0.95, -0.4, 0.0, 0.1, 0.3, 0.9, 0.99}) {
      const PopulationParameters p = of(11, tau, 8);
      const ScoreMoments table = SoftScoreMoments(p).of_table(HalfAngle::of_cosine(rho));
      const double raw = third_raw_moment(p, rho);
      INFO("tau " << tau << " cosine " << rho);
      // E s^3 = third + 3 Var s E s + (E s)^3.
      CHECK(std::abs(table.third + 3 * table.variance * table.mean + std::pow(table.mean, 3) - raw) <= 8 * 1e-13 * raw);
    }
  }
}

TEST_CASE("The skewness has a limit at high temperature, though the score's spread vanishes", "[oracle]") {
  // 2 s - 1 -> S tanh(|q| z) b: the skewness of its sum over P planes is that of one over sqrt(P), and no longer depends
  // on the temperature but by terms of relative order 1/tau.
  const HalfAngle half = HalfAngle::of_cosine(0.6);
  const double hot = SoftScoreMoments(of(3, 1e4, 8)).of_table(half).skewness();
  const double hotter = SoftScoreMoments(of(3, 1e7, 8)).of_table(half).skewness();
  const double one_plane = SoftScoreMoments(of(3, 1e7, 1)).of_table(half).skewness();

  CHECK(std::abs(hot - hotter) <= 1e-3);
  CHECK(hotter == Approx(one_plane / std::sqrt(8.0)).epsilon(1e-6));
  CHECK(std::abs(hotter) > 0.1);
}

TEST_CASE("Nothing overflows where scores all but vanish", "[unit]") {
  for (const double tau : {1e-150, 1e-12, 1e150}) {
    for (const double angle : {0.0, 1e-9, 1.0, kPi - 1e-9, kPi}) {
      const ScoreMoments table = SoftScoreMoments(of(1, tau, 20)).of_table(half_angle_of(angle));
      INFO("tau " << tau << " angle " << angle);
      CHECK((table.mean >= 0 && table.mean <= 1));
      CHECK((table.variance >= 0 && table.variance <= 0.25));
      CHECK(std::isfinite(table.third));
      CHECK(std::isfinite(table.skewness()));
    }
  }
  CHECK(ScoreMoments{0.5, 0, 0}.skewness() == 0);
}

TEST_CASE("Parameters out of range are refused", "[unit]") {
  CHECK_THROWS_AS(SoftScoreMoments(of(0, 0.5, 8)), InputError);
  CHECK_THROWS_AS(SoftScoreMoments(of(1, -1, 8)), InputError);
  CHECK_THROWS_AS(SoftScoreMoments(of(1, 0.5, 0)), InputError);
}
