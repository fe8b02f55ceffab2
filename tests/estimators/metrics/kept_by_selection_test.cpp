#include "estimators/metrics/kept_by_selection.hpp"

#include "tests/numbers.hpp"

using namespace skt;

namespace {

// In one dimension logits log 1, log 4, log 2, log 1 for q = 1: softmax 1/8, 4/8, 2/8, 1/8.
DenseTruth four_keys() {
  Instance instance{"four keys", Vector::Ones(1), Matrix::Zero(4, 1), Matrix::Zero(4, 1)};
  instance.keys << 0, std::log(4.0), std::log(2.0), 0;
  instance.values << 0, 1, 1, 2;  // dense output 4/8 + 2/8 + 2/8 = 1
  return {instance, Vector{{0.2, 0.1, 0.1, 0.9}}};
}

bool close(double a, double b) {
  return std::abs(a - b) <= 1e-14;
}

}  // namespace

TEST_CASE("Keys are ordered by score, tied ones by ticket", "[unit]") {
  CHECK(order_by_score(Vector{{1.0, 3.0, 1.0, 2.0}}, Vector{{0.5, 0.1, 0.6, 0.2}}) == std::vector<Index>{1, 3, 2, 0});
  CHECK(four_keys().order() == std::vector<Index>{1, 2, 3, 0});
}

TEST_CASE("A selection keeps the recall, the mass and the output worked out by hand", "[unit]") {
  const DenseTruth truth = four_keys();

  // Of the two best keys, 1 and 2, it has one; the output is 7/5 of attention at 4/8 and 1/8.
  const KeptBySelection kept = truth.kept({1, 3}, 2, Vector{{1.4}});

  CHECK(kept.selected == 0.5);
  CHECK(kept.recall == 0.5);
  CHECK(close(kept.mass, 0.625));
  CHECK(close(kept.error, 0.4));
}

TEST_CASE("The first keys of an order attend by exact softmax", "[unit]") {
  const DenseTruth truth = four_keys();

  const KeptBySelection two = truth.kept_of_first({3, 1, 2, 0}, 2, 2);
  const KeptBySelection best = truth.kept_of_first(truth.order(), 3, 3);
  const KeptBySelection all = truth.kept_of_first(truth.order(), 4, 4);

  CHECK(two.recall == 0.5);
  CHECK(close(two.error, 0.2));  // (4 * 1 + 1 * 2)/5 = 1.2
  CHECK(best.recall == 1);
  CHECK(close(best.mass, 0.875));
  CHECK(all.recall == 1);
  CHECK(close(all.mass, 1));
  CHECK(close(all.error, 0));
}

TEST_CASE("Without an output its error is not a number", "[unit]") {
  CHECK(std::isnan(four_keys().kept({}, 1, std::nullopt).error));
  CHECK(four_keys().kept({}, 1, std::nullopt).recall == 0);
}

TEST_CASE("A density is the nearest number of keys, at least one", "[unit]") {
  const DenseTruth truth = four_keys();

  CHECK(truth.keys_at(0.01) == 1);
  CHECK(truth.keys_at(0.4) == 2);
  CHECK(truth.keys_at(0.7) == 3);
  CHECK(truth.keys_at(1) == 4);
}

TEST_CASE("An instance without keys has no dense attention", "[unit]") {
  CHECK_THROWS_AS(DenseTruth(Instance{"none", Vector::Ones(1), Matrix(0, 1), Matrix(0, 1)}, Vector(0)), InputError);
}
