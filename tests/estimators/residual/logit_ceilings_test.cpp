#include "estimators/residual/logit_ceilings.hpp"

#include "sim/families.hpp"
#include "tests/numbers.hpp"

using namespace skt;

TEST_CASE("Independent rows: sqrt((pi - 2 c^2) level/b), of a negative cosine as of 0", "[unit]") {
  const auto radius = [](double cosine) { return cosine_radius(cosine, 200, 64, ProjectionRows::independent, 2); };

  CHECK(radius(0) == Approx(std::sqrt(kPi / 100)));
  CHECK(radius(0.5) == Approx(std::sqrt((kPi - 0.5) / 100)));
  CHECK(radius(-0.5) == Approx(std::sqrt(kPi / 100)));
  CHECK(radius(1) == Approx(std::sqrt((kPi - 2) / 100)));
}

TEST_CASE("A block of two orthogonal rows by hand", "[unit]") {
  // gain^2 = 8/pi^2: across = pi^2/8 = 1.2337.
  CHECK(log_moment_of_block(0.5, 0, 2) == Approx(0.028019 + 0.011891).epsilon(1e-4));
  CHECK(log_moment_of_block(0.5, 1, 2) == Approx(kPi * kPi / 8 * 0.25 / 2));
  CHECK(log_moment_of_block(0.5, -1, 2) == Approx(kPi * kPi / 8 * 0.25 / 2));
}

TEST_CASE("The radius of blocks is the least over t, and smaller than that of independent rows", "[unit]") {
  // 8 blocks of 64, level 14: 1.75 a block. t from .1 to 31.5 by hundredths.
  double least = 1;
  for (double t = 0.1; t <= 31.5; t += 0.01) least = std::min(least, (1.75 + log_moment_of_block(t, 0.1, 64)) / t);

  const double radius = cosine_radius(0.1, 512, 64, ProjectionRows::orthogonal_blocks, 14);

  CHECK(radius == Approx(least).epsilon(1e-6));
  CHECK(radius < 0.7 * cosine_radius(0.1, 512, 64, ProjectionRows::independent, 14));
  CHECK_THROWS_AS(cosine_radius(0, 100, 64, ProjectionRows::orthogonal_blocks, 14), InputError);
}

TEST_CASE("Ceilings by norms: the mean key exactly, the rest by Cauchy and Schwarz, and no more than both together",
          "[unit]") {
  const Matrix keys{{3.0, 4.0}, {0.0, -1.0}};  // mean (1.5, 1.5), both sqrt(8.5) from it

  const Vector ceilings = LogitCeilings(keys).of(Vector{{1.0, 0.0}}, 2, 0.05);

  CHECK(ceilings[0] == Approx(2 * (1.5 + std::sqrt(8.5))));
  CHECK(ceilings[1] == Approx(2.0));
}

TEST_CASE("Ceilings by signs lie above the logits and below those by norms; blocks are whole", "[unit]") {
  for (const InstanceFamily family : {InstanceFamily::gaussian, InstanceFamily::sink_mean}) {
    const Instance one = make_instance({.family = family, .keys = 500, .dim = 48}, Seed{1}, 0);
    const Vector logits = one.keys * one.query / 7, by_norms = LogitCeilings(one.keys).of(one.query, 1.0 / 7, 0.01);
    double previous = 0;
    for (const ProjectionRows rows : {ProjectionRows::independent, ProjectionRows::orthogonal_blocks}) {
      const LogitCeilings signs(one.keys, 300, rows, Seed{2}, 3);
      const Vector ceilings = signs.of(one.query, 1.0 / 7, 0.01);

      CHECK(signs.bits() == (rows == ProjectionRows::independent ? 300 : 336));
      CHECK((ceilings - logits).minCoeff() > 0);
      CHECK((by_norms - ceilings).minCoeff() >= 0);
      const double lower = (by_norms - ceilings).mean();
      CHECK(lower > previous);  // blocks lower than independent rows
      previous = lower;
    }
  }
}

TEST_CASE("The ceiling of a key is the largest cosine that its estimate leaves open", "[unit]") {
  // One key along the query, alone: it is its own mean. So two, opposite; every sign agrees with w.q.
  const Matrix keys{{2.0, 0.0, 0.0}, {-2.0, 0.0, 0.0}};
  const Vector query{{3.0, 0.0, 0.0}};
  const LogitCeilings signs(keys, 4000, ProjectionRows::independent, Seed{5}, 0);

  const Vector ceilings = signs.of(query, 1, 0.05);

  CHECK(ceilings[0] == Approx(6.0));
  const double widest = std::sqrt(kPi * std::log(2 / 0.05) / 4000);  // of a negative cosine
  CHECK(ceilings[1] >= -6);
  CHECK(ceilings[1] < 6 * (-1 + widest + 0.05 + 1.0 / 512));  // the estimate of -1 is within 0.05: 4 deviations
  CHECK(signs.of(query, 1, 1e-6)[1] > ceilings[1]);
  CHECK(signs.of(query, 1, 0.05) == ceilings);
}

TEST_CASE("A query of length 0 has the logit 0", "[unit]") {
  const Matrix keys{{3.0, 4.0}, {0.0, -1.0}};

  CHECK(LogitCeilings(keys, 8, ProjectionRows::orthogonal_blocks, Seed{1}, 0).of(Vector::Zero(2), 1, 0.05).norm() == 0);
}
