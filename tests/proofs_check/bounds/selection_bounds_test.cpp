#include "proofs_check/bounds/selection_bounds.hpp"

#include "estimators/weighted_output.hpp"
#include "sim/families.hpp"
#include "tests/numbers.hpp"

using namespace skt;

namespace {

constexpr std::array<Index, 1> kFirst{0};

}  // namespace

TEST_CASE("Theorem 10 is attained by a value e on the selected keys and 0 elsewhere", "[unit]") {
  // m = 1/4: y_S = e, y = 3/4 e with |e| = 5; Cov = 3/16 e e^T.
  const Matrix values{{3.0, -4.0}, {0.0, 0.0}};
  const SelectionBounds bounds = selection_bounds(Vector{{6.0, 2.0}}, values, kFirst);

  CHECK(bounds.missed_mass == 0.25);
  CHECK(bounds.by_farthest == 1.25);
  CHECK(std::abs(bounds.by_covariance - 1.25) <= 16 * kEpsilon);
}

TEST_CASE("Theorem 10(i) is attained where the missed values agree, with the selected ones apart", "[unit]") {
  // Selected 0 and 2 of mass 1/2 and values 1, 3: y_S = (1/8 + 9/8)/(1/2) = 2.5. Missed: value 7 twice, m = 1/2.
  const std::array<Index, 2> selected{2, 0};
  const SelectionBounds bounds =
      selection_bounds(Vector{{1.0, 2.0, 3.0, 2.0}}, Matrix{{1.0}, {7.0}, {3.0}, {7.0}}, selected);

  CHECK(bounds.missed_mass == 0.5);
  CHECK(bounds.by_farthest == 2.25);
  // y = 4.75, variance (3.75^2 + 2 * 2 * 2.25^2 + 3 * 1.75^2)/8 = 5.4375.
  CHECK(std::abs(bounds.by_covariance - std::sqrt(5.4375)) <= 32 * kEpsilon);
}

TEST_CASE("Neither bound is below the error on drawn keys, also over several blocks", "[unit]") {
  const Instance drawn = make_instance({.keys = 700, .dim = 4, .value_dim = 3}, Seed{9}, 0);
  const Vector softmax = drawn.keys.col(1).array().exp();
  std::vector<Index> selected;
  for (Index j = 0; j < 700; j += 3) selected.push_back(j);
  Vector kept = Vector::Zero(700);
  for (const Index j : selected) kept(j) = softmax(j);

  const SelectionBounds bounds = selection_bounds(softmax, drawn.values, selected);
  const Vector alone = weighted_output(kept, drawn.values);
  const double error = (weighted_output(softmax, drawn.values) - alone).norm();
  double farthest = 0;
  for (Index j = 0; j < 700; ++j) {
    if (kept(j) == 0) farthest = std::fmax(farthest, (drawn.values.row(j).transpose() - alone).norm());
  }
  const double missed = 1 - kept.sum() / softmax.sum();

  CHECK(error <= bounds.by_covariance);
  CHECK(std::abs(bounds.by_farthest / (missed * farthest) - 1) <= 3000 * kEpsilon);
}

TEST_CASE("Nothing missed leaves no error, and nothing selected no bound", "[unit]") {
  const Matrix values{{1.0}, {2.0}};
  const std::array<Index, 2> all{1, 0};
  const SelectionBounds none = selection_bounds(Vector{{1.0, 1.0}}, values, {});

  CHECK(selection_bounds(Vector{{1.0, 1.0}}, values, all).by_farthest == 0);
  CHECK(selection_bounds(Vector{{1.0, 0.0}}, values, kFirst).by_covariance == 0);  // the missed key has no mass
  CHECK(none.missed_mass == 1);
  CHECK(std::isinf(none.by_farthest));
  CHECK(std::isinf(selection_bounds(Vector{{0.0, 1.0}}, values, kFirst).by_covariance));
}

TEST_CASE("A selection that is none is refused", "[unit]") {
  const Matrix values{{1.0}, {2.0}};
  const std::array<Index, 2> twice{1, 1}, outside{0, 2};

  CHECK_THROWS_AS(selection_bounds(Vector{{1.0, 1.0}}, values, twice), InputError);
  CHECK_THROWS_AS(selection_bounds(Vector{{1.0, 1.0}}, values, outside), InputError);
  CHECK_THROWS_AS(selection_bounds(Vector{{1.0, -1.0}}, values, kFirst), InputError);
  CHECK_THROWS_AS(selection_bounds(Vector{{1.0}}, values, kFirst), InputError);
}

TEST_CASE("What leaving keys out costs by hand: one key, and two that cancel in part", "[unit]") {
  // alpha = (1/2, 1/4, 1/4), values 0, 4, -4: y = 0. Without the second: (1/2 0 + 1/4 (-4))/(3/4) = -4/3.
  const Vector weights{{2.0, 1.0, 1.0}};
  const Matrix values{{0.0}, {4.0}, {-4.0}};
  const std::array<Index, 2> without_second{0, 2}, last_two{1, 2};
  const LeftOut one = left_out(weights, values, without_second), both = left_out(weights, values, kFirst);

  CHECK(std::abs(one.cost - 4.0 / 3) <= 4 * kEpsilon);
  CHECK(std::abs(one.bound - 4.0 / 3) <= 4 * kEpsilon);
  CHECK(both.cost == 0);                                 // +1 and -1
  CHECK(both.bound == 4);                                // (1 + 1)/(1/2)
  CHECK(left_out(weights, values, last_two).cost == 0);  // the value of the first is y
  CHECK(std::isinf(left_out(Vector{{0.0, 1.0, 1.0}}, values, kFirst).cost));
  CHECK_THROWS_AS(left_out(weights, values, std::array<Index, 1>{3}), InputError);
}

TEST_CASE("A norm that outranks every score: 16.9 at P = 8, tau = .5, d = 128, and 4 where one plane has 2/3",
          "[unit]") {
  CHECK(std::abs(outranking_norm({.temperature = 0.5, .dim = 128, .planes = 8}) - 16.918) < 1e-3);
  // sigma(2 S) = 2/3 against 1/3 for each of two planes: 2^2.
  const PopulationParameters two{.temperature = 0.5 / std::log(2.0), .dim = 16, .planes = 2};
  CHECK(std::abs(outranking_norm(two) - 4) <= 32 * kEpsilon);
}
