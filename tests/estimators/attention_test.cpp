#include "estimators/attention.hpp"

#include "tests/estimators/plain_formulas.hpp"
#include "tests/normal_draws.hpp"
#include "tests/numbers.hpp"

using namespace skt;

namespace {

const Seed kAttentionSeed{28};
constexpr double kForbidden = -std::numeric_limits<double>::infinity();

std::vector<Index> all_keys(Index keys) {
  std::vector<Index> all(keys);
  std::iota(all.begin(), all.end(), Index{0});
  return all;
}

// A weight e^{x - max}/sum has an argument off by the rounding of its difference, |x - max| u, an exp, a sum of n terms
// and a quotient.
double weight_error(double spread, Index n) {
  return gamma_of(2 * spread + real(n) + 5);
}

}  // namespace

TEST_CASE("Softmax is e^x over its sum", "[unit]") {
  for (const Index n : {Index{1}, Index{31}, Index{32}, Index{33}, Index{1000}}) {
    const Vector logits = 5 * normal_vector(kAttentionSeed, 1, n);
    const Vector weights = *softmax(logits);

    long double sum = 0;
    for (const double x : logits) sum += std::exp((long double)x);
    const double allowed = weight_error(logits.maxCoeff() - logits.minCoeff(), n);
    for (Index j = 0; j < n; ++j) {
      const auto exact = static_cast<double>(std::exp((long double)logits[j]) / sum);
      REQUIRE(std::abs(weights[j] - exact) <= allowed * exact);
    }
    CHECK(std::abs(weights.sum() - 1) <= gamma_of(2 * real(n) + 2));
  }
}

TEST_CASE("Softmax neither overflows nor counts a forbidden key", "[unit]") {
  CHECK(*softmax(Vector{{1e4, 1e4, kForbidden, -1e308}}) == Vector{{0.5, 0.5, 0, 0}});
  CHECK(!softmax(Vector{{kForbidden, kForbidden}}));
  CHECK(!softmax(Vector()));
  CHECK_THROWS_WITH(softmax(Vector{{0, NAN}}), Catch::Matchers::StartsWith("logit 1 "));
  CHECK_THROWS_AS(softmax(Vector{{-kForbidden, 1}}), InputError);
}

TEST_CASE("Logits are q.k/sqrt(dim)", "[unit]") {
  const Matrix keys = normal_matrix(kAttentionSeed, 2, 40, 9);
  const Vector query = normal_vector(kAttentionSeed, 3, 9);

  const Vector logits = scaled_logits(query, keys);

  for (Index j = 0; j < 40; ++j) {
    const auto exact = static_cast<double>(plain_dot(keys.row(j), query) / 3);
    CHECK(std::abs(logits[j] - exact) <= dot_error(keys.row(j), query) / 3 + gamma_of(2) * std::abs(exact));
  }
  CHECK_THROWS_AS(scaled_logits(Vector::Ones(8), keys), InputError);
}

TEST_CASE("Attention over every key in index order is dense attention, bit for bit", "[unit]") {
  const Matrix keys = normal_matrix(kAttentionSeed, 4, 77, 16), values = normal_matrix(kAttentionSeed, 5, 77, 3);
  const Vector query = normal_vector(kAttentionSeed, 6, 16);

  CHECK(*sparse_attention(scaled_logits(query, keys), values, all_keys(77)) ==
        *dense_attention(query, keys, values, {}));
}

TEST_CASE("Attention is the softmax-weighted mean of the selected values in any order", "[unit]") {
  const Matrix keys = normal_matrix(kAttentionSeed, 4, 50, 8), values = normal_matrix(kAttentionSeed, 5, 50, 4);
  const Vector logits = scaled_logits(normal_vector(kAttentionSeed, 6, 8), keys);
  const std::vector<Index> selected{44, 3, 17, 8, 9, 21};

  const Vector output = *sparse_attention(logits, values, selected);

  for (Index c = 0; c < 4; ++c) {
    long double numerator = 0, denominator = 0, magnitude = 0;
    for (const Index j : selected) {
      const long double e = std::exp((long double)logits[j]);
      numerator += e * values(j, c);
      magnitude += e * std::abs(values(j, c));
      denominator += e;
    }
    const double allowed = (weight_error(2 * logits.cwiseAbs().maxCoeff(), 6) + gamma_of(7)) *
                           static_cast<double>(magnitude / denominator);
    CHECK(std::abs(output[c] - static_cast<double>(numerator / denominator)) <= allowed);
  }
  CHECK(*sparse_attention(logits, values, {13}) == values.row(13).transpose());
}

TEST_CASE("Forbidden keys do not matter, whatever their values hold", "[unit]") {
  Matrix keys = normal_matrix(kAttentionSeed, 4, 20, 8), values = normal_matrix(kAttentionSeed, 5, 20, 4);
  const Vector query = normal_vector(kAttentionSeed, 6, 8);
  std::vector<Allowed> mask(20, Allowed::yes);
  mask[4] = mask[19] = Allowed::no;
  const Vector before = *dense_attention(query, keys, values, mask);

  for (const Index j : {Index{4}, Index{19}}) {
    keys.row(j).setConstant(NAN);
    values.row(j).setConstant(NAN);
  }

  CHECK(*dense_attention(query, keys, values, mask) == before);
}

TEST_CASE("Nothing selected is no output", "[unit]") {
  const std::vector<Allowed> none(3, Allowed::no);

  CHECK(!sparse_attention(Vector::Ones(3), Matrix::Ones(3, 2), {}));
  CHECK(!dense_attention(Vector::Ones(2), Matrix::Ones(3, 2), Matrix::Ones(3, 2), none));
  CHECK(!dense_attention(Vector::Ones(2), Matrix(0, 2), Matrix(0, 2), {}));
  CHECK_THROWS_AS(sparse_attention(Vector::Ones(3), Matrix::Ones(4, 2), {0}), InputError);
  CHECK_THROWS_AS(dense_attention(Vector::Ones(2), Matrix::Ones(4, 2), Matrix::Ones(4, 2), none), InputError);
}
