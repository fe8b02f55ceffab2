#include "sim/random_families.hpp"

#include <cmath>
#include <limits>

#include "sim/input_error.hpp"
#include "tests/catch.hpp"

using namespace skt;

namespace {

constexpr double kEpsilon = std::numeric_limits<double>::epsilon();

double cosine(const Vector& a, const Vector& b) { return a.dot(b) / (a.norm() * b.norm()); }

FamilyParameters parameters(InstanceFamily family, Index keys, Index dim) {
  FamilyParameters p;
  p.family = family;
  p.keys = keys;
  p.dim = dim;
  return p;
}

const std::vector<InstanceFamily> kRandomFamilies = {InstanceFamily::gaussian, InstanceFamily::unit_sphere,
                                                     InstanceFamily::needle, InstanceFamily::clustered,
                                                     InstanceFamily::anisotropic};

}  // namespace

TEST_CASE("An instance has the shapes that were asked for", "[unit]") {
  for (const InstanceFamily family : kRandomFamilies) {
    for (const Index keys : {1, 2, 31, 32, 33}) {
      FamilyParameters p = parameters(family, keys, 5);
      p.value_dim = 3;
      const Instance drawn = make_instance(p, Seed{1}, 0);

      CHECK(drawn.query.size() == 5);
      CHECK(drawn.num_keys() == keys);
      CHECK(drawn.dim() == 5);
      CHECK(drawn.values.rows() == keys);
      CHECK(drawn.value_dim() == 3);
      CHECK(drawn.query.allFinite());
      CHECK(drawn.keys.allFinite());
      CHECK(drawn.values.allFinite());
    }
  }
}

TEST_CASE("An instance may have no key, unless one of them is the needle", "[unit]") {
  for (const InstanceFamily family : kRandomFamilies) {
    const FamilyParameters p = parameters(family, 0, 4);
    if (family == InstanceFamily::needle) {
      CHECK_THROWS_AS(make_instance(p, Seed{1}, 0), InputError);
    } else {
      CHECK(make_instance(p, Seed{1}, 0).num_keys() == 0);
    }
  }
}

TEST_CASE("An instance is a function of seed and trial", "[unit]") {
  for (const InstanceFamily family : kRandomFamilies) {
    const FamilyParameters p = parameters(family, 9, 6);
    const Instance one = make_instance(p, Seed{1}, 4), same = make_instance(p, Seed{1}, 4);
    const Instance other_trial = make_instance(p, Seed{1}, 5), other_seed = make_instance(p, Seed{2}, 4);

    CHECK(one.query == same.query);
    CHECK(one.keys == same.keys);
    CHECK(one.values == same.values);
    for (const Instance* other : {&other_trial, &other_seed}) {
      CHECK((one.query.array() != other->query.array()).all());
      CHECK((one.keys.array() != other->keys.array()).all());
    }
  }
}

TEST_CASE("The first keys of a larger instance are those of a smaller one", "[unit]") {
  for (const InstanceFamily family : {InstanceFamily::gaussian, InstanceFamily::unit_sphere,
                                      InstanceFamily::clustered, InstanceFamily::anisotropic}) {
    const Instance small = make_instance(parameters(family, 10, 7), Seed{3}, 1);
    const Instance large = make_instance(parameters(family, 40, 7), Seed{3}, 1);

    CHECK(small.query == large.query);
    CHECK(small.keys == large.keys.topRows(10));
    CHECK(small.values == large.values.topRows(10));
  }
}

TEST_CASE("A query norm that was asked for is kept, and the direction with it", "[unit]") {
  for (const InstanceFamily family : kRandomFamilies) {
    FamilyParameters p = parameters(family, 3, 8);
    const Instance drawn = make_instance(p, Seed{5}, 0);
    for (const double norm : {1e-3, 1.0, 1e3}) {
      p.query_norm = norm;
      const Instance rescaled = make_instance(p, Seed{5}, 0);

      // A sum of 8 squares, its root and a product: a dozen roundings.
      CHECK(std::abs(rescaled.query.norm() - norm) <= 12 * kEpsilon * norm);
      CHECK(std::abs(cosine(rescaled.query, drawn.query) - 1) <= 12 * kEpsilon);
    }
  }
}

TEST_CASE("Unit-sphere queries and keys have norm one", "[unit]") {
  const Instance drawn = make_instance(parameters(InstanceFamily::unit_sphere, 20, 8), Seed{5}, 0);

  CHECK(std::abs(drawn.query.norm() - 1) <= 12 * kEpsilon);
  CHECK((drawn.keys.rowwise().norm().array() - 1).abs().maxCoeff() <= 12 * kEpsilon);
}

TEST_CASE("The needle has the cosine that was asked for and its own value", "[unit]") {
  for (const Index dim : {2, 3, 128}) {
    for (const double asked : {-1.0, -0.5, 0.0, 0.9, 1 - 1e-12, 1.0}) {
      FamilyParameters p = parameters(InstanceFamily::needle, 33, dim);
      p.needle_cosine = asked;
      const Instance drawn = make_instance(p, Seed{6}, 2);
      p.family = InstanceFamily::gaussian;
      const Instance background = make_instance(p, Seed{6}, 2);
      const Index needle = needle_index(33);

      // Two dot products of dim products, their norms, and a few roundings on the way.
      const double tolerance = (2 * static_cast<double>(dim) + 8) * kEpsilon;
      CHECK(std::abs(cosine(drawn.query, drawn.keys.row(needle)) - asked) <= tolerance);
      CHECK(std::abs(drawn.keys.row(needle).norm() / background.keys.row(needle).norm() - 1) <= tolerance);
      CHECK((drawn.values.row(needle).array() == p.needle_value).all());
      CHECK(drawn.keys.topRows(needle) == background.keys.topRows(needle));
      CHECK(drawn.keys.bottomRows(33 - needle - 1) == background.keys.bottomRows(33 - needle - 1));
    }
  }
}

TEST_CASE("In one dimension a needle is parallel to the query or refused", "[unit]") {
  FamilyParameters p = parameters(InstanceFamily::needle, 3, 1);
  p.needle_cosine = -1;
  const Instance drawn = make_instance(p, Seed{6}, 0);
  CHECK(drawn.query(0) * drawn.keys(needle_index(3), 0) < 0);

  p.needle_cosine = 0.9;
  CHECK_THROWS_AS(make_instance(p, Seed{6}, 0), InputError);
}

TEST_CASE("Keys of one cluster lie close together, and the query in cluster 0", "[unit]") {
  FamilyParameters p = parameters(InstanceFamily::clustered, 64, 512);
  p.clusters = 4;
  p.cluster_spread = 0.1;
  const Instance drawn = make_instance(p, Seed{7}, 0);

  // Cosine within a cluster: 1 - spread^2 = 0.99; across: 0. Either has a standard deviation of about
  // 1/sqrt(dim) = 0.044 at most, so 0.5 is more than ten of them away from both.
  for (Index j = 0; j < 64; ++j) {
    CHECK((cosine(drawn.query, drawn.keys.row(j)) > 0.5) == (j % 4 == 0));
    CHECK((cosine(drawn.keys.row(1), drawn.keys.row(j)) > 0.5) == (j % 4 == 1));
  }
}

TEST_CASE("A cluster without spread is one key, and full spread is the Gaussian family", "[unit]") {
  FamilyParameters p = parameters(InstanceFamily::clustered, 8, 5);
  p.clusters = 2;
  p.cluster_spread = 0;
  const Instance tight = make_instance(p, Seed{8}, 0);
  p.cluster_spread = 1;
  const Instance loose = make_instance(p, Seed{8}, 0);
  p.family = InstanceFamily::gaussian;
  const Instance gaussian = make_instance(p, Seed{8}, 0);

  CHECK(tight.keys.row(0) == tight.keys.row(6));
  CHECK(tight.keys.row(0) == tight.query.transpose());
  CHECK(tight.keys.row(0) != tight.keys.row(1));
  CHECK(loose.keys == gaussian.keys);
}

TEST_CASE("The anisotropic spectrum decays as asked and keeps the mean square", "[unit]") {
  FamilyParameters p = parameters(InstanceFamily::anisotropic, 5, 16);
  p.spectrum_decay = 1;
  const Instance drawn = make_instance(p, Seed{9}, 0);
  p.family = InstanceFamily::gaussian;
  const Instance gaussian = make_instance(p, Seed{9}, 0);

  const Vector scale = drawn.keys.row(0).array() / gaussian.keys.row(0).array();
  CHECK(std::abs(scale.squaredNorm() / 16 - 1) <= 32 * kEpsilon);
  for (Index c = 0; c < 16; ++c) {
    CHECK(std::abs(scale(c) * static_cast<double>(c + 1) / scale(0) - 1) <= 8 * kEpsilon);
    CHECK(std::abs(drawn.query(c) / gaussian.query(c) / scale(c) - 1) <= 8 * kEpsilon);
  }
}

TEST_CASE("Without decay the anisotropic family is the Gaussian one", "[unit]") {
  FamilyParameters p = parameters(InstanceFamily::anisotropic, 5, 16);  // sqrt(16) is exact
  p.spectrum_decay = 0;
  const Instance flat = make_instance(p, Seed{9}, 0);
  p.family = InstanceFamily::gaussian;

  CHECK(flat.keys == make_instance(p, Seed{9}, 0).keys);
}
