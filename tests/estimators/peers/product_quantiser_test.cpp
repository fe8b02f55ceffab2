#include "estimators/peers/product_quantiser.hpp"

#include "tests/normal_draws.hpp"
#include "tests/numbers.hpp"

using namespace skt;

TEST_CASE("A codebook that holds every key scores q.k itself", "[unit]") {
  const Index keys = 16, dim = 8;
  const Matrix k = normal_matrix(Seed{1}, 0, keys, dim);
  const Vector q = normal_vector(Seed{1}, 1, dim);

  const Vector scores = ProductQuantiser(k, {4, 4, 3}, Seed{2}, 0).scores(q);

  CHECK((scores - k * q).cwiseAbs().maxCoeff() <=
        4 * double(dim) * kEpsilon * (k.cwiseAbs() * q.cwiseAbs()).maxCoeff());
}

TEST_CASE("Every point belongs to its nearest centroid and every centroid is the mean of its points", "[unit]") {
  const Matrix points = normal_matrix(Seed{3}, 0, 200, 3);
  const Index many_rounds = 200;  // more than it takes here to reach a fixed point, which the second check needs

  const Clusters clusters = k_means(points, 8, many_rounds, Seed{4}, 0, 0);

  Matrix sums = Matrix::Zero(8, 3);
  Vector members = Vector::Zero(8);
  for (Index j = 0; j < 200; ++j) {
    const Index own = clusters.nearest[j];
    const Vector distances = (clusters.centroids.rowwise() - points.row(j)).rowwise().squaredNorm();
    CHECK(distances(own) <= distances.minCoeff() * (1 + 8 * kEpsilon));
    sums.row(own) += points.row(j);
    members(own) += 1;
  }
  for (Index c = 0; c < 8; ++c) {
    REQUIRE(members(c) > 0);
    CHECK((sums.row(c) / members(c) - clusters.centroids.row(c)).norm() <= 200 * kEpsilon * points.norm());
  }
}

TEST_CASE("Of two equal centres the lower number has the points, and the empty one stays where it is", "[unit]") {
  // Three points, all of them centres: 5 twice and 9.
  const Matrix points{{5}, {9}, {5}};

  const Clusters clusters = k_means(points, 3, 4, Seed{10}, 0, 0);

  const Index nine = clusters.nearest[1];
  const Index first = nine == 0 ? 1 : 0, second = nine == 2 ? 1 : 2;
  CHECK(clusters.nearest[0] == first);
  CHECK(clusters.nearest[2] == first);
  CHECK(clusters.centroids(nine, 0) == 9);
  CHECK(clusters.centroids(first, 0) == 5);
  CHECK(clusters.centroids(second, 0) == 5);
  CHECK(clusters.distortion == 0);
}

TEST_CASE("A point half way between two centres belongs to the lower number", "[unit]") {
  // Without a round the centres are the points drawn: whichever two of -1, 0 and 1 these are, 0 or none lies between.
  Index between = 0;
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    const Clusters clusters = k_means(Matrix{{-1}, {0}, {1}}, 2, 0, Seed{seed}, 0, 0);
    if (clusters.centroids(0, 0) + clusters.centroids(1, 0) != 0) continue;
    ++between;
    CHECK(clusters.nearest[1] == 0);
    CHECK(clusters.distortion == 1);
  }
  CHECK(between > 0);  // a third of the draws: none of 40 happens once in 1e7
}

TEST_CASE("A round of k-means never raises the distortion", "[unit]") {
  const Matrix points = normal_matrix(Seed{5}, 0, 300, 4);
  double before = std::numeric_limits<double>::infinity();

  for (const Index rounds : {0, 1, 2, 3, 5, 8, 13}) {
    const double after = k_means(points, 16, rounds, Seed{6}, 0, 0).distortion;
    CHECK(after <= before * (1 + 300 * kEpsilon));
    before = after;
  }
  CHECK(before < 0.8 * k_means(points, 16, 0, Seed{6}, 0, 0).distortion);
}

TEST_CASE("A quantised score is q.k of the key's own centroids", "[unit]") {
  const Index keys = 60, dim = 6, groups = 3, width = 2;
  const Matrix k = normal_matrix(Seed{7}, 0, keys, dim);
  const Vector q = normal_vector(Seed{7}, 1, dim);

  const Vector scores = ProductQuantiser(k, {groups, 2, 5}, Seed{8}, 9).scores(q);

  for (Index j = 0; j < keys; ++j) {
    double expected = 0, size = 0;
    for (Index g = 0; g < groups; ++g) {
      const Clusters c = k_means(k.middleCols(g * width, width), 4, 5, Seed{8}, 9, std::uint32_t(g));
      const Index own = c.nearest[j];
      for (Index i = 0; i < width; ++i) expected += q(g * width + i) * c.centroids(own, i);
      size += c.centroids.row(own).norm() * q.norm();
    }
    CHECK(std::abs(scores(j) - expected) <= 4 * double(dim) * kEpsilon * size);
  }
}

TEST_CASE("Unless told otherwise: 32 groups of 4 bits, 10 rounds", "[unit]") {
  const Matrix k = normal_matrix(Seed{11}, 0, 300, 64);
  const Vector q = normal_vector(Seed{11}, 1, 64);
  const Vector scores = ProductQuantiser(k, {}, Seed{1}, 0).scores(q);
  CHECK(scores == ProductQuantiser(k, {32, 4, 10}, Seed{1}, 0).scores(q));
  CHECK(scores != ProductQuantiser(k, {32, 4, 9}, Seed{1}, 0).scores(q));
}

TEST_CASE("Quantiser memory counts codes and the shared codebook; impossible shapes are refused", "[unit]") {
  const Matrix k = normal_matrix(Seed{9}, 0, 32, 8);

  CHECK(ProductQuantiser(k, {4, 3, 1}, Seed{1}, 0).bits_per_token() == 4 * 3 + 16.0 * 8 * 8 / 32);
  CHECK_THROWS_AS(ProductQuantiser(k, {3, 3, 1}, Seed{1}, 0), InputError);
  CHECK_THROWS_AS(ProductQuantiser(k, {4, 0, 1}, Seed{1}, 0), InputError);
  CHECK_THROWS_AS(ProductQuantiser(k, {4, 13, 1}, Seed{1}, 0), InputError);
}
