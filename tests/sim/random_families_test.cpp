#include "sim/random_families.hpp"

#include <Eigen/SVD>
#include <complex>

#include "sim/families.hpp"
#include "tests/numbers.hpp"
#include "tests/threads.hpp"

using namespace skt;

namespace {

double cosine(const Vector& a, const Vector& b) {
  return a.dot(b) / (a.norm() * b.norm());
}

FamilyParameters parameters(InstanceFamily family, Index keys, Index dim) {
  return {.family = family, .keys = keys, .dim = dim};
}

// The instance that another family makes of the same parameters.
Instance of_family(InstanceFamily family, FamilyParameters p, Seed seed, std::uint32_t trial = 0) {
  p.family = family;
  return make_instance(p, seed, trial);
}

bool operator==(const Instance& a, const Instance& b) {
  return a.query == b.query && a.keys == b.keys && a.values == b.values;
}

const std::vector<InstanceFamily> kRandomFamilies = {
    InstanceFamily::gaussian,       InstanceFamily::unit_sphere,      InstanceFamily::needle,
    InstanceFamily::clustered,      InstanceFamily::anisotropic,      InstanceFamily::rotary_low_rank,
    InstanceFamily::attention_sink, InstanceFamily::clustered_values, InstanceFamily::sink_mean};

}  // namespace

TEST_CASE("An instance has the shapes that were asked for, and no key only if none is the needle", "[unit]") {
  for (const InstanceFamily family : kRandomFamilies) {
    for (const Index keys : {0, 1, 2, 31, 32, 33}) {
      FamilyParameters p = parameters(family, keys, 5);
      p.value_dim = 3;
      if (keys == 0 && family == InstanceFamily::needle) {
        CHECK_THROWS_AS(make_instance(p, Seed{1}, 0), InputError);
        continue;
      }
      const Instance drawn = make_instance(p, Seed{1}, 0);

      CHECK(drawn.query.size() == 5);
      CHECK(drawn.num_keys() == keys);
      CHECK(drawn.dim() == 5);
      CHECK(drawn.values.rows() == keys);
      CHECK(drawn.value_dim() == 3);
      CHECK((drawn.query.allFinite() && drawn.keys.allFinite() && drawn.values.allFinite()));
    }
  }
}

TEST_CASE("Query, keys and values are uncorrelated with the values, and no two trials share a number", "[unit]") {
  for (const InstanceFamily family : {InstanceFamily::gaussian, InstanceFamily::unit_sphere}) {
    const FamilyParameters p = parameters(family, 40, 50);
    const Instance drawn = make_instance(p, Seed{7}, 0), next = make_instance(p, Seed{7}, 1);
    const Matrix query = drawn.query.transpose().replicate(40, 1);

    // Cosines of independent 2000-vectors, isotropic row by row: deviation 1/sqrt(2000), and eight times that is met
    // with probability 1e-15. A stream used twice would give 1.
    const auto apart = [](const Matrix& a, const Matrix& b) {
      return std::abs(a.cwiseProduct(b).sum()) / (a.norm() * b.norm()) <= 8 / std::sqrt(2000.0);
    };
    CHECK(apart(drawn.keys, drawn.values));
    CHECK(apart(query, drawn.values));
    CHECK(apart(drawn.values, next.values));
    CHECK(apart(drawn.keys, next.keys));
  }
}

TEST_CASE("An instance is a function of seed and trial, to the bit for any number of threads", "[unit]") {
  for (const InstanceFamily family : kRandomFamilies) {
    const FamilyParameters p = parameters(family, 100, 7);
    const auto on_threads = [&](int count) {
      const Threads threads(count);
      return make_instance(p, Seed{1}, 4);
    };
    const Instance one = on_threads(1);

    for (const int count : {2, 16}) CHECK((on_threads(count) == one));
    for (const Instance& other : {make_instance(p, Seed{1}, 5), make_instance(p, Seed{2}, 4)}) {
      CHECK((one.query.array() != other.query.array()).all());
      CHECK((one.keys.array() != other.keys.array()).all());
    }
  }
}

TEST_CASE("The first keys of a larger instance are those of a smaller one", "[unit]") {
  for (const InstanceFamily family :
       {InstanceFamily::gaussian, InstanceFamily::unit_sphere, InstanceFamily::clustered,
        InstanceFamily::clustered_values, InstanceFamily::anisotropic, InstanceFamily::rotary_low_rank}) {
    const Instance small = make_instance(parameters(family, 10, 7), Seed{3}, 1);
    const Instance large = make_instance(parameters(family, 40, 7), Seed{3}, 1);

    CHECK(small.keys == large.keys.topRows(10));
    CHECK(small.values == large.values.topRows(10));
    const bool follows_the_keys = family == InstanceFamily::rotary_low_rank;  // it stands behind the last key
    CHECK((small.query == large.query) != follows_the_keys);
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
      const Instance background = of_family(InstanceFamily::gaussian, p, Seed{6}, 2);
      const Index needle = needle_index(33);

      // Two dot products of dim products, their norms, and a few roundings on the way.
      const double tolerance = (2 * real(dim) + 8) * kEpsilon;
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

TEST_CASE("Several needles lie apart, each at the cosine that was asked for", "[unit]") {
  FamilyParameters p = parameters(InstanceFamily::needle, 40, 16);
  p.needles = 4;
  const Instance drawn = make_instance(p, Seed{6}, 1);
  const Instance background = of_family(InstanceFamily::gaussian, p, Seed{6}, 1);

  for (Index j = 0; j < 40; ++j) {
    if (j % 10 != 5) {
      CHECK(drawn.keys.row(j) == background.keys.row(j));
      CHECK(drawn.values.row(j) == background.values.row(j));
    } else {
      CHECK(j == needle_index(40, j / 10, 4));
      CHECK(std::abs(cosine(drawn.query, drawn.keys.row(j)) - p.needle_cosine) <= 40 * kEpsilon);
      CHECK((drawn.values.row(j).array() == p.needle_value).all());
    }
  }
  CHECK(cosine(drawn.keys.row(5), drawn.keys.row(15)) < 1 - 1e-6);
  p.keys = 3;
  CHECK_THROWS_AS(make_instance(p, Seed{6}, 1), InputError);
}

TEST_CASE("The name of an instance says its shape and its own parameters, unasked those of every record", "[unit]") {
  const FamilyParameters unasked = parameters(InstanceFamily::gaussian, 40, 16);
  FamilyParameters asked = unasked;
  asked.needle_cosine = 0.75;
  asked.needles = 4;
  asked.sinks = 3;
  asked.clusters = 5;
  asked.cluster_spread = 0.25;
  asked.shared_value_variance = 0.125;
  asked.spectrum_decay = 1.5;
  asked.key_rank = 6;
  asked.key_noise = 0.0625;
  const struct {
    InstanceFamily family;
    const char *name, *unasked, *asked;
  } rows[] = {{InstanceFamily::gaussian, "gaussian", "", ""},
              {InstanceFamily::needle, "needle", " cos=0.9 needles=1", " cos=0.75 needles=4"},
              {InstanceFamily::attention_sink, "attention-sink", " cos=0.9 sinks=4", " cos=0.75 sinks=3"},
              {InstanceFamily::clustered, "clustered", " clusters=16 spread=0.3", " clusters=5 spread=0.25"},
              {InstanceFamily::clustered_values, "clustered-values", " clusters=16 spread=0.3 shared=0.5",
               " clusters=5 spread=0.25 shared=0.125"},
              {InstanceFamily::anisotropic, "anisotropic", " decay=0.5", " decay=1.5"},
              {InstanceFamily::sink_mean, "sink-mean", "", ""},
              {InstanceFamily::rotary_low_rank, "rotary-low-rank", " rank=16 noise=0.3", " rank=6 noise=0.0625"}};
  for (const auto& row : rows) {
    const std::string begin = std::string(row.name) + "(N=40 d=16";
    CHECK(of_family(row.family, unasked, Seed{1}).name == begin + row.unasked + ")");
    CHECK(of_family(row.family, asked, Seed{1}).name == begin + row.asked + ")");
  }
}

TEST_CASE("Sinks are the first keys, turned to the query, with short values", "[unit]") {
  FamilyParameters p = parameters(InstanceFamily::attention_sink, 20, 16);
  p.sinks = 2;
  const Instance drawn = make_instance(p, Seed{7}, 1);
  const Instance background = of_family(InstanceFamily::gaussian, p, Seed{7}, 1);

  for (Index j = 0; j < 2; ++j) {
    CHECK(std::abs(cosine(drawn.query, drawn.keys.row(j)) - p.needle_cosine) <= 40 * kEpsilon);
    CHECK((drawn.values.row(j) - p.sink_value * background.values.row(j)).norm() <= kEpsilon);
  }
  CHECK(drawn.keys.bottomRows(18) == background.keys.bottomRows(18));
  CHECK(drawn.values.bottomRows(18) == background.values.bottomRows(18));
}

TEST_CASE("The first key of sink-mean has its length and mass, and the other logits are normal by its law", "[unit]") {
  const Index keys = 4096, dim = 64, others = keys - 1;
  const int trials = 8;
  double share = 0, cosines = 0, deviation = 0, fourth = 0;
  for (std::uint32_t trial = 0; trial < trials; ++trial) {
    const FamilyParameters p = parameters(InstanceFamily::sink_mean, keys, dim);
    const Instance drawn = make_instance(p, Seed{8}, trial);
    const Instance background = of_family(InstanceFamily::gaussian, p, Seed{8}, trial);
    const Vector logits = drawn.keys * drawn.query / 8;
    const Matrix rest = drawn.keys.bottomRows(others);

    // A logit of up to 2^6 is off by some 2^-46, an exponential by as much of itself.
    const double mass = 1 / (logits.array() - logits(0)).exp().sum();
    CHECK(std::abs(mass / 0.24 - 1) <= std::ldexp(1, -40));
    CHECK(std::abs(drawn.keys.row(0).norm() - 0.32 * 8) <= 64 * kEpsilon);
    CHECK(std::abs(drawn.query.norm() * std::sqrt(0.51) / (3.4 * 8) - 1) <= 64 * kEpsilon);
    CHECK(drawn.values.row(0) == 0.25 * background.values.row(0));
    CHECK(drawn.values.bottomRows(others) == background.values.bottomRows(others));

    const Eigen::ArrayXd centred = logits.tail(others).array() - logits.tail(others).mean();
    share += rest.colwise().mean().norm() / 8 / trials;
    cosines += logits.tail(others).mean() / drawn.query.norm() / trials;
    deviation += std::sqrt(centred.square().mean()) / trials;
    fourth += centred.pow(4).mean() / std::pow(centred.square().mean(), 2) / trials;
  }
  // Of n normal numbers of deviation c the mean has deviation c / sqrt(n), their deviation c / sqrt(2n) and the fourth
  // moment over the squared second sqrt(24 / n), in all trials together. The share has c = sqrt(0.51) / 8, too large by
  // 0.51 / (2 0.7 keys) for the part across the mean. Five deviations.
  const double n = static_cast<double>(trials * others), unit = std::sqrt(0.51) / 8;
  CHECK(std::abs(share - 0.7 - 0.51 / (1.4 * others)) <= 5 * unit / std::sqrt(n));
  CHECK(std::abs(cosines + 0.29) <= 5 * unit / std::sqrt(n));
  CHECK(std::abs(deviation - 3.4) <= 5 * 3.4 / std::sqrt(2 * n));
  CHECK(std::abs(fourth - 3) <= 5 * std::sqrt(24 / n));
}

TEST_CASE("A query too short for the sink has the first key along it, and in one dimension there is none", "[unit]") {
  FamilyParameters p = parameters(InstanceFamily::sink_mean, 50, 8);
  p.query_norm = 1e-3;
  const Instance drawn = make_instance(p, Seed{8}, 0);
  CHECK(std::abs(cosine(drawn.query, drawn.keys.row(0)) - 1) <= 40 * kEpsilon);
  p.dim = 1;
  CHECK_THROWS_WITH(make_instance(p, Seed{8}, 0), "sink-mean: dim is 1: allowed are 2 and more");
}

TEST_CASE("Without noise rotary keys, turned back, span the rank that was asked for", "[unit]") {
  const Index dim = 8, keys = 30, rank = 3;
  FamilyParameters p = parameters(InstanceFamily::rotary_low_rank, keys, dim);
  p.key_rank = rank;
  p.key_noise = 0;
  const Instance drawn = make_instance(p, Seed{8}, 0);

  Matrix turned_back(keys + 1, dim);
  for (Index j = 0; j <= keys; ++j) {
    const Vector row = j < keys ? Vector(drawn.keys.row(j)) : drawn.query;
    for (Index i = 0; i < dim; i += 2) {
      const std::complex<double> pair(row(i), row(i + 1));
      const auto back = pair * std::polar(1.0, -double(j) * std::pow(10000.0, -double(i) / double(dim)));
      turned_back(j, i) = back.real();
      turned_back(j, i + 1) = back.imag();
    }
  }

  // An angle of up to `keys` radians carries keys * epsilon; singular values move by the error's norm at most (Weyl).
  const Vector sizes = Eigen::JacobiSVD<Matrix>(turned_back).singularValues();
  CHECK(sizes(rank - 1) > 0.1 * sizes(0));
  CHECK(sizes(rank) <= 4 * double(keys) * kEpsilon * sizes(0));
  CHECK(Eigen::JacobiSVD<Matrix>(drawn.keys).singularValues()(rank) > 0.1 * sizes(0));
}

TEST_CASE("Rotary keys keep a mean square of one, and full noise is the Gaussian family, rotated", "[unit]") {
  FamilyParameters p = parameters(InstanceFamily::rotary_low_rank, 400, 128);
  p.key_rank = 128;
  p.key_noise = 0.5;
  const Instance drawn = make_instance(p, Seed{9}, 0);
  p.key_noise = 1;
  const Instance noise = make_instance(p, Seed{9}, 0);
  const Instance gaussian = of_family(InstanceFamily::gaussian, p, Seed{9});

  // Given A the mean square is (1-noise^2) |A|^2/(rank dim) + noise^2: 4 deviations of chi-square with rank dim and
  // with rank degrees of freedom a key.
  const double spread = std::sqrt(2.0 / (128 * 128)) + std::sqrt(2.0 / (128 * 400));
  CHECK(std::abs(drawn.keys.squaredNorm() / (400 * 128) - 1) <= 4 * spread);
  CHECK((noise.keys.rowwise().norm() - gaussian.keys.rowwise().norm()).cwiseAbs().maxCoeff() <=
        128 * kEpsilon * gaussian.keys.norm());
}

TEST_CASE("Keys of one cluster lie close together, and the query in cluster 0", "[unit]") {
  const Instance drawn = make_instance(
      {.family = InstanceFamily::clustered, .keys = 64, .dim = 512, .clusters = 4, .cluster_spread = 0.1}, Seed{7}, 0);

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
  const Instance gaussian = of_family(InstanceFamily::gaussian, p, Seed{8});

  // Of the spread .6 the centres are sqrt(1 - .36) = .8, each taken from an instance that has nothing else.
  p.cluster_spread = 0.6;
  const Instance between = make_instance(p, Seed{8}, 0);
  const Matrix expected = 0.8 * tight.keys + 0.6 * loose.keys;
  CHECK((between.keys - expected).cwiseAbs().maxCoeff() <= 8 * kEpsilon * expected.cwiseAbs().maxCoeff());
  const Vector query = 0.8 * tight.query + 0.6 * loose.query;
  CHECK((between.query - query).cwiseAbs().maxCoeff() <= 8 * kEpsilon * query.cwiseAbs().maxCoeff());
  CHECK(tight.keys.row(0) == tight.keys.row(6));
  CHECK(tight.keys.row(0) == tight.query.transpose());
  CHECK(tight.keys.row(0) != tight.keys.row(1));
  CHECK(loose.keys == gaussian.keys);
}

TEST_CASE("A cluster's values share the part that was asked for, and its keys are the clustered family's", "[unit]") {
  FamilyParameters p = parameters(InstanceFamily::clustered, 64, 5);
  p.clusters = 4;
  p.value_dim = 512;
  const Instance own = make_instance(p, Seed{7}, 0);
  p.family = InstanceFamily::clustered_values;
  const auto with_shared = [&](double share) {
    p.shared_value_variance = share;
    return make_instance(p, Seed{7}, 0);
  };
  const Instance half = with_shared(0.5), all = with_shared(1), mostly = with_shared(0.75);

  CHECK((half.keys == own.keys && half.query == own.query));
  CHECK(with_shared(0).values == own.values);
  for (Index j = 0; j < 64; ++j) {
    CHECK(all.values.row(j) == all.values.row(j % 4));
    // Cosine 1/2 within a cluster and 0 across, of vectors with 512 entries: a deviation below 1/sqrt(512) = .044.
    const double together = cosine(half.values.row(1), half.values.row(j));
    if (j != 1) CHECK(std::abs(together - (j % 4 == 1 ? 0.5 : 0)) < 0.25);
  }
  // sqrt(3)/2 of the centre and 1/2 of the noise, each taken from an instance that has nothing else.
  const Matrix expected = std::sqrt(0.75) * all.values + 0.5 * own.values;
  CHECK((mostly.values - expected).cwiseAbs().maxCoeff() <= 8 * kEpsilon * expected.cwiseAbs().maxCoeff());
}

TEST_CASE("The anisotropic spectrum decays as asked and keeps the mean square; without decay it is the Gaussian family",
          "[unit]") {
  FamilyParameters p = parameters(InstanceFamily::anisotropic, 5, 16);
  p.spectrum_decay = 1;
  const Instance drawn = make_instance(p, Seed{9}, 0);
  const Instance gaussian = of_family(InstanceFamily::gaussian, p, Seed{9});

  const Vector scale = drawn.keys.row(0).array() / gaussian.keys.row(0).array();
  CHECK(std::abs(scale.squaredNorm() / 16 - 1) <= 32 * kEpsilon);
  for (Index c = 0; c < 16; ++c) {
    CHECK(std::abs(scale(c) * real(c + 1) / scale(0) - 1) <= 8 * kEpsilon);
    CHECK(std::abs(drawn.query(c) / gaussian.query(c) / scale(c) - 1) <= 8 * kEpsilon);
  }
  p.spectrum_decay = 0;
  CHECK(make_instance(p, Seed{9}, 0).keys == gaussian.keys);  // sqrt(16) is exact
}
