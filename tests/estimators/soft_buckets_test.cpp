#include "estimators/soft_buckets.hpp"

#include "estimators/key_codes.hpp"
#include "tests/estimators/plain_formulas.hpp"
#include "tests/normal_draws.hpp"
#include "tests/numbers.hpp"

using namespace skt;

namespace {

const Seed kBucketSeed{22};

// tanh of normal numbers: a signal as the query gives it, without the scaling.
std::vector<double> drawn_signal(std::uint32_t stream, Index planes) {
  const Vector x = normal_vector(kBucketSeed, stream, planes).array().tanh();
  return {x.begin(), x.end()};
}

// Relative difference allowed between the two routes. In the softmax a bucket's logit is a sum of `planes` terms, so
// logit - largest is off by gamma_{planes+3} 2 sum |u|/tau, the normaliser's relative error is the same in the mean
// over buckets, and exp, 2^planes additions (in order) and the quotient round. In the product each of the planes sigmas
// has an argument off by gamma_3 and 4 roundings.
double route_difference(const std::vector<double>& signal, double temperature) {
  double magnitude = 0;
  for (const double u : signal) magnitude += std::abs(u);
  const auto planes = real(signal.size());
  const double exponent = 2 * magnitude / temperature;
  return 2 * gamma_of(planes + 3) * exponent + gamma_of(std::exp2(planes) + 4) + gamma_of(3) * exponent +
         gamma_of(5 * planes);
}

}  // namespace

TEST_CASE("The softmax over all corners is the product over planes", "[unit]") {
  for (Index planes = 1; planes <= 12; ++planes) {
    for (const double temperature : {1e-3, 1e-2, 0.1, 0.5, 1.0, 30.0, 1e3}) {
      const std::vector<double> signal = drawn_signal(static_cast<std::uint32_t>(planes), planes);
      const std::vector<double> softmax = bucket_probabilities_softmax(signal, temperature);
      const HalfTables halves = half_tables(signal, temperature);
      const double allowed = route_difference(signal, temperature);

      REQUIRE(softmax.size() == std::size_t{1} << planes);
      REQUIRE(std::abs(std::accumulate(softmax.begin(), softmax.end(), 0.0) - 1) <= gamma_of(2 * std::exp2(planes)));
      for (std::uint32_t code = 0; code < softmax.size(); ++code) {
        const double product = bucket_probability(signal, temperature, code);
        // Below the smallest normal number a rounding costs one spacing instead: one for each factor and the exp.
        const double floor = real(2 * planes + 2) * std::numeric_limits<double>::denorm_min();
        REQUIRE(std::abs(softmax[code] - product) <= allowed * product + floor);
        REQUIRE(std::abs(halves.probability(code) - product) <= gamma_of(2 * double(planes)) * product + floor);
      }
    }
  }
}

TEST_CASE("Probabilities of a hand-computed table", "[unit]") {
  // Two planes, u = tau ln 3 / 2 on both: sigma(2u/tau) = 3/4.
  const double tau = 0.25;
  const std::vector<double> signal(2, tau * std::log(3.0) / 2);

  const std::vector<double> p = bucket_probabilities_softmax(signal, tau);

  const std::vector<double> expected{1.0 / 16, 3.0 / 16, 3.0 / 16, 9.0 / 16};
  for (std::size_t r = 0; r < 4; ++r) CHECK(std::abs(p[r] - expected[r]) <= 16 * gamma_of(1) * expected[r]);
}

TEST_CASE("The signal is tanh(Wq), divided by sqrt(dim) or not", "[unit]") {
  const Hyperplanes hyperplanes = draw_hyperplanes(kBucketSeed, 1, 3, 4, 25);
  const Vector query = normal_vector(kBucketSeed, 101, 25);

  const Matrix scaled = query_signal(hyperplanes, query, Scaling::inverse_sqrt_dim);
  const Matrix plain = query_signal(hyperplanes, query, Scaling::none);

  for (Index l = 0; l < 3; ++l) {
    for (Index p = 0; p < 4; ++p) {
      const auto row = hyperplanes.rows.row(l * 4 + p);
      const auto expected = static_cast<double>(std::tanh(plain_dot(row, query)));
      const double error = dot_error(row, query) + gamma_of(4);
      CHECK(std::abs(plain(l, p) - expected) <= error);
      CHECK(std::abs(scaled(l, p) - expected / 5) <= error / 5);
    }
  }
}

TEST_CASE("Extreme temperatures give the two limits", "[unit]") {
  const std::vector<double> signal = drawn_signal(50, 20);
  const std::uint32_t own = encode_bits(signal);

  for (const double temperature : {1e-12, 1e-310}) {
    const std::vector<double> p = bucket_probabilities_softmax(signal, temperature);
    CHECK(p[own] == 1);
    CHECK(std::accumulate(p.begin(), p.end(), 0.0) == 1);
    CHECK(bucket_probability(signal, temperature, own) == 1);
    CHECK(half_tables(signal, temperature).probability(own) == 1);
    CHECK(half_tables(signal, temperature).probability(own ^ 1u) == 0);
  }
  // At tau = 1e12 the exponent is at most 2 sum |u|/tau <= 40e-12, so p is 2^-20 within that.
  for (const double p : bucket_probabilities_softmax(signal, 1e12)) REQUIRE(std::abs(p * 0x1p20 - 1) <= 1e-10);
  CHECK(std::abs(half_tables(signal, 1e12).probability(own) * 0x1p20 - 1) <= 1e-10);
}

TEST_CASE("Thirty planes need two half-tables only", "[unit]") {
  const std::vector<double> signal = drawn_signal(51, 30);

  const HalfTables halves = half_tables(signal, 0.7);

  CHECK(halves.high.size() == 1u << 15);
  CHECK(halves.low.size() == 1u << 15);
  for (const std::uint32_t code : {0u, 1u, 1u << 15, (1u << 30) - 1, 0x2aaaaaaau}) {
    const double product = bucket_probability(signal, 0.7, code);
    CHECK(std::abs(halves.probability(code) - product) <= gamma_of(60) * product);
  }
}

TEST_CASE("Temperatures that are not finite and positive, and softmaxes too large, are refused", "[unit]") {
  const std::vector<double> signal{0.5};
  for (const double temperature : {0.0, -1.0, std::nan(""), std::numeric_limits<double>::infinity()}) {
    CHECK_THROWS_AS(bucket_probabilities_softmax(signal, temperature), InputError);
    CHECK_THROWS_AS(bucket_probability(signal, temperature, 0), InputError);
    CHECK_THROWS_AS(half_tables(signal, temperature), InputError);
  }
  CHECK_THROWS_AS(bucket_probabilities_softmax(std::vector<double>(21, 0.1), 1), InputError);
}
