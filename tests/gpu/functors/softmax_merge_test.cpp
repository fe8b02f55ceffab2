#include "gpu/functors/softmax_merge.hpp"

#include <span>
#include <vector>

#include "sim/number.hpp"
#include "sim/randomness.hpp"
#include "tests/catch.hpp"

using namespace skt::gpu;

namespace {

struct Average {
  SoftmaxPart<double> part;
  double vector = 0;
};

Average average(std::span<const double> logits, std::span<const double> values) {
  Average result;
  for (std::size_t i = 0; i < logits.size(); ++i) {
    const SoftmaxPart<double> one = part_of_logit(logits[i]);
    const SoftmaxMerge<double> both = merge(result.part, one);
    result.part = both.merged;
    result.vector = result.vector * both.left_factor + one.sum * values[i] * both.right_factor;
  }
  return result;
}

}  // namespace

TEST_CASE("merged parts are the softmax average of their union", "[unit][gpu]") {
  const std::size_t n = 100;
  std::vector<double> logits(n), values(n);
  skt::fill_normal(skt::Seed{3}, {skt::Role::test_draw, 0}, logits);
  skt::fill_normal(skt::Seed{3}, {skt::Role::test_draw, 1}, values);
  for (double& x : logits) x *= 30;
  double max = logits[0], sum = 0, vector = 0;
  for (const double x : logits) max = x > max ? x : max;
  for (std::size_t i = 0; i < n; ++i) {
    sum += std::exp2(logits[i] - max);
    vector += std::exp2(logits[i] - max) * values[i];
  }

  for (const std::size_t split : {0ul, 1ul, 37ul, n}) {
    const auto all_logits = std::span<const double>(logits);
    const auto all_values = std::span<const double>(values);
    const Average left = average(all_logits.first(split), all_values.first(split));
    const Average right = average(all_logits.subspan(split), all_values.subspan(split));
    const SoftmaxMerge<double> both = merge(left.part, right.part);
    const double merged = (left.vector * both.left_factor + right.vector * both.right_factor) / both.merged.sum;

    // Every merge rounds each term three times; n terms, values of size at most 5.
    const double tolerance = 5 * 3 * skt::real(n) * 0x1p-52;
    CHECK(std::abs(merged - vector / sum) <= tolerance);
    const double expected = std::log(2.0) * (max + std::log2(sum));
    CHECK(std::abs(log_sum_exp(both.merged) - expected) <= tolerance + std::abs(max) * 0x1p-51);
  }
}

TEST_CASE("empty parts merge as nothing and two empty parts stay empty", "[unit][gpu]") {
  const SoftmaxPart<float> empty;
  const SoftmaxPart<float> part = {2.0f, 3.0f};

  CHECK(merge(empty, part).merged.exponent == 2.0f);
  CHECK(merge(part, empty).merged.sum == 3.0f);
  CHECK(merge(empty, empty).merged.sum == 0.0f);
  CHECK(log_sum_exp(empty) == -INFINITY);
  CHECK(std::isnan(log_sum_exp(SoftmaxPart<float>{2.0f, NAN})));  // a key of NaN is not an empty selection
}

TEST_CASE("a part of one logit is no smaller than a half and no larger than 1", "[unit][gpu]") {
  CHECK(part_of_logit(3.0f).exponent == 3.0f);
  CHECK(part_of_logit(3.0f).sum == 1.0f);
  CHECK(part_of_logit(-2.5f).exponent == -2.0f);
  CHECK(std::abs(part_of_logit(-2.5f).sum - 0.70710678f) <= 0x1p-23f);
  CHECK(part_of_logit(1e30f).sum == 1.0f);
}

TEST_CASE("rescaling is exact and nothing survives it below the smallest number", "[unit][gpu]") {
  CHECK(rescale_factor(5.0f, 5.0f) == 1.0f);
  CHECK(rescale_factor(-3.0f, 7.0f) == 0x1p-10f);
  CHECK(rescale_factor(-3.0f, 1e30f) == 0.0f);
  CHECK(rescale_factor(SoftmaxPart<float>().exponent, -100.0f) == 0.0f);
  CHECK(rescale_factor(-1000.0, 0.0) == 0x1p-1000);
}
