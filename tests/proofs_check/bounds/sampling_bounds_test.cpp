#include "proofs_check/bounds/sampling_bounds.hpp"

#include "estimators/value_sampling.hpp"
#include "estimators/weighted_output.hpp"
#include "sim/families.hpp"
#include "tests/numbers.hpp"
#include "tests/proofs_check/bounds/nine_to_one.hpp"

using namespace skt;

namespace {

SamplingLaw two_signs() {
  return sampling_law(Vector{{1.0, 1.0}}, Matrix{{1.0}, {-1.0}});
}

struct ThreeValues {
  Vector weights{{0.5, 0.3, 0.2}};
  Matrix values{{3.0, 0.0}, {1.0, -1.0}, {0.0, 4.0}};
};

// Mean and variance of |T - y + u|^2 over all sequences of `samples` draws.
SquaredError enumerated(const ThreeValues& law, Index samples, const Vector& u) {
  const Vector norms = row_norms(law.values), chances = law.weights.cwiseProduct(norms) / law.weights.dot(norms);
  const Vector y = law.values.transpose() * law.weights;
  const Index sequences = static_cast<Index>(std::pow(3, samples));
  double mean = 0, square = 0;
  for (Index code = 0; code < sequences; ++code) {
    double chance = 1;
    Vector sum = Vector::Zero(2);
    for (Index m = 0, rest = code; m < samples; ++m, rest /= 3) {
      const Index j = rest % 3;
      chance *= chances(j);
      sum += law.weights.dot(norms) / norms(j) * law.values.row(j).transpose();
    }
    const double error = (sum / real(samples) - y + u).squaredNorm();
    mean += chance * error;
    square += chance * error * error;
  }
  return {mean, square - mean * mean};
}

}  // namespace

TEST_CASE("The law of one draw of two signs and of two orthogonal values", "[unit]") {
  const SamplingLaw signs = nine_to_one();
  CHECK(signs.total_norm == 1);
  CHECK(std::abs(signs.mean(0) - 0.8) <= 4 * kEpsilon);
  CHECK(std::abs(signs.covariance(0, 0) - 0.36) <= 4 * kEpsilon);
  CHECK(std::abs(signs.trace_of_square - 0.1296) <= 4 * kEpsilon);
  CHECK(std::abs(signs.along_mean - 0.2304) <= 4 * kEpsilon);
  CHECK(std::abs(signs.largest_eigenvalue - 0.36) <= 4 * kEpsilon);
  CHECK(std::abs(signs.smallest_alignment + 0.8) <= 4 * kEpsilon);

  // S1 = 7/2, y = (3/2, 2), X = (7/2, 0) with probability 3/7 and (0, 7/2) with 4/7.
  const SamplingLaw orthogonal = sampling_law(Vector{{1.0, 1.0}}, Matrix{{3.0, 0.0}, {0.0, 4.0}});
  CHECK(orthogonal.total_norm == 3.5);
  CHECK((orthogonal.covariance - Matrix{{3.0, -3.0}, {-3.0, 3.0}}).norm() <= 64 * kEpsilon);
  CHECK(std::abs(orthogonal.trace_of_square - 36) <= 500 * kEpsilon);
  CHECK(std::abs(orthogonal.along_mean - 0.75) <= 128 * kEpsilon);
  CHECK(std::abs(orthogonal.largest_eigenvalue - 6) <= 128 * kEpsilon);
  CHECK(std::abs(orthogonal.smallest_alignment - 5.25) <= 32 * kEpsilon);
}

TEST_CASE("The law does not depend on the scale of the weights or on keys that cannot be drawn", "[unit]") {
  const SamplingLaw plain = nine_to_one();
  const SamplingLaw padded = sampling_law(Vector{{18.0, 0.0, 2.0, 0.0}}, Matrix{{1.0}, {-100.0}, {-1.0}, {0.0}});
  const SamplingLaw zero_value = sampling_law(Vector{{1.0, 1.0, 2.0}}, Matrix{{1.0}, {-1.0}, {0.0}});

  CHECK(padded.covariance == plain.covariance);
  CHECK(padded.smallest_alignment == plain.smallest_alignment);
  // Half of the weight on a value 0: X = +-1/2.
  CHECK(zero_value.total_norm == 0.5);
  CHECK(std::abs(zero_value.covariance(0, 0) - 0.25) <= 2 * kEpsilon);
}

TEST_CASE("The trace of the covariance is S1^2 - |y|^2, and a drawn T has its mean square", "[unit]") {
  Instance drawn = make_instance({.keys = 300, .dim = 6, .value_dim = 5}, Seed{4}, 0);
  drawn.values.array() += 2;
  const Vector weights = drawn.keys.col(0).array().exp();
  const SamplingLaw law = sampling_law(weights, drawn.values);
  const ValueSampler sampler(weights, drawn.values);

  CHECK(std::abs(law.total_norm - sampler.total_norm()) <= 300 * kEpsilon * law.total_norm);
  CHECK((law.mean - sampler.mean()).norm() <= 300 * kEpsilon * law.total_norm);
  const double square = law.total_norm * law.total_norm;
  CHECK(std::abs(law.covariance.trace() - square + law.mean.squaredNorm()) <= 1000 * kEpsilon * square);
  CHECK(std::abs(squared_sampling_error(law, 7).mean - sampler.mean_squared_error(7)) <= 1000 * kEpsilon * square);
}

TEST_CASE("The variance of the squared error is what the enumeration of all draws gives", "[unit]") {
  const ThreeValues three;
  const SamplingLaw law = sampling_law(three.weights, three.values);
  for (const Index samples : {1, 2, 3, 7}) {
    const SquaredError counted = enumerated(three, samples, Vector::Zero(2));
    const SquaredError formula = squared_sampling_error(law, samples);
    INFO("samples " << samples);
    CHECK(std::abs(formula.mean / counted.mean - 1) <= 1e-12);  // 3^7 terms, each to some rounding units
    CHECK(std::abs(formula.variance / counted.variance - 1) <= 1e-12);
  }
}

TEST_CASE("With an offset the mean is exact and the variance no smaller than for any direction of it", "[unit]") {
  const ThreeValues three;
  const SamplingLaw law = sampling_law(three.weights, three.values);
  for (const Index samples : {1, 4}) {
    const SquaredError bound = squared_sampling_error(law, samples, 1.5);
    for (int direction = 0; direction < 12; ++direction) {
      const double angle = direction * std::numbers::pi / 6;
      const Vector u = 1.5 * Vector{{std::cos(angle), std::sin(angle)}};
      const SquaredError counted = enumerated(three, samples, u);
      CHECK(std::abs(bound.mean / counted.mean - 1) <= 1e-12);
      CHECK(counted.variance <= bound.variance * (1 + 1e-12));
      const double m = real(samples);
      const double formula = squared_sampling_error(law, samples).variance + 4 * u.dot(law.covariance * u) / m -
                             8 * u.dot(law.covariance * law.mean) / (m * m);
      CHECK(std::abs(formula / counted.variance - 1) <= 1e-11);
    }
  }
}

TEST_CASE("Theorem 7(a) by hand: nine to one, one draw and two", "[unit]") {
  // One draw: .36 + k sqrt(4 * .64 * .36) with k = sqrt 19 at .05; two: .18 + sqrt((2 * .1296 + 4 * .2304)/8) at 1/2.
  CHECK(std::abs(sampling_error_bound(nine_to_one(), 1, 0.05) - std::sqrt(0.36 + std::sqrt(19.0) * 0.96)) <= 1e-14);
  CHECK(std::abs(sampling_error_bound(nine_to_one(), 2, 0.5) - std::sqrt(0.18 + std::sqrt(0.1476))) <= 1e-14);
}

TEST_CASE("One value only leaves no error", "[unit]") {
  const SamplingLaw one = sampling_law(Vector{{1.0, 2.0}}, Matrix{{2.0}, {2.0}});

  CHECK(sampling_error_bound(one, 3, 0.01) == 0);
  CHECK(exponential_sampling_bound(one, 3, 0.01, 0.01) == 0);
}

TEST_CASE("Theorem 7(b) by hand: three of four rows along one line", "[unit]") {
  // The squared products of the 16 pairs of rows sum to 10: |mean of X X^T|^2 = 10/16. delta_2 = e^-2 makes the slack
  // 1, so sqrt r = (1 + sqrt(1 + sqrt 10))/2. k(1/2) = 1.
  const Matrix rows{{5.0, 0.0}, {0.0, 0.1}, {1.0, 0.0}, {-7.0, 0.0}};
  const double root = (1 + std::sqrt(1 + std::sqrt(10.0))) / 2;

  const double bound = sampling_error_bound_from_rows(2, rows, 0.5, std::exp(-2.0));
  CHECK(std::abs(bound - 2 * std::sqrt(0.25 + std::sqrt(6.0 / 64) * root * root)) <= 1e-14);
}

TEST_CASE("Theorem 7(b) is the same by either product of the rows", "[unit]") {
  const Instance drawn = make_instance({.keys = 9, .dim = 4, .value_dim = 4}, Seed{5}, 0);
  Matrix wide = Matrix::Zero(9, 12);
  wide.leftCols(4) = drawn.values;

  const double tall = sampling_error_bound_from_rows(1, drawn.values, 0.1, 0.1);
  CHECK(std::abs(tall / sampling_error_bound_from_rows(1, wide, 0.1, 0.1) - 1) <= 64 * kEpsilon);
}

TEST_CASE("(1 + e) log(1 + e) - e is inverted from above", "[unit]") {
  CHECK(chernoff_excess(0) == 0);
  CHECK(std::abs(chernoff_excess(1) - (std::numbers::e - 1)) <= 16 * kEpsilon);
  CHECK(std::abs(chernoff_excess(2 * std::numbers::ln2 - 1) - 1) <= 16 * kEpsilon);
  for (const double level : {1e-12, 1e-4, 0.3, 40.0, 1e6}) {
    const double e = chernoff_excess(level);
    const double reached = (1 + e) * std::log1p(e) - e;
    // log1p and a product to three units of (1 + e) log(1 + e).
    CHECK(std::abs(reached - level) <= 4 * kEpsilon * (1 + e) * std::log1p(e));
  }
}

TEST_CASE("Theorem 7(c) by hand: four signs", "[unit]") {
  // rho^2 = lambda = S1 = 1, y = 0. delta_2 = e^-4 gives (1/4) log(1/delta_2) = 1, e = exp(1) - 1; x = 2.
  const double bound = exponential_sampling_bound(two_signs(), 4, std::exp(-2.0), std::exp(-4.0));

  CHECK(std::abs(bound - (0.5 + std::sqrt(1 + (std::numbers::e - 1) / 3))) <= 1e-14);
}

TEST_CASE("Sampling bounds refuse what they are not defined for", "[unit]") {
  const SamplingLaw signs = two_signs();
  const Matrix rows{{1.0}, {-1.0}}, one{{1.0}}, zero{{1.0}, {0.0}};
  const double nan = std::numeric_limits<double>::quiet_NaN();

  for (const double delta : {0.0, 1.0, -0.1, nan}) {
    CHECK_THROWS_AS(sampling_error_bound(signs, 4, delta), InputError);
    CHECK_THROWS_AS(sampling_error_bound_from_rows(1, rows, delta, 0.1), InputError);
    CHECK_THROWS_AS(sampling_error_bound_from_rows(1, rows, 0.1, delta), InputError);
    CHECK_THROWS_AS(exponential_sampling_bound(signs, 4, delta, 0.1), InputError);
    CHECK_THROWS_AS(exponential_sampling_bound(signs, 4, 0.1, delta), InputError);
  }
  CHECK_THROWS_AS(sampling_error_bound(signs, 0, 0.1), InputError);
  CHECK_THROWS_AS(exponential_sampling_bound(signs, 0, 0.1, 0.1), InputError);
  CHECK_THROWS_AS(squared_sampling_error(signs, 2, -1), InputError);
  CHECK_THROWS_AS(squared_sampling_error(signs, 2, nan), InputError);
  CHECK_THROWS_AS(sampling_error_bound_from_rows(1, one, 0.1, 0.1), InputError);
  CHECK_THROWS_AS(sampling_error_bound_from_rows(1, zero, 0.1, 0.1), InputError);
  CHECK_THROWS_AS(sampling_error_bound_from_rows(0, rows, 0.1, 0.1), InputError);
  CHECK_THROWS_AS(sampling_law(Vector{{1.0}}, rows), InputError);
  CHECK_THROWS_AS(sampling_law(Vector{{0.0, 1.0}}, zero), InputError);
  CHECK_THROWS_AS(sampling_law(Vector{{1.0, 1.0}}, Matrix{{1.0}, {nan}}), InputError);
}

TEST_CASE("Theorem 9 by hand: one draw of two values at an offset", "[unit]") {
  // y = .8 at the offset -.5: the errors -.3 and -2.3 have the squares .09 and 5.29 with probabilities .9 and .1, mean
  // .61 and variance .09 * 5.2^2 = 1.56^2.
  CHECK(std::abs(total_error_bound(0.5, nine_to_one(), 1, 0.5) - std::sqrt(0.61 + 1.56)) <= 1e-14);
  // Cantelli is attained at delta = .1, where the bound is the longer error.
  CHECK(std::abs(total_error_bound(0.5, nine_to_one(), 1, 0.1) - 2.3) <= 1e-14);
}

TEST_CASE("Theorem 9(b) by hand: one draw of two values at a known offset", "[unit]") {
  // At -.5 the errors are those above. At +.5 they are .7 and -1.3, squares .49 and 1.69: mean .61, variance .09 * 1.2^2.
  CHECK(std::abs(total_error_bound_at(Vector{{-0.5}}, nine_to_one(), 1, 0.1) - 2.3) <= 1e-14);
  CHECK(std::abs(total_error_bound_at(Vector{{0.5}}, nine_to_one(), 1, 0.5) - std::sqrt(0.61 + 0.36)) <= 1e-14);
  CHECK(std::abs(total_error_bound_at(Vector{{0.5}}, nine_to_one(), 1, 0.1) - 1.3) <= 1e-14);
}

TEST_CASE("An offset across the values adds its square and no variance", "[unit]") {
  const SamplingLaw flat = sampling_law(Vector{{9.0, 1.0}}, Matrix{{1.0, 0.0}, {-1.0, 0.0}});

  const double along = sampling_error_bound(flat, 7, 0.05);
  const double across = total_error_bound_at(Vector{{0.0, 3.0}}, flat, 7, 0.05);

  CHECK(std::abs(across - std::hypot(3, along)) <= 1e-14);
  CHECK(across < 0.95 * total_error_bound(3, flat, 7, 0.05));  // which does not know the direction
}

TEST_CASE("An offset of another shape or without a length is refused", "[unit]") {
  const double nan = std::numeric_limits<double>::quiet_NaN();

  CHECK_THROWS_AS(total_error_bound_at(Vector{{1.0, 2.0}}, nine_to_one(), 5, 0.05), InputError);
  CHECK_THROWS_AS(total_error_bound_at(Vector{{nan}}, nine_to_one(), 5, 0.05), InputError);
}

TEST_CASE("Without an offset the total is the sampling error, and squares add where the samples are many", "[unit]") {
  CHECK(total_error_bound(0, nine_to_one(), 5, 0.05) == sampling_error_bound(nine_to_one(), 5, 0.05));
  // Mean 9 + .36/M, variance at most (4 * 9 * .36 + 8 * 3 * .288)/M for M >= 1e8: within 5e-3 of 9.
  CHECK(std::abs(total_error_bound(3, nine_to_one(), 100'000'000, 0.05) - 3) <= 5e-3);
}

TEST_CASE("Without a radius for the tables there is none in all", "[unit]") {
  const double infinity = std::numeric_limits<double>::infinity();

  CHECK(total_error_bound(infinity, nine_to_one(), 5, 0.05) == infinity);
  CHECK_THROWS_AS(total_error_bound(infinity, nine_to_one(), 5, 1), InputError);
  CHECK_THROWS_AS(total_error_bound(-0.1, nine_to_one(), 5, 0.05), InputError);
  CHECK_THROWS_AS(total_error_bound(std::numeric_limits<double>::quiet_NaN(), nine_to_one(), 5, 0.05), InputError);
}
