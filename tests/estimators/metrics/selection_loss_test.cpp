#include "estimators/metrics/selection_loss.hpp"

#include "tests/numbers.hpp"

using namespace skt;

namespace {

constexpr double kForbidden = -std::numeric_limits<double>::infinity();

// Weights 1, 2, 3, 4 over their sum 10.
Vector four_logits() {
  return Vector{{0, std::log(2), std::log(3), std::log(4)}};
}

Vector one(double x) {
  return Vector::Constant(1, x);
}

}  // namespace

TEST_CASE("The parts are softmax over all, over the selected and over the other keys", "[unit]") {
  const SoftmaxParts parts = softmax_parts(four_logits(), {3, 0});

  CHECK(parts.dense->isApprox(Vector{{0.1, 0.2, 0.3, 0.4}}));
  CHECK(parts.kept->isApprox(Vector{{0.2, 0, 0, 0.8}}));
  CHECK(parts.pruned->isApprox(Vector{{0, 0.4, 0.6, 0}}));
}

TEST_CASE("A part without a key, or with forbidden keys only, has no weights", "[unit]") {
  CHECK(!softmax_parts(four_logits(), {}).kept);
  CHECK(!softmax_parts(four_logits(), {0, 1, 2, 3}).pruned);
  CHECK(!softmax_parts(Vector{{0, kForbidden}}, {0}).pruned);
  CHECK(!softmax_parts(Vector{{kForbidden, kForbidden}}, {0}).dense);
}

TEST_CASE("Mass left out, SNR and divergence of four keys", "[unit]") {
  // Values 5, 1, -2, 3 with keys 3 and 0 selected: kept (5 + 4 * 3)/5, pruned (2 * 1 - 3 * 2)/5, dense 1.3.
  const SelectionLoss loss =
      selection_loss(softmax_parts(four_logits(), {3, 0}), {one(1.3), one(3.4), one(-0.8)}, {3, 0});

  CHECK(loss.residual_weight.value() == Approx(0.5));
  CHECK(loss.snr.value() == Approx(1));
  CHECK(loss.context_divergence.value() == Approx(4.2));
}

TEST_CASE("With every key selected nothing is left out, and there is no SNR and no divergence", "[unit]") {
  const SelectionLoss loss =
      selection_loss(softmax_parts(four_logits(), {0, 1, 2, 3}), {one(1.3), one(1.3), one(0)}, {0, 1, 2, 3});

  CHECK(loss.residual_weight.value() == 0);
  CHECK(!loss.snr);
  CHECK(!loss.context_divergence);
}

TEST_CASE("A mass that 1 - eps would lose keeps its digits", "[unit]") {
  const SelectionLoss loss = selection_loss(softmax_parts(Vector{{100, 0}}, {0}), {one(1), one(1), one(0)}, {0});

  CHECK(loss.residual_weight.value() == Approx(std::exp(-100.0)));  // 4e-44, of which 1 - (1 - eps) keeps nothing
  CHECK(loss.snr.value() == Approx(std::exp(100.0)));
}

TEST_CASE("Without an allowed key nothing is defined", "[unit]") {
  const SelectionLoss loss =
      selection_loss(softmax_parts(Vector{{kForbidden, kForbidden}}, {}), {one(0), one(0), one(0)}, {});

  CHECK((!loss.residual_weight && !loss.snr && !loss.context_divergence));
}
