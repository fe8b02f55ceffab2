#include "estimators/collision_scores.hpp"

#include "tests/estimators/plain_formulas.hpp"
#include "tests/normal_draws.hpp"
#include "tests/numbers.hpp"

using namespace skt;

namespace {

const Seed kCollisionSeed{23};

struct Problem {
  Hyperplanes hyperplanes;
  Matrix keys;
  Vector query;
  KeyCodes codes;
};

Problem drawn_problem(Index keys, Index tables, Index planes, Index dim) {
  Problem p{draw_hyperplanes(kCollisionSeed, 0, tables, planes, dim),
            normal_matrix(kCollisionSeed, 1, keys, dim),
            normal_vector(kCollisionSeed, 2, dim),
            {}};
  p.codes = hash_keys(p.hyperplanes, p.keys);
  return p;
}

}  // namespace

TEST_CASE("Soft scores are the formula in long double, to 1e-12 and to the bound of its rounding", "[unit]") {
  struct Shape {
    Index keys, tables, planes, dim;
    double temperature;
    Scaling scaling;
  };
  for (const Shape& s :
       {Shape{0, 2, 3, 4, .5, Scaling::inverse_sqrt_dim}, Shape{1, 1, 1, 1, .5, Scaling::none},
        Shape{31, 60, 10, 128, .5, Scaling::inverse_sqrt_dim}, Shape{32, 60, 8, 128, .3, Scaling::none},
        Shape{33, 5, 20, 16, 1, Scaling::inverse_sqrt_dim}, Shape{40, 3, 30, 64, .7, Scaling::inverse_sqrt_dim},
        Shape{300, 7, 5, 24, 1e12, Scaling::inverse_sqrt_dim}}) {
    const Problem p = drawn_problem(s.keys, s.tables, s.planes, s.dim);
    const SocketParameters parameters{s.temperature, s.scaling};

    const Vector scores = soft_scores(p.hyperplanes, p.codes, p.query, parameters);

    REQUIRE(scores.size() == s.keys);
    for (Index j = 0; j < s.keys; ++j) {
      const PlainScore plain = plain_soft_score(p.hyperplanes, codes_of_key(p.codes, j), p.query, parameters);
      const auto error = static_cast<double>(std::abs(scores[j] - plain.value) / plain.value);
      REQUIRE(error <= plain.relative_error);
      REQUIRE(error <= 1e-12);
      REQUIRE(scores[j] > 0);
      REQUIRE(scores[j] <= real(s.tables));
    }
  }
}

TEST_CASE("In single precision each half is rounded, then their product, then the sum of every table", "[unit]") {
  // Two planes, a half to each: sigma(+-2u/tau) of the signal u = tanh(w q), by the formula of one plane.
  const Problem p = drawn_problem(300, 7, 2, 5);
  const SocketParameters parameters{0.7, Scaling::none};
  const Matrix signal = query_signal(p.hyperplanes, p.query, Scaling::none);
  const auto half = [&](Index l, Index plane, std::uint32_t bit) {
    return bucket_probability(std::array{signal(l, plane)}, parameters.temperature, bit);
  };

  const Eigen::VectorXf scores = soft_scores_f32(p.hyperplanes, p.codes, p.query, parameters);

  Index rounded_late = 0;  // keys that one rounding of the product in double would give another score
  for (Index j = 0; j < 300; ++j) {
    float sum = 0, late = 0;
    for (Index l = 0; l < 7; ++l) {
      const std::uint32_t code = p.codes.table(l)[j];
      const double first = half(l, 0, code >> 1), second = half(l, 1, code & 1u);
      sum += static_cast<float>(first) * static_cast<float>(second);
      late += static_cast<float>(first * second);
    }
    REQUIRE(scores[j] == sum);
    if (late != sum) ++rounded_late;
  }
  CHECK(rounded_late > 0);
}

TEST_CASE("A score is the sum of its tables in order, and one table is a score", "[unit]") {
  const Problem p = drawn_problem(2100, 6, 8, 32);
  const SocketParameters parameters{0.4, Scaling::none};
  const Vector scores = soft_scores(p.hyperplanes, p.codes, p.query, parameters);

  Vector sum = Vector::Zero(2100);
  for (Index l = 0; l < 6; ++l) sum += soft_scores_of_table(p.hyperplanes, p.codes, l, p.query, parameters);

  CHECK(sum == scores);
  const Problem one = drawn_problem(2100, 1, 8, 32);
  CHECK(soft_scores(one.hyperplanes, one.codes, one.query, parameters) ==
        soft_scores_of_table(one.hyperplanes, one.codes, 0, one.query, parameters));
  CHECK_THROWS_AS(soft_scores_of_table(p.hyperplanes, p.codes, 6, p.query, parameters), InputError);
  CHECK_THROWS_AS(soft_scores_of_table(p.hyperplanes, p.codes, -1, p.query, parameters), InputError);
}

TEST_CASE("Hard and Hamming scores count equal buckets and equal bits", "[unit]") {
  const Problem p = drawn_problem(200, 7, 5, 12);
  const Vector hard = hard_scores(p.hyperplanes, p.codes, p.query);
  const Vector hamming = hamming_scores(p.hyperplanes, p.codes, p.query);

  for (Index j = 0; j < 200; ++j) {
    int buckets = 0, bits = 0;
    for (Index l = 0; l < 7; ++l) {
      int equal = 0;
      for (Index i = 0; i < 5; ++i) {
        const auto row = p.hyperplanes.rows.row(l * 5 + i);
        equal += (plain_dot(row, p.keys.row(j)) >= 0) == (plain_dot(row, p.query) >= 0);
      }
      bits += equal;
      buckets += equal == 5;
    }
    REQUIRE(hard[j] == buckets);
    REQUIRE(hamming[j] == bits);
  }
}

TEST_CASE("Impossible parameters are refused", "[unit]") {
  const Problem p = drawn_problem(5, 3, 4, 6);
  const Problem other = drawn_problem(5, 3, 5, 6);

  for (const double temperature : {0.0, -2.0, std::nan("")})
    CHECK_THROWS_AS(soft_scores(p.hyperplanes, p.codes, p.query, {temperature, Scaling::none}), InputError);
  CHECK_THROWS_AS(soft_scores(p.hyperplanes, p.codes, Vector::Ones(7), {}), InputError);
  CHECK_THROWS_AS(soft_scores(p.hyperplanes, other.codes, p.query, {}), InputError);
  CHECK_THROWS_AS(hard_scores(p.hyperplanes, other.codes, p.query), InputError);
  CHECK_THROWS_AS(hamming_scores(p.hyperplanes, other.codes, p.query), InputError);
}
