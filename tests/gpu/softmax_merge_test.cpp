#include "gpu/softmax_merge.hpp"

#include <span>
#include <vector>

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
    const SoftmaxMerge<double> both = merge(result.part, SoftmaxPart<double>{logits[i], 1.0});
    result.part = both.merged;
    result.vector = result.vector * both.left_factor + values[i] * both.right_factor;
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
    sum += std::exp(logits[i] - max);
    vector += std::exp(logits[i] - max) * values[i];
  }

  for (const std::size_t split : {0ul, 1ul, 37ul, n}) {
    const auto all_logits = std::span<const double>(logits);
    const auto all_values = std::span<const double>(values);
    const Average left = average(all_logits.first(split), all_values.first(split));
    const Average right = average(all_logits.subspan(split), all_values.subspan(split));
    const SoftmaxMerge<double> both = merge(left.part, right.part);
    const double merged =
        (left.vector * both.left_factor + right.vector * both.right_factor) / both.merged.sum;

    // Every merge rounds each term three times; n terms, values of size at most 5.
    const double tolerance = 5 * 3 * static_cast<double>(n) * 0x1p-52;
    CHECK(std::abs(merged - vector / sum) <= tolerance);
    CHECK(std::abs(log_sum_exp(both.merged) - (max + std::log(sum))) <= tolerance + std::abs(max) * 0x1p-51);
  }
}

TEST_CASE("empty parts merge as nothing and two empty parts stay empty", "[unit][gpu]") {
  const SoftmaxPart<float> empty;
  const SoftmaxPart<float> part = {2.0f, 3.0f};

  CHECK(merge(empty, part).merged.max == 2.0f);
  CHECK(merge(part, empty).merged.sum == 3.0f);
  CHECK(merge(empty, empty).merged.sum == 0.0f);
  CHECK(log_sum_exp(empty) == -INFINITY);
}
