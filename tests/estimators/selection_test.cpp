#include "estimators/selection.hpp"

#include "tests/normal_draws.hpp"
#include "tests/numbers.hpp"

using namespace skt;

namespace {

const Seed kSelectionSeed{27};
using Keys = std::vector<Index>;

constexpr Allowed yes = Allowed::yes;
constexpr Allowed no = Allowed::no;

// Scores with many ties, and a mask.
Vector tied_scores(Index keys) {
  return (2 * normal_vector(kSelectionSeed, 1, keys)).array().round();
}

std::vector<Allowed> drawn_mask(Index keys) {
  const Vector draws = normal_vector(kSelectionSeed, 2, keys);
  std::vector<Allowed> mask;
  for (const double x : draws) mask.push_back(x > -0.5 ? yes : no);
  return mask;
}

}  // namespace

TEST_CASE("The best keys come by falling score, ties to the lower index", "[unit]") {
  const Vector scores{{1, 3, 2, 3, -1, 2}};

  CHECK(select_keys(scores, {}, {.budget = 4}) == Keys{1, 3, 2, 5});
  CHECK(select_keys(scores, {}, {.budget = 1}) == Keys{1});
  CHECK(select_keys(Vector{{-0.0, 0.0, -0.0}}, {}, {.budget = 2}) == Keys{0, 1});
}

TEST_CASE("A selection is the head of a stable sort of the allowed keys", "[unit]") {
  for (const Index keys : {Index{0}, Index{1}, Index{31}, Index{32}, Index{33}, Index{3000}}) {
    const Vector scores = tied_scores(keys);
    const std::vector<Allowed> mask = drawn_mask(keys);
    Keys order;
    for (Index j = 0; j < keys; ++j)
      if (mask[j] == yes) order.push_back(j);
    std::stable_sort(order.begin(), order.end(), [&](Index a, Index b) { return scores[a] > scores[b]; });

    for (const Index budget : {Index{0}, Index{1}, Index{7}, keys / 2, keys, keys + 5}) {
      const Keys expected(order.begin(), order.begin() + std::min(budget, static_cast<Index>(order.size())));
      REQUIRE(select_keys(scores, mask, {.budget = budget}) == expected);
    }
  }
}

TEST_CASE("Sink and window come first in index order, once, on top of the budget", "[unit]") {
  const Vector scores{{9, 1, 5, 7, 3, 8}};

  CHECK(select_keys(scores, {}, {.budget = 2, .sink = 1, .window = 2}) == Keys{0, 4, 5, 3, 2});
  CHECK(select_keys(scores, {}, {.budget = 0, .sink = 4, .window = 4}) == Keys{0, 1, 2, 3, 4, 5});
  CHECK(select_keys(scores, {}, {.budget = 1, .sink = 100, .window = 100}) == Keys{0, 1, 2, 3, 4, 5});
  const std::vector<Allowed> mask{no, yes, yes, yes, yes, no};
  CHECK(select_keys(scores, mask, {.budget = 1, .sink = 2, .window = 1}) == Keys{1, 3});
}

TEST_CASE("The width of a rule is what it selects of keys that are all allowed, or more where parts overlap",
          "[unit]") {
  CHECK(selection_width(10, {.budget = 2, .sink = 1, .window = 3}) == 6);
  CHECK(selection_width(10, {.budget = 7, .sink = 1, .window = 3}) == 10);
  const Index most = std::numeric_limits<Index>::max();
  CHECK(selection_width(10, {.budget = most, .sink = most, .window = most}) == 10);
  // Added up as they are, two of the largest number would wrap to -2, three to a positive number.
  CHECK(selection_width(10, {.budget = most, .sink = most}) == 10);
  CHECK(selection_width(10, {.budget = most, .sink = 2}) == 10);
  CHECK(selection_width(10, {.sink = 1, .window = most}) == 10);
  CHECK(selection_width(0, {.budget = 3}) == 0);
}

TEST_CASE("Scores of forbidden keys do not matter, NaN included", "[unit]") {
  Vector scores = tied_scores(100);
  const std::vector<Allowed> mask = drawn_mask(100);
  const Keys before = select_keys(scores, mask, {.budget = 20, .sink = 3, .window = 4});

  for (Index j = 0; j < 100; ++j)
    if (mask[j] == no) scores[j] = j % 2 == 0 ? NAN : INFINITY;

  CHECK(select_keys(scores, mask, {.budget = 20, .sink = 3, .window = 4}) == before);
}

TEST_CASE("Masked scores are minus infinity where forbidden and unchanged elsewhere", "[unit]") {
  const std::vector<Allowed> mask{yes, no, yes};

  CHECK(masked_scores(Vector{{2, 3, -4}}, mask) == Vector{{2, -INFINITY, -4}});
  CHECK(masked_scores(Vector{{2, NAN, -4}}, mask) == Vector{{2, -INFINITY, -4}});
  CHECK(masked_scores(Vector{{2, 3, -4}}, {}) == Vector{{2, 3, -4}});
}

TEST_CASE("NaN, negative sizes and masks of another length are refused", "[unit]") {
  const std::vector<Allowed> mask{yes, no};

  CHECK_THROWS_WITH(select_keys(Vector{{1, NAN, 2}}, {}, {.budget = 1}), "the score of key 1 is NaN");
  CHECK_THROWS_WITH(select_keys(Vector{{NAN, 1, 2}}, {}, {.budget = 1, .sink = 1}), "the score of key 0 is NaN");
  CHECK_THROWS_WITH(select_keys(Vector{{1, 1, NAN}}, {}, {.budget = 1, .window = 1}), "the score of key 2 is NaN");
  CHECK_THROWS_AS(select_keys(Vector::Ones(3), {}, {.budget = -1}), InputError);
  CHECK_THROWS_AS(select_keys(Vector::Ones(3), {}, {.sink = -1}), InputError);
  CHECK_THROWS_AS(select_keys(Vector::Ones(3), {}, {.window = -1}), InputError);
  CHECK_THROWS_AS(select_keys(Vector::Ones(3), mask, {.budget = 1}), InputError);
  CHECK_THROWS_AS(masked_scores(Vector::Ones(3), mask), InputError);
}
