#include "estimators/occupancy.hpp"

#include "sim/families.hpp"
#include "tests/numbers.hpp"

using namespace skt;

TEST_CASE("The half-plane sweep agrees with trying every pair of keys as the border", "[unit]") {
  for (std::uint32_t trial = 0; trial < 50; ++trial) {
    const Matrix keys = make_instance({.keys = 1 + trial % 13, .dim = 2}, Seed{7}, trial).keys;

    // A largest open half-plane can be turned until its border passes just beside a key.
    Index brute = 0;
    for (Index j = 0; j < keys.rows(); ++j) {
      for (const double side : {-1.0, 1.0}) {
        const Vector border = keys.row(j).transpose();
        const Vector normal = side * (Vector(2) << -border[1], border[0]).finished() + 1e-9 * border;
        brute = std::max(brute, ((keys * normal).array() > 0).count());
      }
    }

    CHECK(half_plane_occupancy(keys) == brute);
  }
}

TEST_CASE("Occupancy counts zero keys, copies and opposite keys as the hash does", "[unit]") {
  const Matrix keys = (Matrix(5, 2) << 0, 0, 1, 0, 1, 0, -1, 0, 0, 1).finished();

  CHECK(half_plane_occupancy(keys) == 4);
  CHECK(half_plane_occupancy(Matrix(0, 2)) == 0);
  CHECK_THROWS_AS(half_plane_occupancy(Matrix(1, 3)), InputError);
  CHECK(half_space_occupancy_at_least(keys, Seed{1}, 4) == 4);
  CHECK(half_space_occupancy_at_least(Matrix(0, 2), Seed{1}, 4) == 0);
}

TEST_CASE("No drawn table exceeds the half-plane count, for one to four planes", "[unit]") {
  const Matrix keys = make_instance({.keys = 12, .dim = 2}, Seed{3}, 0).keys;
  const Index almost_sure = half_plane_occupancy(keys);

  for (Index planes = 1; planes <= 4; ++planes) {
    const Index realised = realised_occupancy(hash_keys(draw_hyperplanes(Seed{5}, 0, 4000, planes, 2), keys));
    CHECK(realised <= almost_sure);
    // Nearly parallel planes are frequent enough in two dimensions to attain it within 4000 tables.
    CHECK(realised == almost_sure);
  }
}

TEST_CASE("The ascent finds at least half of the keys and no more than the exact count", "[unit]") {
  for (std::uint32_t trial = 0; trial < 20; ++trial) {
    const Matrix keys = make_instance({.keys = 15, .dim = 2}, Seed{9}, trial).keys;
    const Index found = half_space_occupancy_at_least(keys, Seed{1}, 8);

    CHECK(found >= 8);
    CHECK(found <= half_plane_occupancy(keys));
  }
  const Matrix gaussian = make_instance({.keys = 1024, .dim = 128}, Seed{2}, 0).keys;
  // The direction of the sum alone gives N Phi(sqrt(d/N)) = 652 of 1024; the ascent must improve on it.
  CHECK(half_space_occupancy_at_least(gaussian, Seed{1}, 2) > 652);
}

TEST_CASE("The load of a draw is that of its tables, worked out by hand", "[unit]") {
  // One plane along e_1 in the first table, along e_2 in the second; query (2, 0): u = tanh(2) and tanh(0) = 0, so the
  // query's own bucket has sigma(2 tanh(2)/tau) and 1/2. Three keys to the right of e_1's plane and one to the left; two
  // above e_2's and two below.
  Matrix keys(4, 2), rows(2, 2);
  keys << 1, 1, 1, 2, 1, -1, -1, -1;
  rows << 1, 0, 0, 1;
  const Hyperplanes hyperplanes = given_hyperplanes(2, 1, rows);
  const Vector query{{2.0, 0.0}};

  const BucketLoad load = bucket_load(hyperplanes, hash_keys(hyperplanes, keys), query, {0.5, Scaling::none});

  const double own = 1 / (1 + std::exp(-4 * std::tanh(2.0)));
  CHECK(load.fullest == 3);
  CHECK(load.occupied_miss == Approx((3 * (1 - own) + 2 * 0.5) / 2).epsilon(1e-14));
  CHECK_THROWS_AS(bucket_load(given_hyperplanes(1, 2, rows), hash_keys(hyperplanes, keys), query, {}), InputError);
}

TEST_CASE("The fullest bucket is the same whether codes are counted or sorted", "[unit]") {
  // Codes of 16 planes are counted, of 17 sorted: 5 three times, the largest code twice.
  for (const Index planes : {16, 17}) {
    const std::uint32_t last = (1u << planes) - 1;
    const KeyCodes codes{2, planes, 6, {5, last, 5, 0, last, 5, 1, 2, 3, 4, 5, 6}};

    CHECK(fullest_buckets(codes) == std::vector<Index>{3, 1});
  }
  CHECK(fullest_buckets(KeyCodes{1, 8, 0, {}}) == std::vector<Index>{0});
}
