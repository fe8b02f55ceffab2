#include "estimators/groups/kv_head_lists.hpp"

#include <cmath>

#include "sim/require.hpp"
#include "tests/catch.hpp"

using namespace skt;

TEST_CASE("A list is rising: first keys, last keys, the best between, ties to the lower index", "[unit]") {
  const Vector scores{{0.0, 1.0, 5.0, 3.0, 5.0, 3.0, 0.0, 9.0}};
  std::vector<Allowed> mask(8, Allowed::yes);

  CHECK(kv_head_list(scores, mask, {.budget = 3, .sink = 1, .window = 1}) == std::vector<Index>{0, 2, 3, 4, 7});
  mask[2] = mask[7] = Allowed::no;
  CHECK(kv_head_list(scores, mask, {.budget = 2, .sink = 1, .window = 2}) == std::vector<Index>{0, 3, 4, 6});
}

TEST_CASE("Packed lists have -1 behind their keys", "[unit]") {
  const PackedLists packed = packed_lists({{1, 4}, {}, {0, 2, 3}}, 3);

  CHECK(packed.keys == std::vector<std::int32_t>{1, 4, -1, -1, -1, -1, 0, 2, 3});
  CHECK(packed.counts == std::vector<std::int32_t>{2, 0, 3});
  CHECK_THROWS_WITH(packed_lists({{0}, {1, 2}}, 1), "list 1 has 2 keys; allowed are at most the capacity of 1");
  CHECK_THROWS_AS(packed_lists({{2, 2}}, 2), InputError);
  CHECK_THROWS_AS(packed_lists({{-1}}, 2), InputError);
  CHECK_THROWS_AS(packed_lists({{Index{1} << 31}}, 2), InputError);
}

TEST_CASE("Attention over a list and its log-sum-exp worked out by hand", "[unit]") {
  const Vector logits{{std::log(2.0), 3.0, std::log(6.0), -HUGE_VAL}};
  Matrix values(4, 2);
  values << 8, 0, 100, 100, 0, 4, 7, 7;

  const auto listed = listed_attention(logits, values, {0, 2, 3});

  REQUIRE(listed);
  CHECK(listed->output(0) == Approx(2));
  CHECK(listed->output(1) == Approx(3));
  CHECK(listed->log_sum_exp == Approx(std::log(8.0)));
  CHECK_FALSE(listed_attention(logits, values, {3}));
  CHECK_FALSE(listed_attention(logits, values, {}));
}

TEST_CASE("Two parts of a list merge by their log-sum-exps to the whole", "[unit]") {
  const Vector logits{{700.0, 701.5, 699.0, 702.0}};  // exp of these leaves double
  const Matrix values = Matrix::Identity(4, 4);

  const auto whole = listed_attention(logits, values, {0, 1, 2, 3});
  const auto first = listed_attention(logits, values, {0, 3}), second = listed_attention(logits, values, {1, 2});

  const double share = 1 / (1 + std::exp(second->log_sum_exp - first->log_sum_exp));
  const Vector merged = share * first->output + (1 - share) * second->output;
  CHECK((merged - whole->output).norm() < 1e-14);
  CHECK(first->log_sum_exp - std::log(share) == Approx(whole->log_sum_exp).epsilon(1e-15));
}
