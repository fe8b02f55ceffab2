#include "experiments/parts/work_estimates.hpp"

#include "tests/catch.hpp"

using namespace skt;

TEST_CASE("Work is proportional to what is gone through", "[unit]") {
  const HashedSize size{1000, 64, 20, 8}, more_keys{2000, 64, 20, 8}, more_planes{1000, 64, 20, 16};

  CHECK(hash_work(more_keys) == Approx(2 * hash_work(size)).epsilon(1e-12));
  CHECK(hash_work(more_planes) == Approx(2 * hash_work(size)).epsilon(1e-12));
  CHECK(scores_work(more_planes) == scores_work(size));  // a score is looked up, whatever the planes
  CHECK(tables_work(size) == hash_work(size) + scores_work(size));
  CHECK(values_work(200, 64) == Approx(2 * values_work(100, 64)).epsilon(1e-12));
  CHECK(sums_work(100, 64, 6) == Approx(3 * sums_work(100, 64, 2)).epsilon(1e-12));
  CHECK(samples_work(200, 64) == Approx(2 * samples_work(100, 64)).epsilon(1e-12));
}

TEST_CASE("All pairs of keys are worked off in blocks of 128 by 128", "[unit]") {
  CHECK(pairs_work(128) == Approx(kPairBlockWork).epsilon(1e-12));
  CHECK(pairs_work(129) == Approx(3 * kPairBlockWork).epsilon(1e-12));  // two diagonal blocks and one beside
}

TEST_CASE("A part has trials for twenty seconds of a core, and one for each of sixteen threads at least", "[unit]") {
  CHECK(trials_of_a_part(1e6) == 16);  // 20, in sixteens
  CHECK(trials_of_a_part(1e9) == 16);
  CHECK(trials_of_a_part(1e5) == 192);  // 200, in sixteens
  CHECK(trials_of_a_part(0) == 20'000'000);
}
