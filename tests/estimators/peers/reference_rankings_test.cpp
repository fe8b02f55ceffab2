#include "estimators/peers/reference_rankings.hpp"

#include "tests/normal_draws.hpp"
#include "tests/numbers.hpp"

using namespace skt;

TEST_CASE("Cosine scores do not see the key's length, and a zero key scores 0", "[unit]") {
  Matrix k = normal_matrix(Seed{1}, 0, 6, 5);
  const Vector q = normal_vector(Seed{1}, 1, 5);
  k.row(1) = 64 * k.row(0);
  k.row(2).setZero();

  const Vector scores = cosine_scores(q, k);

  CHECK(scores(0) == scores(1));  // a power of two scales without rounding
  CHECK(scores(2) == 0);
  CHECK(std::abs(scores(3) - k.row(3).dot(q) / (k.row(3).norm() * q.norm())) <=
        20 * std::numeric_limits<double>::epsilon());
}

TEST_CASE("Sink and window ranks the first keys, then the latest", "[unit]") {
  const Vector scores = sink_and_window_scores(7, 2);

  std::vector<Index> order(7);
  std::iota(order.begin(), order.end(), Index{0});
  std::sort(order.begin(), order.end(), [&](Index a, Index b) { return scores(a) > scores(b); });
  CHECK(order == std::vector<Index>{0, 1, 6, 5, 4, 3, 2});
}

TEST_CASE("Top-p takes the fewest keys that reach the mass", "[unit]") {
  const Vector p{{0.125, 0.5, 0.125, 0.25}};

  CHECK(top_p_count(p, 0) == 0);
  CHECK(top_p_count(p, 0.5) == 1);
  CHECK(top_p_count(p, 0.5625) == 2);
  CHECK(top_p_count(p, 0.875) == 3);
  CHECK(top_p_count(p, 1) == 4);
  CHECK(top_p_count(3 * p, 0.875) == 3);
  CHECK_THROWS_AS(top_p_count(p, 1.5), InputError);
  CHECK_THROWS_AS(top_p_count(Vector::Zero(3), 0.5), InputError);
}

TEST_CASE("The value distance of weights 1/2, 1/4, 1/4 by hand, where all values move alike too", "[unit]") {
  // q.k/sqrt(4) = log 2, 0, 0; values 0, 4, -4: y = 0.
  const Vector query{{2 * std::log(2.0), 0.0, 0.0, 0.0}};
  Matrix keys = Matrix::Zero(3, 4);
  keys(0, 0) = 1;
  const Matrix values{{0.0}, {4.0}, {-4.0}};
  const Vector expected{{0.0, 1.0, 1.0}};

  CHECK((value_distance_scores(query, keys, values) - expected).norm() <= 1e-14);
  CHECK((value_distance_scores(query, keys, (values.array() + 10).matrix()) - expected).norm() <= 1e-13);
}

TEST_CASE("Random scores belong to their address", "[unit]") {
  CHECK(random_scores(9, Seed{1}, 2) == random_scores(9, Seed{1}, 2));
  CHECK(random_scores(9, Seed{1}, 2) != random_scores(9, Seed{1}, 3));
  CHECK(random_scores(9, Seed{1}, 2).head(4) == random_scores(4, Seed{1}, 2));
}
