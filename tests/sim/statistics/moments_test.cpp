#include "sim/statistics/moments.hpp"

#include "sim/randomness.hpp"
#include "tests/numbers.hpp"

using namespace skt;

namespace {

std::vector<double> normals(std::uint32_t row, std::size_t count) {
  std::vector<double> drawn(count);
  fill_normal(Seed{11}, {.role = Role::test_draw, .row = row}, drawn);
  return drawn;
}

Moments moments_of(const double* first, const double* last) {
  Moments moments;
  for (; first != last; ++first) moments.add(*first);
  return moments;
}

}  // namespace

TEST_CASE("The variance of fewer than two samples is NaN", "[unit]") {
  Moments moments;
  CHECK(std::isnan(moments.variance()));
  CHECK(std::isnan(moments.deviation_of_mean()));
  moments.add(1);
  CHECK(std::isnan(moments.variance()));
  CHECK(std::isnan(moments.deviation_of_mean()));
  moments.add(3);
  CHECK(moments.variance() == 2);

  VectorMoments vectors;
  vectors.add(Vector::Ones(3));
  CHECK(vectors.variance().array().isNaN().all());
}

TEST_CASE("Merged parts have the moments of the whole", "[unit]") {
  const std::size_t count = 1000;
  const std::vector<double> x = normals(0, count);
  const Moments whole = moments_of(x.data(), x.data() + count);
  // Each update errs by a few roundings of a number of the order of the largest deviation, at most `count` in a row.
  const double tolerance = 8 * real(count) * kEpsilon;

  for (const std::size_t cut : {std::size_t{0}, std::size_t{1}, std::size_t{2}, std::size_t{500}, count}) {
    Moments merged = moments_of(x.data(), x.data() + cut);
    merged.merge(moments_of(x.data() + cut, x.data() + count));

    CHECK(merged.count() == count);
    CHECK(std::abs(merged.mean() - whole.mean()) <= tolerance);
    CHECK(std::abs(merged.variance() - whole.variance()) <= tolerance * whole.variance());
  }
}

TEST_CASE("A large offset does not drown the variance", "[unit]") {
  // 1e9 + {-1, 0, 1}: the textbook sum of squares would lose every digit.
  Moments moments;
  for (const double x : {-1.0, 0.0, 1.0}) moments.add(1e9 + x);

  // The running mean is rounded to eps * 1e9, which enters the squares twice.
  CHECK(std::abs(moments.variance() - 1) <= 4 * kEpsilon * 1e9);
}

TEST_CASE("A non-finite sample spoils the moments for good", "[unit]") {
  const double nan = std::numeric_limits<double>::quiet_NaN(), infinity = std::numeric_limits<double>::infinity();
  for (const double bad : {nan, infinity, -infinity}) {
    Moments moments, later;
    for (const double x : {1.0, 2.0, bad, 3.0}) moments.add(x);
    for (const double x : {1.0, 2.0}) later.add(x);
    later.merge(moments);

    CHECK(!std::isfinite(moments.mean()));
    CHECK(std::isnan(moments.variance()));
    CHECK(!std::isfinite(later.mean()));
    CHECK(std::isnan(later.variance()));
  }
}

TEST_CASE("Vector moments are the scalar moments of every coordinate", "[unit]") {
  const Index dim = 3;
  const std::size_t count = 40;
  VectorMoments vectors, head, tail;
  std::vector<Moments> scalars(dim);
  for (std::size_t i = 0; i < count; ++i) {
    const std::vector<double> x = normals(static_cast<std::uint32_t>(i), dim);
    const Vector v = Eigen::Map<const Vector>(x.data(), dim);
    vectors.add(v);
    (i < 7 ? head : tail).add(v);
    for (Index c = 0; c < dim; ++c) scalars[c].add(v(c));
  }
  head.merge(tail);

  const double tolerance = 8 * real(count) * kEpsilon;
  for (Index c = 0; c < dim; ++c) {
    const Moments& scalar = scalars[c];
    CHECK(vectors.mean()(c) == scalar.mean());
    CHECK(vectors.variance()(c) == scalar.variance());
    CHECK(std::abs(head.mean()(c) - scalar.mean()) <= tolerance);
    CHECK(std::abs(head.variance()(c) - scalar.variance()) <= tolerance * scalar.variance());
  }
  CHECK(head.count() == count);
}

TEST_CASE("Vectors of different lengths are refused", "[unit]") {
  VectorMoments three, two;
  three.add(Vector::Ones(3));
  two.add(Vector::Ones(2));

  CHECK_THROWS_AS(three.add(Vector::Ones(2)), std::invalid_argument);
  CHECK_THROWS_AS(three.merge(two), std::invalid_argument);
}

TEST_CASE("A summary holds count, mean and unbiased variance", "[unit]") {
  // 1, 2, 3, 6: mean 3, squares 4 + 1 + 0 + 9 = 14 over 3.
  Moments moments;
  for (const double x : {1.0, 2.0, 3.0, 6.0}) moments.add(x);

  const SampleSummary summary = moments.summary();

  CHECK(summary.count == 4);
  CHECK(summary.mean == 3);
  CHECK(summary.variance == 14.0 / 3);
  CHECK(summary.deviation_of_mean() == std::sqrt(14.0 / 3 / 4));
  CHECK(moments.deviation_of_mean() == summary.deviation_of_mean());
}
