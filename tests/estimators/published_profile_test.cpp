#include "estimators/published_profile.hpp"

#include "estimators/attention.hpp"
#include "estimators/collision_scores.hpp"
#include "tests/normal_draws.hpp"
#include "tests/numbers.hpp"

using namespace skt;

namespace {

const Seed kProfileSeed{31};
using Keys = std::vector<Index>;

constexpr float kFloatInfinity = std::numeric_limits<float>::infinity();
constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();

// To eight significant bits, ties to even: bfloat16 by scaling, in the range where it has no subnormal numbers.
double to_eight_bits(double x) {
  if (x == 0) return x;
  int exponent = 0;
  const double fraction = std::frexp(x, &exponent);
  return std::ldexp(std::nearbyint(std::ldexp(fraction, 8)), exponent - 8);
}

// A bucket's two probabilities under one plane with the signal u, rounded after each step.
double bfloat16_probability(double u, double temperature, bool positive) {
  const double logit = to_eight_bits((positive ? u : -u) / temperature);
  const double other = to_eight_bits((positive ? -u : u) / temperature);
  const double largest = std::max(logit, other);
  const double weight = std::exp(logit - largest);
  return to_eight_bits(weight / (weight + std::exp(other - largest)));
}

}  // namespace

TEST_CASE("Numbers are rounded to the nearest of the model's type, ties to even", "[unit]") {
  CHECK(rounded(1 + 0x1p-8, ModelType::bf16) == 1);
  CHECK(rounded(1 + 0x3p-8, ModelType::bf16) == 1 + 0x1p-6);
  CHECK(rounded(1 + 0x1p-11, ModelType::f16) == 1);
  CHECK(rounded(65519, ModelType::f16) == 65504);
  CHECK(std::isinf(rounded(65520, ModelType::f16)));
  CHECK(rounded(65520, ModelType::bf16) == 65536);
  CHECK(rounded(1 + 0x1p-24, ModelType::f32) == 1);
  CHECK(rounded(1 + 0x1p-52, ModelType::f64) == 1 + 0x1p-52);
}

TEST_CASE("tanh is rounded before it is divided by sqrt(dim), and once more after it", "[unit]") {
  // One plane along e_1 and queries (x, 0, ..): the projection is x itself. In 4 or 64 dimensions the division is exact
  // and the inner rounding takes nothing away that the outer one would keep.
  Index rounded_once = 0;  // probabilities that would differ with the outer rounding alone
  for (const Index dim : {3, 5, 64, 128}) {
    Matrix row = Matrix::Zero(1, dim);
    row(0, 0) = 1;
    const PublishedHash hash = published_hash(Published::hub, ModelType::bf16, given_hyperplanes(1, 1, row), {}, 0.125);
    for (int i = 1; i <= 60; ++i) {
      Vector query = Vector::Zero(dim);
      query(0) = i / 32.0;  // at most six bits
      const double tangent = std::tanh(query(0)), root = std::sqrt(double(dim));
      const double twice = to_eight_bits(to_eight_bits(tangent) / root), once = to_eight_bits(tangent / root);

      const FloatMatrix p = published_probabilities(hash, query);

      INFO("dim " << dim << " projection " << query(0));
      REQUIRE(p(0, 1) == bfloat16_probability(twice, 0.125, true));
      REQUIRE(p(0, 0) == bfloat16_probability(twice, 0.125, false));
      if (bfloat16_probability(once, 0.125, false) != p(0, 0)) ++rounded_once;
    }
  }
  CHECK(rounded_once >= 10);
}

TEST_CASE("A published list repeats sink and window keys, the union does not", "[unit]") {
  const Eigen::VectorXf scores{{5, 1, 4, 4, 2, 3}};
  const SelectionRule rule{.budget = 3, .sink = 2, .window = 1};
  const std::vector<Allowed> four{Allowed::yes, Allowed::yes, Allowed::yes, Allowed::yes, Allowed::no, Allowed::no};

  for (const Published profile : {Published::gpt_fast, Published::hf}) {
    CHECK(published_selection(profile, scores, {}, rule) == Keys{0, 1, 5, 0, 2, 3});
    CHECK(published_selection(profile, scores, four, rule) == Keys{0, 1, 3, 0, 2, 3});
    CHECK(published_selection(profile, scores, {}, {.budget = 9}) == Keys{0, 2, 3, 5, 4, 1});
    CHECK(published_selection(profile, scores, {}, {.budget = 0, .sink = 1, .window = 1}) == Keys{0, 5});
    CHECK_THROWS_AS(published_selection(profile, scores, {}, {.budget = -1}), InputError);
  }
  CHECK(published_selection(Published::hub, scores, {}, rule) == Keys{0, 1, 5, 2, 3});
  CHECK(published_selection(Published::hub, scores, four, rule) == Keys{0, 1, 2, 3});
  const std::vector<Allowed> hole{Allowed::yes, Allowed::no, Allowed::yes, Allowed::yes, Allowed::yes, Allowed::yes};
  CHECK_THROWS_AS(published_selection(Published::hf, scores, hole, rule), InputError);
  CHECK(published_selection(Published::hub, scores, hole, rule) == Keys{0, 5, 2, 3});
}

TEST_CASE("The later list lacks the keys of sink and window, whose window begins behind the sink", "[unit]") {
  const auto chosen = [](const SelectionRule& rule, std::span<const Allowed> mask = {}) {
    return published_selection(Published::gpt_fast_later, Eigen::VectorXf{{5, 1, 4, 4, 2, 3}}, mask, rule);
  };
  const std::vector<Allowed> four{Allowed::yes, Allowed::yes, Allowed::yes, Allowed::yes, Allowed::no, Allowed::no};

  CHECK(chosen({.budget = 3, .sink = 2, .window = 1}) == Keys{0, 1, 5, 2, 3});
  CHECK(chosen({.budget = 1, .sink = 1, .window = 1}) == Keys{0, 5});  // the best is the sink: one key less
  CHECK(chosen({.budget = 6, .sink = 4, .window = 4}) == Keys{0, 1, 2, 3, 4, 5});
  CHECK(chosen({.budget = 3, .sink = 2, .window = 1}, four) == Keys{0, 1, 3, 2});
}

TEST_CASE("The later product is rounded to half precision, beyond 65504 to infinity", "[unit]") {
  PublishedHash hash;
  const Eigen::VectorXf sums{{1.0f, 3.0f, 40.0f}}, norms{{2049.0f, 0.1f, 2000.0f}};
  hash.profile = Published::gpt_fast_later;
  // 2049 lies between 2048 and 2050, to even; .3 is nearest to 1229/4096.
  CHECK(published_scores(hash, sums, norms) == Eigen::VectorXf{{2048.0f, 1229.0f / 4096, kFloatInfinity}});
  hash.profile = Published::hf;
  CHECK(published_scores(hash, sums, norms) == sums.cwiseProduct(norms));
}

TEST_CASE("A score that is not finite takes a place among the best and is dropped by the hub only", "[unit]") {
  const Eigen::VectorXf scores{{5, kFloatInfinity, 4, kNaN, 2}};

  CHECK(published_selection(Published::hf, scores, {}, {.budget = 3}) == Keys{3, 1, 0});
  CHECK(published_selection(Published::hub, scores, {}, {.budget = 3}) == Keys{0});
}

TEST_CASE("Splits merge to the softmax over the list", "[unit]") {
  const Index entries = 700;  // two full splits of 256 and a rest
  const Vector logits = 3 * normal_vector(kProfileSeed, 1, entries);
  const Matrix values = normal_matrix(kProfileSeed, 2, entries, 5);
  const auto rows = [&](Index first, Index count) -> Matrix { return values.middleRows(first, count); };

  const Eigen::VectorXf output = published_attention(logits.cast<float>(), rows, 5);
  const Vector exact = values.transpose() * softmax(logits).value();
  // Each weight is off by the rounding of its logit and of two exponentials, the sums by a rounding for each term.
  const double reach = (2 * logits.cwiseAbs().maxCoeff() + 2 * entries + 40) * 0x1p-24 * values.cwiseAbs().maxCoeff();
  CHECK((output.cast<double>() - exact).cwiseAbs().maxCoeff() <= reach);
  CHECK(published_attention(Eigen::VectorXf(), rows, 5).array().isNaN().all());
}

TEST_CASE("Without rounding the hub's scores are the paper's, and gpt-fast has one probability for all buckets",
          "[unit]") {
  const Hyperplanes drawn = draw_hyperplanes(kProfileSeed, 0, 20, 6, 32);
  const Matrix keys = normal_matrix(kProfileSeed, 3, 100, 32), noise = normal_matrix(kProfileSeed, 4, 64, 6);
  const Vector query = normal_vector(kProfileSeed, 5, 32);

  const PublishedHash hub = published_hash(Published::hub, ModelType::f64, drawn, {}, 0.4);
  const KeyCodes codes = hash_keys(drawn, keys);
  const Vector paper = soft_scores(drawn, codes, query, {.temperature = 0.4});
  const Eigen::VectorXf sums = published_sums(published_probabilities(hub, query), codes);
  CHECK(((sums.cast<double>() - paper).array().abs() <= 22 * 0x1p-24 * paper.array()).all());  // 20 sums, 2 casts

  const PublishedHash fast = published_hash(Published::gpt_fast, ModelType::f64, drawn, noise, 0.4);
  const FloatMatrix p = published_probabilities(fast, query);
  // |u| <= 1/sqrt(dim), so a logit is at most sqrt(planes/dim) |corner|, and p is e^{+-2 of these}/64.
  const double reach = 2 * std::sqrt(6.0 / 32) * fast.corners.rowwise().norm().maxCoeff();
  CHECK(reach <= 0.1);
  CHECK((p.cast<double>().array() * 64).log().abs().maxCoeff() <= reach);
  CHECK(fast.temperature == 1);
  CHECK_THROWS_AS(published_hash(Published::gpt_fast, ModelType::f64, drawn, noise.topRows(63), 1), InputError);
  CHECK_THROWS_AS(published_hash(Published::hub, ModelType::f64, draw_hyperplanes(kProfileSeed, 0, 1, 16, 4), {}, 1),
                  InputError);
}
