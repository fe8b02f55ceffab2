#include "proofs_check/bounds/score_difference.hpp"

#include <boost/math/quadrature/gauss_kronrod.hpp>

#include "estimators/collision_scores.hpp"
#include "estimators/population/plane_signal.hpp"
#include "estimators/population/weights.hpp"
#include "sim/families.hpp"
#include "sim/statistics/intervals.hpp"
#include "sim/trial_loop.hpp"
#include "tests/numbers.hpp"

using namespace skt;

namespace {

double cotangent_of(double angle) {
  return std::cos(angle) / std::sin(angle);
}

// int phi(x) Phi((k - r x)/sqrt(1 - r^2)) dx up to h: the second route.
double bivariate_normal(double h, double k, double r) {
  const double sine = std::sqrt((1 - r) * (1 + r));
  const auto integrand = [&](double x) {
    return std::exp(-x * x / 2) / std::sqrt(2 * kPi) * normal_cdf((k - r * x) / sine);
  };
  double sum = 0;
  for (double x = -10; x < h; x += 0.5) {
    using Rule = boost::math::quadrature::gauss_kronrod<double, 31>;
    sum += Rule::integrate(integrand, x, std::min(h, x + 0.5), 0, 0.0);
  }
  return sum;
}

}  // namespace

TEST_CASE("Both keys agree with the query with the bivariate normal's probability", "[unit]") {
  for (const double c_i : {-1.3, -0.2, 0.0, 0.4, 2.0}) {
    for (const double c_j : {-0.7, 0.0, 0.1, 1.1}) {
      for (const double r : {-0.95, -0.3, 0.0, 0.6}) {
        for (const double z : {0.01, 0.5, 2.0}) {
          INFO(c_i << " " << c_j << " " << r << " " << z);
          CHECK(std::abs(both_agree({c_i, r, c_j}, z) - bivariate_normal(c_i * z, c_j * z, r)) <= 1e-14);
        }
      }
    }
  }
}

TEST_CASE("Both keys agree: coplanar keys, and keys along the query", "[unit]") {
  const double p_i = normal_cdf(0.6), p_j = normal_cdf(-0.4), infinity = HUGE_VAL;

  CHECK(std::abs(both_agree({0.3, 1, -0.2}, 2) - p_j) <= 1e-15);
  CHECK(std::abs(both_agree({0.3, -1, -0.2}, 2) - (p_i + p_j - 1)) <= 1e-15);
  CHECK(std::abs(both_agree({infinity, 0.5, -0.2}, 2) - p_j) <= 1e-15);
  CHECK(both_agree({-infinity, 0.5, -0.2}, 2) == 0);
  CHECK(std::abs(both_agree({0.3, 0.5, infinity}, 2) - p_i) <= 1e-15);
}

TEST_CASE("Hard bits of keys on opposite sides of the query leave a law of three values", "[unit]") {
  // One plane, tau -> 0: m_i - m_j is +1 with probability a = theta_j/pi and -1 with b = theta_i/pi, so the least
  // moment is 1 - (sqrt a - sqrt b)^2, at u = log(b/a)/2. A share of the planes of the order of tau is not hard.
  constexpr double kTemperature = 1e-10;
  const PopulationParameters hard{.query_norm = 1, .temperature = kTemperature, .dim = 1, .planes = 1};
  const double key_angle = 0.5;
  for (const double angle : {0.8, 1.5, 2.2}) {
    const ScoreDifference difference(hard, {cotangent_of(angle), -1, cotangent_of(key_angle)});
    const double a = key_angle / kPi, b = angle / kPi;

    CHECK(std::abs(difference.least_moment() - (1 - std::pow(std::sqrt(a) - std::sqrt(b), 2))) <= 10 * kTemperature);
    CHECK(std::abs(difference.exponential_moment(1) - (1 - a - b + a * std::exp(1.0) + b * std::exp(-1.0))) <=
          10 * kTemperature);
  }
}

TEST_CASE("One plane's moment is a quadrature over the four states of two bits", "[unit]") {
  const PopulationParameters one{.query_norm = 3, .temperature = 0.4, .dim = 4, .planes = 1};
  const PlaneSignal signal = plane_signal(one);
  const double largest = 1 + std::tanh(signal.strength);
  for (const Competitor& pair : {Competitor{0.2, 0.3, 0.9}, {-0.5, -0.6, 2.0}, {1.5, 0.9, 1.0}}) {
    for (const double u : {0.5, 3.0}) {
      const Estimate exact = mean_over_projection(
          [&](double z) {
            const double both = both_agree(pair, z), step = u * 2 * signal.tanh_beta(z) / largest;
            const double up = normal_cdf(pair.cotangent * z) - both, down = normal_cdf(pair.key_cotangent * z) - both;
            return 1 + up * std::expm1(step) + down * std::expm1(-step);
          },
          signal.scale());
      const double bound = ScoreDifference(one, pair).exponential_moment(u);
      CHECK(bound >= exact.value - exact.error);
      CHECK(bound <= exact.value + 1e-10);  // what rounding may add: some thousand units of e^(2u)
    }
  }
}

TEST_CASE("Drawn tables have the moment that the bound gives", "[unit]") {
  const Instance drawn = make_instance({.keys = 2, .dim = 6}, Seed{31}, 0);
  const PopulationParameters parameters = population_parameters(drawn, 4, 0.5, Scaling::inverse_sqrt_dim);
  const Vector q = drawn.query.normalized(), i = drawn.keys.row(0).normalized(), j = drawn.keys.row(1).normalized();
  const double rho_i = q.dot(i), rho_j = q.dot(j), sines = std::sqrt((1 - rho_i * rho_i) * (1 - rho_j * rho_j));
  const ScoreDifference difference(
      parameters,
      {rho_i / std::sqrt(1 - rho_i * rho_i), (i.dot(j) - rho_i * rho_j) / sines, rho_j / std::sqrt(1 - rho_j * rho_j)});
  const double t = std::tanh(plane_signal(parameters).strength);
  const double largest = std::pow((1 + t) / 2, 4);  // of a soft score of four planes
  constexpr std::uint64_t kTrials = 40'000;
  for (const double u : {1.0, 4.0}) {
    const Moments mean = run_trials(kTrials, Moments{}, [&](std::uint32_t trial, Moments& moments) {
      const Hyperplanes planes = draw_hyperplanes(Seed{32}, trial, 1, 4, 6);
      const Vector s = soft_scores(planes, hash_keys(planes, drawn.keys), drawn.query, {0.5});
      moments.add(std::exp(u * (s(0) - s(1)) / largest));
    });
    CHECK(student(mean, 1e-9).contains(difference.exponential_moment(u)));
  }
}

TEST_CASE("The bound rises with the competitor's cosine and falls as it turns towards the key", "[unit]") {
  const PopulationParameters parameters{.query_norm = 11, .temperature = 0.5, .dim = 128, .planes = 8};
  double last = 0;
  for (const double cotangent : {-0.3, 0.0, 0.2, 0.5}) {
    const double now = ScoreDifference(parameters, {cotangent, 0.1, 2}).least_moment();
    CHECK(now > last);
    last = now;
  }
  for (const double turn : {-1.0, -0.4, 0.1, 0.7}) {
    const double now = ScoreDifference(parameters, {0.5, turn, 2}).least_moment();
    CHECK((turn == -1 || now < last));
    last = now;
  }
}

TEST_CASE("A duplicate of the key wins with a moment of 1, and so does a better one", "[unit]") {
  const PopulationParameters parameters{.query_norm = 11, .temperature = 0.3, .dim = 128, .planes = 10};

  CHECK(ScoreDifference(parameters, {0.4, 1, 0.4}).least_moment() == 1);
  CHECK(ScoreDifference(parameters, {0.9, 0, 0.4}).least_moment() == 1);
}
