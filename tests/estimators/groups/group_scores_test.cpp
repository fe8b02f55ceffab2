#include "estimators/groups/group_scores.hpp"

#include "tests/numbers.hpp"

using namespace skt;

namespace {

constexpr double kNothing = -std::numeric_limits<double>::infinity();

// Two heads with weights 1, 2, 4, 1 and 8, 1, 1, 6: sums 8 and 16.
Matrix two_heads() {
  Matrix x(2, 4);
  x << 0, 1, 2, 0, 3, 0, 0, std::log2(6.0);
  return x;
}

}  // namespace

TEST_CASE("Normalisers of two heads worked out by hand", "[unit]") {
  const std::vector<Allowed> mask{Allowed::no, Allowed::yes, Allowed::yes, Allowed::yes};

  const Vector all = log2_normalisers(two_heads(), Normaliser::all_keys, {});
  const Vector masked = log2_normalisers(two_heads(), Normaliser::all_keys, mask);
  const Vector largest = log2_normalisers(two_heads(), Normaliser::largest, {});

  CHECK(all(0) == 3);
  CHECK(all(1) == Approx(4).epsilon(1e-15));
  CHECK(masked(0) == Approx(std::log2(7)).epsilon(1e-15));
  CHECK(masked(1) == Approx(3).epsilon(1e-15));
  CHECK(largest == Vector{{2.0, 3.0}});
  CHECK(log2_normalisers(two_heads(), Normaliser::none, {}) == Vector::Zero(2));
}

TEST_CASE("Group scores of two heads worked out by hand", "[unit]") {
  const Vector c{{3.0, 4.0}};  // shares 1/8, 2/8, 4/8, 1/8 and 8/16, 1/16, 1/16, 6/16

  const Vector sum = group_scores(two_heads(), c, GroupScore::sum);
  const Vector largest = group_scores(two_heads(), c, GroupScore::largest);

  const Vector sums = Vector{{10.0, 5.0, 9.0, 8.0}} / 16, maxima = Vector{{8.0, 4.0, 8.0, 6.0}} / 16;
  for (Index j = 0; j < 4; ++j) {
    CHECK(std::exp2(sum(j)) == Approx(sums(j)).epsilon(1e-14));
    CHECK(std::exp2(largest(j)) == Approx(maxima(j)).epsilon(1e-14));
  }
}

TEST_CASE("A weight of 0 adds nothing, and a head of such weights has normaliser 1", "[unit]") {
  Matrix x(2, 3);
  x << kNothing, kNothing, kNothing, 5, kNothing, 7;

  const Vector c = log2_normalisers(x, Normaliser::all_keys, {});
  const Vector scores = group_scores(x, Vector{{0.0, 4.0}}, GroupScore::sum);

  CHECK(c(0) == 0);
  CHECK(c(1) == Approx(std::log2(160.0)));
  CHECK(scores == Vector{{1.0, kNothing, 3.0}});
  CHECK(log2_normalisers(Matrix(1, 0), Normaliser::sampled_tiles, {}) == Vector::Zero(1));
}

TEST_CASE("Weights far beyond the range of double keep their order", "[unit]") {
  Matrix x(2, 3);
  x << 5000, 5001, -5000, 5000, 4000, -5000;

  const Vector scores = group_scores(x, log2_normalisers(x, Normaliser::none, {}), GroupScore::sum);

  CHECK(scores == Vector{{5001.0, 5001.0, -4999.0}});
}

TEST_CASE("The sample is all tiles up to 16, then the ends and 14 between", "[unit]") {
  CHECK(sampled_tiles(0).empty());
  CHECK(sampled_tiles(64) == std::vector<Index>{0});
  CHECK(sampled_tiles(65) == std::vector<Index>{0, 1});
  CHECK(sampled_tiles(1024).size() == 16);
  // T = 17: 15 tiles between for 14 places, of which floor(27 * 15 / 28) = 14 is the last; tile 8 is not read.
  CHECK(sampled_tiles(1025) == std::vector<Index>{0, 1, 2, 3, 4, 5, 6, 7, 9, 10, 11, 12, 13, 14, 15, 16});
  // T = 58: 1 + floor((2i + 1) 2) = 3, 7, .. 55.
  CHECK(sampled_tiles(58 * 64) == std::vector<Index>{0, 3, 7, 11, 15, 19, 23, 27, 31, 35, 39, 43, 47, 51, 55, 57});
  for (const Index keys : {1025, 4096, 8191, 145408, 1 << 20}) {
    const std::vector<Index> tiles = sampled_tiles(keys);
    double stood_for = 0;
    for (const Index tile : tiles) stood_for += tile_weight(tile, keys);
    CHECK(std::set<Index>(tiles.begin(), tiles.end()).size() == 16);
    CHECK(stood_for == Approx(std::ceil(static_cast<double>(keys) / 64)));
  }
}

TEST_CASE("A sampled normaliser weighs the tiles between and leaves forbidden keys out", "[unit]") {
  const Index keys = 58 * 64 - 63;  // 58 tiles, the last of one key
  Matrix x = Matrix::Zero(1, keys);
  x(0, 3 * 64 + 5) = 10;  // in a tile that is read, which stands for 4
  x(0, 4 * 64) = 20;      // in one that is not
  x(0, keys - 1) = 7;
  std::vector<Allowed> mask(keys, Allowed::yes);

  const Vector open = log2_normalisers(x, Normaliser::sampled_tiles, {});
  mask[3 * 64 + 5] = mask[0] = Allowed::no;
  const Vector masked = log2_normalisers(x, Normaliser::sampled_tiles, mask);

  CHECK(std::exp2(open(0)) == Approx(64 + 128 + 4.0 * (14 * 64 - 1 + 1024)).epsilon(1e-13));
  CHECK(std::exp2(masked(0)) == Approx(63 + 128 + 4.0 * (14 * 64 - 1)).epsilon(1e-13));
}

TEST_CASE("Logarithms of tiles are averaged, without the tiles that have no weight", "[unit]") {
  const Index keys = 58 * 64;  // 14 tiles between stand for 56
  Matrix x = Matrix::Zero(1, keys);
  x.block(0, 3 * 64, 1, 64).setConstant(14);  // 2^14 times as heavy as the others: 2^1 in the mean of 14 logarithms
  std::vector<Allowed> mask(keys, Allowed::yes);

  const Vector open = log2_normalisers(x, Normaliser::tile_logs, {});
  for (Index j = 3 * 64; j < 56 * 64; ++j) mask[j] = j / 64 == 7 || j / 64 == 11 ? Allowed::yes : Allowed::no;
  const Vector masked = log2_normalisers(x, Normaliser::tile_logs, mask);
  for (Index j = 64; j < keys - 64; ++j) mask[j] = Allowed::no;
  const Vector ends = log2_normalisers(x, Normaliser::tile_logs, mask);

  CHECK(std::exp2(open(0)) == Approx(128 + 56 * 64 * 2).epsilon(1e-13));
  CHECK(std::exp2(masked(0)) == Approx(128 + 56 * 64 * 2.0 / 14).epsilon(1e-13));
  CHECK(ends(0) == Approx(7));
  const Matrix few = two_heads();
  CHECK(log2_normalisers(few, Normaliser::tile_logs, {}) == log2_normalisers(few, Normaliser::sampled_tiles, {}));
}

TEST_CASE("Exponents that are no logarithms of weights are refused", "[unit]") {
  Matrix x = two_heads();
  x(1, 2) = std::nan("");

  CHECK_THROWS_AS(log2_normalisers(x, Normaliser::none, {}), InputError);
  x(1, 2) = std::numeric_limits<double>::infinity();
  CHECK_THROWS_WITH(log2_normalisers(x, Normaliser::largest, {}),
                    "head 1, key 2: the logarithm of its weight is inf; allowed are finite numbers and -inf");
  CHECK_THROWS_AS(log2_normalisers(two_heads(), Normaliser::all_keys, std::vector<Allowed>(3)), InputError);
  CHECK_THROWS_AS(group_scores(two_heads(), Vector::Zero(3), GroupScore::sum), InputError);
  CHECK_THROWS_AS(group_scores(Matrix(0, 3), Vector(), GroupScore::sum), InputError);
}
