#include "estimators/groups/kv_head_lists.hpp"

#include "tests/numbers.hpp"

using namespace skt;

TEST_CASE("Packed lists have -1 behind their keys", "[unit]") {
  const PackedLists packed = packed_lists({{1, 4}, {}, {0, 2, 3}}, 3);

  CHECK(packed.keys == std::vector<std::int32_t>{1, 4, -1, -1, -1, -1, 0, 2, 3});
  CHECK(packed.counts == std::vector<std::int32_t>{2, 0, 3});
  CHECK_THROWS_WITH(packed_lists({{0}, {1, 2}}, 1), "list 1 has 2 keys; allowed are at most the capacity of 1");
  CHECK_THROWS_AS(packed_lists({{2, 2}}, 2), InputError);
  CHECK_THROWS_AS(packed_lists({{-1}}, 2), InputError);
  CHECK_THROWS_AS(packed_lists({{Index{1} << 31}}, 2), InputError);
}

TEST_CASE("The log-sum-exp by hand: of none, of what is forbidden, and of logits whose exponentials leave double",
          "[unit]") {
  CHECK(log_sum_exp(Vector{{std::log(2.0), std::log(6.0), -HUGE_VAL}}) == Approx(std::log(8.0)));
  CHECK(log_sum_exp(Vector{{800.0, 800 + std::log(3.0)}}) == Approx(800 + std::log(4.0)).epsilon(1e-15));
  CHECK(log_sum_exp(Vector(0)) == -HUGE_VAL);
  CHECK(log_sum_exp(Vector{{-HUGE_VAL, -HUGE_VAL}}) == -HUGE_VAL);
}
