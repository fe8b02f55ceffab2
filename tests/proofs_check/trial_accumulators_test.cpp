#include "proofs_check/trial_accumulators.hpp"

#include "tests/numbers.hpp"

using namespace skt;

TEST_CASE("Quantities followed side by side keep to themselves when blocks merge", "[unit]") {
  MomentsList first(2), second(2);
  first.of[0].add(1);
  first.of[1].add(10);
  second.of[0].add(3);

  first.merge(second);

  CHECK(first.of[0].count() == 2);
  CHECK(first.of[0].mean() == 2);
  CHECK(first.of[1].count() == 1);
  CHECK(first.of[1].mean() == 10);
}

TEST_CASE("Hits of each event add up by themselves", "[unit]") {
  Counts first(2), second(2);
  first.of = {3, 5};
  second.of = {10, 0};

  first.merge(second);

  CHECK(first.of == std::vector<std::uint64_t>{13, 5});
}

TEST_CASE("The largest number counts the trials in scope and those out of it", "[unit]") {
  Largest first, second;
  first.add(2);
  first.add(1);
  second.add_out_of_scope();
  second.add(3);

  first.merge(second);

  CHECK(first.value == 3);
  CHECK(first.trials == 4);
  CHECK(first.in_scope == 3);
}

TEST_CASE("A NaN stays the largest, before and after a merge", "[unit]") {
  Largest broken, fine;
  broken.add(std::numeric_limits<double>::quiet_NaN());
  broken.add(5);
  fine.add(7);
  Largest merged = fine;

  merged.merge(broken);
  broken.merge(fine);

  CHECK(std::isnan(merged.value));
  CHECK(std::isnan(broken.value));
}

TEST_CASE("With nothing in scope the largest number is minus infinity, and merging it changes nothing", "[unit]") {
  Largest nothing, some;
  nothing.add_out_of_scope();
  some.add(-4);

  CHECK(nothing.value == -std::numeric_limits<double>::infinity());
  some.merge(nothing);
  CHECK(some.value == -4);
  CHECK(some.trials == 2);
  CHECK(some.in_scope == 1);
}
