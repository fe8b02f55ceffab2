#include "estimators/key_codes.hpp"

#include "sim/families.hpp"
#include "tests/estimators/plain_formulas.hpp"
#include "tests/normal_draws.hpp"
#include "tests/numbers.hpp"
#include "tests/threads.hpp"

using namespace skt;

namespace {

const Seed kCodeSeed{21};

// Keys so nearly orthogonal to one plane each that the bit of this plane is decided by rounding alone.
Matrix keys_on_planes(const Hyperplanes& hyperplanes, Index keys) {
  Matrix drawn = normal_matrix(kCodeSeed, 9, keys, hyperplanes.dim);
  for (Index j = 0; j < keys; ++j) {
    const Vector w = hyperplanes.rows.row(j % hyperplanes.rows.rows());
    for (int pass = 0; pass < 2; ++pass) drawn.row(j) -= drawn.row(j).dot(w) / w.squaredNorm() * w.transpose();
  }
  return drawn;
}

std::vector<Index> shuffled(Index n) {
  std::vector<Index> order(n);
  std::iota(order.begin(), order.end(), Index{0});
  std::vector<double> draws(order.size());
  fill_uniform(kCodeSeed, {Role::test_draw, 77}, draws);
  std::sort(order.begin(), order.end(), [&](Index a, Index b) { return draws[a] < draws[b]; });
  return order;
}

}  // namespace

TEST_CASE("Bits and corners are the same bijection, plane 0 first", "[unit]") {
  for (Index planes = 1; planes <= 12; ++planes) {
    for (std::uint32_t code = 0; code < 1u << planes; ++code) {
      std::vector<double> corners;
      for (Index p = 0; p < planes; ++p) corners.push_back(corner(code, p, planes));
      REQUIRE(encode_bits(corners) == code);
    }
  }
  CHECK(encode_bits(std::vector{1.0, -1.0, -1.0}) == 4);
  CHECK(encode_bits(std::vector{0.0, -0.0, -1e-320}) == 6);
  CHECK(encode_bits(std::vector<double>(30, 1.0)) == (1u << 30) - 1);
}

TEST_CASE("Codes are the signs of plain dot products outside their rounding error", "[unit]") {
  struct Shape {
    Index keys, tables, planes, dim;
  };
  for (const Shape& s : {Shape{0, 3, 4, 5}, Shape{1, 1, 1, 1}, Shape{31, 2, 3, 1}, Shape{32, 7, 10, 128},
                         Shape{33, 60, 10, 16}, Shape{1500, 3, 20, 24}, Shape{257, 2, 30, 8}}) {
    const Hyperplanes hyperplanes = draw_hyperplanes(kCodeSeed, 0, s.tables, s.planes, s.dim);
    const Matrix keys = normal_matrix(kCodeSeed, 1, s.keys, s.dim);

    const KeyCodes codes = hash_keys(hyperplanes, keys);

    REQUIRE(codes.keys == s.keys);
    REQUIRE(std::ssize(codes.codes) == s.tables * s.keys);
    Index left_out = 0;
    for (Index l = 0; l < s.tables; ++l) {
      for (Index j = 0; j < s.keys; ++j) {
        REQUIRE(codes.table(l)[j] < std::uint64_t{1} << s.planes);
        for (Index p = 0; p < s.planes; ++p) {
          const auto row = hyperplanes.rows.row(l * s.planes + p);
          const long double exact = plain_dot(row, keys.row(j));
          if (!(std::abs(exact) > dot_error(row, keys.row(j))))
            ++left_out;
          else
            REQUIRE((corner(codes.table(l)[j], p, s.planes) > 0) == (exact >= 0));
        }
      }
    }
    // P(|w.k| <= error) is about 2 phi(0) gamma_dim: of the at most 90,000 bits here, less than 1e-9 in the mean.
    CHECK(left_out == 0);
  }
}

TEST_CASE("A code depends on nothing but the key, even where rounding decides the bit", "[unit]") {
  for (const Index dim : {Index{2}, Index{3}, Index{64}, Index{300}}) {
    const Hyperplanes hyperplanes = draw_hyperplanes(kCodeSeed, 0, 9, 7, dim);
    const Index n = 700;
    const Matrix keys = keys_on_planes(hyperplanes, n);
    const KeyCodes codes = hash_keys(hyperplanes, keys);
    const std::vector<Index> order = shuffled(n);

    const KeyCodes permuted = hash_keys(hyperplanes, Matrix(keys(order, Eigen::all)));
    KeyCodes pieces = room_for_codes(hyperplanes, n);
    for (Index first = 0, size = 1; first < n; first += size, size = std::min(2 * size + 1, n - first))
      hash_keys_into(pieces, first, hyperplanes, keys.middleRows(first, size));
    const KeyCodes serial = [&] {
      const Threads one(1);
      return hash_keys(hyperplanes, keys);
    }();
    const KeyCodes parallel = [&] {
      const Threads four(4);
      return hash_keys(hyperplanes, keys);
    }();

    for (Index l = 0; l < 9; ++l)
      for (Index j = 0; j < n; ++j) REQUIRE(permuted.table(l)[j] == codes.table(l)[order[j]]);
    CHECK(pieces.codes == codes.codes);
    CHECK(serial.codes == codes.codes);
    CHECK(parallel.codes == codes.codes);
    for (Index j = 0; j < n; j += 50) CHECK(hash_query(hyperplanes, keys.row(j).transpose()) == codes_of_key(codes, j));
  }
}

TEST_CASE("Codes ignore the length of a key and are complemented by its sign", "[unit]") {
  const Hyperplanes hyperplanes = draw_hyperplanes(kCodeSeed, 2, 5, 11, 48);
  const Matrix keys = normal_matrix(kCodeSeed, 3, 100, 48);
  const KeyCodes codes = hash_keys(hyperplanes, keys);

  for (const double factor : {0x1p-300, 1e-5, 3.7, 0x1p300})
    CHECK(hash_keys(hyperplanes, keys * factor).codes == codes.codes);
  const KeyCodes negated = hash_keys(hyperplanes, -keys);
  for (std::size_t i = 0; i < codes.codes.size(); ++i) REQUIRE(negated.codes[i] == (codes.codes[i] ^ 0x7ffu));
}

TEST_CASE("A zero key lies in the all-ones bucket of every table", "[unit]") {
  const Hyperplanes hyperplanes = draw_hyperplanes(kCodeSeed, 2, 3, 30, 4);

  CHECK(hash_keys(hyperplanes, Matrix::Zero(2, 4)).codes == std::vector<std::uint32_t>(6, (1u << 30) - 1));
  CHECK(hash_query(hyperplanes, -Vector::Zero(4)) == std::vector<std::uint32_t>(3, (1u << 30) - 1));
}

TEST_CASE("Keys of another dim or without finite projections are refused by number", "[unit]") {
  const Hyperplanes hyperplanes = draw_hyperplanes(kCodeSeed, 2, 60, 10, 4);
  Matrix keys = normal_matrix(kCodeSeed, 3, 900, 4);
  CHECK_THROWS_AS(hash_keys(hyperplanes, Matrix::Ones(3, 5)), InputError);

  keys(700, 2) = std::numeric_limits<double>::quiet_NaN();
  keys(613, 1) = std::numeric_limits<double>::infinity();

  CHECK_THROWS_WITH(hash_keys(hyperplanes, keys), Catch::Matchers::StartsWith("key 613:"));
}

TEST_CASE("A projection that is not finite is refused in whichever table it is", "[unit]") {
  // 60 tables of 10 planes are hashed 51 and 9 at a time.
  Matrix keys = Matrix::Ones(5, 2);
  keys(3, 0) = 1e200;
  for (const Index row : {Index{0}, Index{509}, Index{510}, Index{599}}) {
    Matrix rows = Matrix::Ones(600, 2);
    rows(row, 0) = 1e200;
    CHECK_THROWS_WITH(hash_keys(given_hyperplanes(60, 10, rows), keys), Catch::Matchers::StartsWith("key 3:"));
  }
}

TEST_CASE("A bad key of a later piece is refused by its number among all keys", "[unit]") {
  const Hyperplanes hyperplanes = draw_hyperplanes(kCodeSeed, 2, 3, 4, 2);
  Matrix piece = Matrix::Ones(20, 2);
  piece(7, 1) = std::numeric_limits<double>::infinity();
  KeyCodes codes = room_for_codes(hyperplanes, 200);

  CHECK_THROWS_WITH(hash_keys_into(codes, 100, hyperplanes, piece), Catch::Matchers::StartsWith("key 107:"));
}

TEST_CASE("The leading planes are those that are drawn for fewer planes, and hash alike", "[unit]") {
  const Matrix keys = make_instance({.keys = 50, .dim = 6}, Seed{1}, 0).keys;
  const Hyperplanes wide = draw_hyperplanes(Seed{2}, 3, 4, 7, 6);
  const KeyCodes codes = hash_keys(wide, keys);

  for (const Index planes : {1, 3, 7}) {
    const Hyperplanes drawn = draw_hyperplanes(Seed{2}, 3, 4, planes, 6);

    CHECK(leading_planes(wide, planes).rows == drawn.rows);
    CHECK(leading_planes(wide, planes).planes == planes);
    CHECK(leading_planes(codes, planes).codes == hash_keys(drawn, keys).codes);
    CHECK(leading_planes(codes, planes).planes == planes);
  }
}

TEST_CASE("No planes, or more than there are, are refused", "[unit]") {
  const Hyperplanes wide = draw_hyperplanes(Seed{2}, 3, 4, 7, 6);
  for (const Index planes : {0, 8}) {
    CHECK_THROWS_AS(leading_planes(wide, planes), InputError);
    CHECK_THROWS_AS(leading_planes(KeyCodes{1, 7, 1, {5}}, planes), InputError);
  }
}
