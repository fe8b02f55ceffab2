#include "estimators/peers/lsh_attention.hpp"

#include "estimators/attention.hpp"
#include "tests/numbers.hpp"

using namespace skt;

namespace {

Matrix normals(std::uint32_t trial, Index rows, Index cols) {
  Matrix m(rows, cols);
  fill_normal(Seed{5}, {Role::test_draw, trial, 0, 0, 0}, {m.data(), std::size_t(rows * cols)});
  return m;
}

}  // namespace

TEST_CASE("Sorting keeps the order within a bucket and counts its pairs", "[unit]") {
  const std::vector<std::uint32_t> signatures{0b110, 0b011, 0b110, 0b000, 0b011, 0b110};

  const SortedBuckets buckets = sort_into_buckets(signatures);

  CHECK(buckets.order == std::vector<Index>{3, 1, 4, 0, 2, 5});
  CHECK(buckets.begin == std::vector<Index>{0, 1, 3, 6});
  CHECK(buckets.bucket_of == std::vector<Index>{2, 1, 2, 0, 1, 2});
  CHECK(attended_pairs(buckets) == 1 + 4 + 9);
}

TEST_CASE("A pair that meets in two rounds is attended once", "[unit]") {
  const std::vector<SortedBuckets> rounds{sort_into_buckets(std::vector<std::uint32_t>{1, 1, 0}),
                                          sort_into_buckets(std::vector<std::uint32_t>{1, 1, 1})};

  CHECK(attended_tokens(rounds, 0) == std::vector<Index>{0, 1, 2});
  CHECK(attended_tokens({rounds.data(), 1}, 0) == std::vector<Index>{0, 1});
  CHECK(attended_tokens({rounds.data(), 1}, 2) == std::vector<Index>{2});
}

TEST_CASE("Bucketed attention is dense attention under the mask of the rounds", "[unit]") {
  const Index tokens = 33, dim = 6;
  const Matrix x = normals(0, tokens, dim), queries = normals(1, tokens, dim), values = normals(2, tokens, 3);
  const KeyCodes signatures = hash_keys(draw_hyperplanes(Seed{9}, 0, 3, 2, dim), x);

  const Matrix output = lsh_attention(queries, x, values, signatures);

  for (Index i = 0; i < tokens; ++i) {
    std::vector<Allowed> mask(std::size_t(tokens), Allowed::no);
    for (Index r = 0; r < 3; ++r) {
      for (Index j = 0; j < tokens; ++j) {
        if (signatures.table(r)[i] == signatures.table(r)[j]) mask[j] = Allowed::yes;
      }
    }
    const Vector expected = *dense_attention(queries.row(i).transpose(), x, values, mask);
    // The same exponentials summed over at most 33 terms, in another order.
    CHECK((output.row(i).transpose() - expected).norm() <= 4 * 33 * kEpsilon * values.rowwise().norm().maxCoeff());
  }
}

TEST_CASE("Tokens in one bucket attend densely, tokens alone return their own value", "[unit]") {
  const Index tokens = 7;
  const Matrix x = normals(3, tokens, 4), values = normals(4, tokens, 2);
  const KeyCodes together{1, 1, tokens, std::vector<std::uint32_t>(7, 1)};
  std::vector<std::uint32_t> distinct(7);
  std::iota(distinct.begin(), distinct.end(), 0u);

  const Matrix dense = lsh_attention(x, x, values, together);

  CHECK((dense.row(2).transpose() - *dense_attention(x.row(2).transpose(), x, values, {})).norm() <=
        4 * 7 * kEpsilon * values.rowwise().norm().maxCoeff());
  CHECK(lsh_attention(x, x, values, KeyCodes{1, 3, tokens, distinct}) == values);
  CHECK_THROWS_AS(lsh_attention(x, x, values.topRows(3), together), InputError);
}

TEST_CASE("The number of realisable signatures follows Cover's count", "[unit]") {
  CHECK(realisable_signatures(3, 3) == 8);
  CHECK(realisable_signatures(6, 6) == 64);
  CHECK(realisable_signatures(5, 2) == 10);
  CHECK(realisable_signatures(6, 3) == 32);
  CHECK(realisable_signatures(6, 4) == 52);
  CHECK(realisable_signatures(63, 63) == std::uint64_t{1} << 63);
  CHECK(realisable_signatures(63, 1) == 2);
  CHECK_THROWS_AS(realisable_signatures(64, 2), InputError);
}

TEST_CASE("Every signature that planes in the plane can realise is met on a circle, and no other", "[unit]") {
  // Five lines through the origin cut the circle into ten arcs. The narrowest arc of this draw is far wider than the
  // step, which the count itself shows.
  const Hyperplanes planes = draw_hyperplanes(Seed{2}, 0, 1, 5, 2);
  const Index steps = 20000;
  Matrix circle(steps, 2);
  for (Index s = 0; s < steps; ++s) {
    const double angle = 2 * std::numbers::pi * double(s) / double(steps);
    circle.row(s) << std::cos(angle), std::sin(angle);
  }

  const KeyCodes codes = hash_keys(planes, circle);

  CHECK(std::set<std::uint32_t>(codes.codes.begin(), codes.codes.end()).size() == realisable_signatures(5, 2));
}

TEST_CASE("More planes miss more neighbours, more rounds miss fewer", "[unit]") {
  const double angle = 0.2 * std::numbers::pi;

  CHECK(std::abs(miss_probability(angle, 1, 1) - 0.2) <= 4 * kEpsilon);
  CHECK(std::abs(miss_probability(angle, 4, 1) - 0.5904) <= 8 * kEpsilon);
  CHECK(std::abs(miss_probability(angle, 4, 2) - 0.5904 * 0.5904) <= 8 * kEpsilon);
  CHECK(miss_probability(0, 4, 1) == 0);
}
