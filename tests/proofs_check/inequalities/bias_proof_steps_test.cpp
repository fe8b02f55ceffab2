#include "proofs_check/inequalities/bias_proof_steps.hpp"

#include "tests/numbers.hpp"
#include "tests/proofs_check/inequalities/by_hand.hpp"

using namespace skt;

TEST_CASE("The left sides of the bias steps are those worked out by hand", "[unit]") {
  const BiasCase c = bias_by_hand(1.5);

  CHECK(weight_gap_1(c) == 4);  // |3| + |-1|
  CHECK(near(weight_gap_2(c), std::sqrt(10.0)));
  CHECK(weight_gap_max(c) == 3);
  CHECK(mass_gap(c) == 2);
  CHECK(near(angular_norm(c), std::sqrt(2.0)));
  CHECK(angular_mass(c) == 2);
  CHECK(near(share_gap(c), std::sqrt(0.5)));
  CHECK(share_gap_1(c) == 1);       // |1/2| + |-1/2|
  CHECK(near(output_gap(c), 2.5));  // (3/2, -2)
}

TEST_CASE("The right sides of the bias steps are those worked out by hand", "[unit]") {
  const BiasCase c = bias_by_hand(1.5);

  CHECK(twice_b_eps(c) == 4);
  CHECK(once_b_eps(c) == 2);
  CHECK(near(root_2b_eps(c), 1));
  CHECK(only_eps(c) == 0.25);
  CHECK(near(root_of_mass(c), std::sqrt(2.0)));
  CHECK(only_b(c) == 8);
  CHECK(near(share_gap_times_spectral(c), 4 * std::sqrt(0.5)));
  CHECK(near(triangle_of_shares(c), std::sqrt(10.0) / 4 + 2 * std::sqrt(2.0) / 8));
  CHECK(near(share_bound(c), 2 * 8 * (0.25 + std::sqrt(8.0) / 8) * 0.25));  // 1 + sqrt(2)
  CHECK(near(output_bound(c), 4 * (1 + std::sqrt(2.0))));
  CHECK(near(sharper_share_bound(c), 2.0 * 8 * 0.25 / 4));
  CHECK(near(sharper_output_bound(c), 2.0 * 8 * 0.25 / 4 * 4));
  CHECK(twice_occupied_miss(c) == 3);
  CHECK(near(own_buckets_bound(c), 2 * 1.5 / 4 * 4));
}

TEST_CASE("Each step is listed once, under the id of its statement", "[unit]") {
  std::set<std::string> ids;
  for (const BiasProofStep& step : bias_proof_steps()) {
    INFO(step.id);
    CHECK(ids.insert(step.id).second);
    CHECK(std::isfinite(step.left(bias_by_hand(1.5))));
    CHECK(step.right(bias_by_hand(1.5)) > 0);
  }
  CHECK(ids.size() == 16);
}
