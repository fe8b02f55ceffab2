#include "estimators/metrics/snr_decomposition.hpp"

#include "sim/randomness.hpp"
#include "tests/numbers.hpp"

using namespace skt;

namespace {

Vector normals(std::uint32_t trial, Index size) {
  Vector v(size);
  fill_normal(Seed{7}, {Role::test_draw, trial, 0, 0, 0}, {v.data(), std::size_t(size)});
  return v;
}

}  // namespace

TEST_CASE("Two opposite equal keys: half the weight is lost and the error is half the divergence", "[unit]") {
  Matrix values(2, 1);
  values << 1, -1;

  const SnrDecomposition d = snr_decomposition(Vector::Zero(2), values, {0});

  CHECK(d.residual_weight == 0.5);
  CHECK(d.snr == 1);
  CHECK(d.full(0) == 0);
  CHECK(d.sparse(0) == 1);
  CHECK(d.noise(0) == -1);
  CHECK(d.error()(0) == d.residual_weight * d.context_divergence()(0));
}

TEST_CASE("The error is residual weight times context divergence", "[unit]") {
  for (std::uint32_t trial = 0; trial < 50; ++trial) {
    const Vector scores = 4 * normals(2 * trial, 9);
    const Matrix values = normals(2 * trial + 1, 9 * 3).reshaped(9, 3);

    const SnrDecomposition d = snr_decomposition(scores, values, {1, 4, 7});

    // Each of the three outputs is a mean of 9 values with weights right to a few units: exp twice, 9 additions.
    const double tolerance = 3 * 32 * kEpsilon * values.rowwise().norm().maxCoeff();
    CHECK((d.error() - d.residual_weight * d.context_divergence()).norm() <= tolerance);
    CHECK((d.full - (1 - d.residual_weight) * d.sparse - d.residual_weight * d.noise).norm() <= tolerance);
  }
}

TEST_CASE("Scores a thousand apart neither overflow nor give NaN", "[unit]") {
  Vector scores(3);
  scores << 2000, 0, -2000;
  const Matrix values = Matrix::Identity(3, 3);

  const SnrDecomposition lost = snr_decomposition(scores, values, {1, 2});
  const SnrDecomposition kept = snr_decomposition(scores, values, {0});

  CHECK(lost.residual_weight == 1);
  CHECK(lost.sparse == Vector::Unit(3, 1));
  CHECK(kept.residual_weight == 0);
  CHECK(kept.noise == Vector::Unit(3, 1));
}

TEST_CASE("The bounds of a top-k set are met with equality by one peak, ties at the cut and a flat rest", "[unit]") {
  Vector scores(7);
  scores << 2, 1, 1, -1, -1, -1, -1;  // m, s_k twice, s_{k+1} four times

  const ActiveSet set = describe_active_set(scores, {0, 1, 2});

  CHECK(set.active == 3);
  CHECK(set.pruned == 4);
  CHECK(set.active_min == 1);
  CHECK(std::abs(top_k_bound(set) - set.snr) <= 32 * kEpsilon * set.snr);
  CHECK(std::abs((peak_to_noise_term(set) + boundary_term(set)) / 4 - set.snr) <= 32 * kEpsilon * set.snr);
  CHECK(relaxed_lower_bound(set) <= set.snr);
  CHECK(relaxed_upper_bound(set) >= set.snr);
}

TEST_CASE("The printed relaxed bound fails where the largest score is pruned, the corrected pair does not", "[unit]") {
  Vector scores(2);
  scores << -5, 0;

  const ActiveSet set = describe_active_set(scores, {0});

  CHECK(std::abs(set.snr - std::exp(-5)) <= 4 * kEpsilon * std::exp(-5));
  CHECK(printed_relaxed_bound(set) == 1);
  CHECK(relaxed_lower_bound(set) == set.snr);
  CHECK(relaxed_upper_bound(set) == set.snr);
}

TEST_CASE("Empty sets, repeated or unknown keys and scores that are not finite are refused", "[unit]") {
  const Matrix values = Matrix::Identity(2, 2);

  CHECK_THROWS_AS(snr_decomposition(Vector::Zero(2), values, {}), InputError);
  CHECK_THROWS_AS(snr_decomposition(Vector::Zero(2), values, {0, 1}), InputError);
  CHECK_THROWS_AS(snr_decomposition(Vector::Zero(2), values, {2}), InputError);
  CHECK_THROWS_AS(describe_active_set(Vector::Zero(3), {1, 1}), InputError);
  CHECK_THROWS_AS(describe_active_set(Vector::Constant(2, std::nan("")), {0}), InputError);
}
