#include "estimators/peers/page_bounds.hpp"

#include "tests/normal_draws.hpp"
#include "tests/numbers.hpp"

using namespace skt;

TEST_CASE("A page's score is the sum over channels of the larger product with its extremes", "[unit]") {
  const Index keys = 33, dim = 5, page = 8;
  const Matrix k = normal_matrix(Seed{1}, 0, keys, dim);
  const Vector q = normal_vector(Seed{1}, 1, dim);

  const Vector scores = PageBounds(k, page).scores(q);

  for (Index j = 0; j < keys; ++j) {
    double expected = 0, size = 0;
    for (Index c = 0; c < dim; ++c) {
      double low = k(j, c), high = k(j, c);
      for (Index i = 0; i < keys; ++i) {
        if (i / page == j / page) low = std::min(low, k(i, c)), high = std::max(high, k(i, c));
      }
      expected += std::max(q(c) * low, q(c) * high);
      size += std::max(std::abs(q(c) * low), std::abs(q(c) * high));
    }
    CHECK(std::abs(scores(j) - expected) <= 4 * double(dim) * std::numeric_limits<double>::epsilon() * size);
  }
}

TEST_CASE("A page's score bounds q.k of all its keys, and a corner key attains it", "[unit]") {
  const Index keys = 64, dim = 9;
  Matrix k = normal_matrix(Seed{2}, 0, keys, dim);
  const Vector q = normal_vector(Seed{2}, 1, dim);
  for (Index c = 0; c < dim; ++c) {  // key 3 is the corner of page 0 that q prefers
    k(3, c) = q(c) >= 0 ? k.col(c).head(16).maxCoeff() : k.col(c).head(16).minCoeff();
  }

  const Vector scores = PageBounds(k, 16).scores(q);

  const Vector truth = k * q;
  const double rounding =
      4 * double(dim) * std::numeric_limits<double>::epsilon() * (k.cwiseAbs() * q.cwiseAbs()).maxCoeff();
  CHECK((truth.array() <= scores.array() + rounding).all());
  CHECK(std::abs(scores(3) - truth(3)) <= rounding);
}

TEST_CASE("Pages of one key score q.k itself, and memory is two vectors to a page", "[unit]") {
  const Matrix k = normal_matrix(Seed{3}, 0, 20, 6);
  const Vector q = normal_vector(Seed{3}, 1, 6);

  const Vector scores = PageBounds(k, 1).scores(q);

  const double rounding = 24 * std::numeric_limits<double>::epsilon() * (k.cwiseAbs() * q.cwiseAbs()).maxCoeff();
  CHECK((scores - k * q).cwiseAbs().maxCoeff() <= rounding);
  CHECK(PageBounds(k, 1).bits_per_token() == 2 * 16 * 6);
  CHECK(PageBounds(k, 16).page_scores(q).size() == 2);
  CHECK(PageBounds(k, 20).page_scores(q).size() == 1);
  CHECK(PageBounds(k, 16).bits_per_token() == 2.0 * 16 * 6 / 16);
  CHECK_THROWS_AS(PageBounds(k, 0), InputError);
}
