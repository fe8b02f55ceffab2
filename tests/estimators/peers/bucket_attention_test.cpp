#include "estimators/peers/bucket_attention.hpp"

#include "estimators/soft_buckets.hpp"
#include "sim/statistics/moments.hpp"
#include "tests/numbers.hpp"

using namespace skt;

namespace {

std::vector<double> normals(std::uint32_t trial, std::size_t size) {
  std::vector<double> v(size);
  fill_normal(Seed{11}, {Role::test_draw, trial, 0, 0, 0}, v);
  return v;
}

std::vector<double> tanh_of(std::vector<double> v) {
  for (double& x : v) x = std::tanh(x);
  return v;
}

// The probability that a key at this angle collides, given the query's projections: the share of the opened buckets,
// each a product of Phi(+-cot(theta) |z_p|). Its mean over projections is p_t for every t.
double conditional_collision_probability(double angle, std::span<const double> projections,
                                         std::span<const double> signal, std::int64_t top) {
  const double c = std::cos(angle) / std::sin(angle);
  const std::uint32_t own = encode_bits(projections);
  const std::size_t planes = projections.size();
  double sum = 0;
  const auto normal_cdf = [](double x) { return std::erfc(-x / std::numbers::sqrt2) / 2; };
  for (const std::uint32_t code : top_buckets(signal, top)) {
    double product = 1;
    for (std::size_t p = 0; p < planes; ++p) {
      const bool flipped = (((code ^ own) >> (planes - 1 - p)) & 1u) != 0;
      product *= normal_cdf((flipped ? -c : c) * std::abs(projections[p]));
    }
    sum += product;
  }
  return sum;
}

}  // namespace

TEST_CASE("The opened buckets are the most probable corners of the softmax at every temperature", "[unit]") {
  for (const std::size_t planes : {1u, 2u, 5u, 8u}) {
    const std::vector<double> signal = tanh_of(normals(static_cast<std::uint32_t>(planes), planes));
    const std::int64_t buckets = std::int64_t{1} << planes;
    for (const double temperature : {0.1, 1.0, 100.0}) {
      const std::vector<double> p = bucket_probabilities_softmax(signal, temperature);
      std::vector<std::uint32_t> by_probability(p.size());
      std::iota(by_probability.begin(), by_probability.end(), 0u);
      std::stable_sort(by_probability.begin(), by_probability.end(),
                       [&](std::uint32_t a, std::uint32_t b) { return p[a] > p[b]; });

      CHECK(top_buckets(signal, buckets) == by_probability);
    }
  }
}

TEST_CASE("The first three buckets flip the two weakest planes; the fourth depends on the sizes", "[unit]") {
  const std::vector<double> wide{0.5, -0.6, 1.2};    // costs 0, .5, .6, 1.1, 1.2, ..; own bucket 101
  const std::vector<double> narrow{0.5, -0.6, 1.0};  // costs 0, .5, .6, 1.0, 1.1, ..

  CHECK(top_buckets(wide, 4) == std::vector<std::uint32_t>{0b101, 0b001, 0b111, 0b011});
  CHECK(top_buckets(narrow, 4) == std::vector<std::uint32_t>{0b101, 0b001, 0b111, 0b100});
}

TEST_CASE("Equal costs open the lower code first", "[unit]") {
  const std::vector<double> flat{0.0, 0.0, 0.0};

  CHECK(top_buckets(flat, 3) == std::vector<std::uint32_t>{0, 1, 2});
}

TEST_CASE("Collisions count the tables whose opened buckets hold the key", "[unit]") {
  Matrix signal(2, 2);
  signal << 0.9, 0.1,  // table 0 opens 11, 10
      -0.3, 0.8;       // table 1 opens 01, 11
  const KeyCodes codes{2, 2, 3, {0b11, 0b10, 0b00, 0b11, 0b00, 0b10}};

  const Vector collisions = bucket_collisions(signal, codes, 2);

  Vector expected(3);
  expected << 2, 1, 0;
  CHECK(collisions == expected);
  CHECK(bucket_candidates(collisions, {}) == std::vector<Allowed>{Allowed::yes, Allowed::yes, Allowed::no});
  const std::vector<Allowed> mask{Allowed::no, Allowed::yes, Allowed::yes};
  CHECK(bucket_candidates(collisions, mask) == std::vector<Allowed>{Allowed::no, Allowed::yes, Allowed::no});
}

TEST_CASE("Every bucket open counts every table for every key, one open bucket counts hard collisions", "[unit]") {
  const Hyperplanes planes = draw_hyperplanes(Seed{3}, 0, 6, 4, 5);
  const std::vector<double> entries = normals(99, 33 * 5 + 5);
  const Matrix keys = Eigen::Map<const Matrix>(entries.data(), 33, 5);
  const Vector query = Eigen::Map<const Vector>(entries.data() + 33 * 5, 5);
  const KeyCodes codes = hash_keys(planes, keys);
  const Matrix signal = query_signal(planes, query, Scaling::none);

  const Vector one = bucket_collisions(signal, codes, 1);

  CHECK(bucket_collisions(signal, codes, 16) == Vector::Constant(33, 6.0));
  const std::vector<std::uint32_t> own = hash_query(planes, query);
  for (Index j = 0; j < 33; ++j) {
    double hits = 0;
    for (Index l = 0; l < 6; ++l) hits += codes.table(l)[j] == own[l] ? 1 : 0;
    CHECK(one(j) == hits);
  }
}

TEST_CASE("Scores are collisions times value norms", "[unit]") {
  Vector collisions(3);
  collisions << 3, 0, 2;
  Matrix values(3, 2);
  values << 3, 4, 1, 1, 0, 0;
  Vector expected(3);
  expected << 15, 0, 0;

  CHECK(bucket_attention_scores(collisions, values) == expected);
}

TEST_CASE("The collision law has its closed values", "[oracle]") {
  for (const Index planes : {1, 2, 4, 8}) {
    const std::int64_t buckets = std::int64_t{1} << planes;
    for (const double angle : {0.0, 0.3 * kPi, 0.5 * kPi, 0.8 * kPi, kPi}) {
      CHECK(*collision_probability(angle, planes, 1) == std::pow(1 - angle / kPi, double(planes)));
      CHECK(*collision_probability(angle, planes, buckets) == 1);
    }
    for (std::int64_t top = 1; top <= buckets; ++top) {
      CHECK(*collision_probability(kPi / 2, planes, top) == double(top) / double(buckets));
    }
  }
  // The same integrals by the trapezoid rule with 400000 steps to 10, tails summed instead of Owen's T; its error is
  // about h^2/12 = 5e-11 times slopes near 1.
  CHECK(std::abs(*collision_probability(0.3 * kPi, 4, 2) - 0.41136404001) <= 1e-9);
  CHECK(std::abs(*collision_probability(0.3 * kPi, 4, 3) - 0.53107192195) <= 1e-9);
  CHECK_FALSE(collision_probability(1.0, 4, 4).has_value());
}

TEST_CASE("The quadrature of the second and third bucket joins the closed values continuously", "[oracle]") {
  // p_t is smooth in the angle with |dp_t/dangle| <= planes/pi (each plane turns at rate 1/pi), so 1e-9 away from pi/2
  // it is within planes * 1e-9 of t/2^P; quadrature and Owen's T are right to far less.
  for (const Index planes : {3, 4, 8}) {
    for (const std::int64_t top : {2, 3}) {
      const double near = *collision_probability(kPi / 2 - 1e-9, planes, top);
      CHECK(std::abs(near - double(top) / std::exp2(double(planes))) <= double(planes) * 1e-9);
    }
  }
  // One flip of two planes: with t = 3 of 4 buckets open the law is 1 - p_1(pi - angle); with t = 2 the plane of the
  // smaller |z| may differ. Adding both single flips to p_1 must give the first of these.
  const double angle = 0.3 * kPi;
  const double both_flips = 2 * 0.7 * 0.3;
  const double three = 0.7 * 0.7 + both_flips;
  CHECK(std::abs(*collision_probability(angle, 2, 3) - three) <= 4 * kEpsilon);
  CHECK(*collision_probability(angle, 2, 2) > 0.49 + both_flips / 2);  // flips are likelier where |z| is smaller
}

TEST_CASE("The law agrees with the mean of the conditional law over random projections", "[oracle]") {
  // The conditional probability lies in [0, 1]; the mean of n draws with standard deviation s misses by less than
  // 5 s/sqrt(n) with probability 1 - 6e-7.
  const Index planes = 4;
  for (const double angle : {0.05 * kPi, 0.3 * kPi, 0.45 * kPi, 0.9 * kPi}) {
    for (const std::int64_t top : {1, 2, 3, 13, 14, 15}) {
      Moments moments;
      for (std::uint32_t trial = 0; trial < 4000; ++trial) {
        const std::vector<double> z = normals(trial, std::size_t(planes));
        moments.add(conditional_collision_probability(angle, z, tanh_of(z), top));
      }
      const double law = *collision_probability(angle, planes, top);
      CHECK(std::abs(moments.mean() - law) <= 5 * moments.deviation_of_mean());
    }
  }
}

TEST_CASE("The share of candidates keeps its digits near 0 and 1", "[unit]") {
  CHECK(std::abs(candidate_probability(0.25, 1) - 0.25) <= 4 * kEpsilon);
  CHECK(std::abs(candidate_probability(1e-18, 60) - 6e-17) <= 1e-31);
  CHECK(candidate_probability(1, 3) == 1);
  CHECK(candidate_probability(0, 3) == 0);
}

TEST_CASE("Numbers of buckets outside 1 .. 2^planes are refused", "[unit]") {
  const std::vector<double> signal{0.1, 0.2};

  CHECK_THROWS_AS(top_buckets(signal, 0), InputError);
  CHECK_THROWS_AS(top_buckets(signal, 5), InputError);
  CHECK_THROWS_AS(top_buckets(std::vector<double>(21, 0.1), 1), InputError);
  CHECK_THROWS_AS(collision_probability(4.0, 2, 1), InputError);
  CHECK_THROWS_AS(bucket_collisions(Matrix::Zero(1, 2), KeyCodes{2, 2, 1, {0, 0}}, 1), InputError);
}
