#include "gpu/check/problems/step_lengths.hpp"

#include <algorithm>
#include <set>

#include "tests/catch.hpp"

using namespace skt::gpu;

namespace {

CheckCase ragged_case(std::int64_t batch, std::int64_t keys) {
  CheckCase c;
  c.batch = batch;
  c.keys = keys;
  c.sink = 8;
  c.window = 16;
  c.budget = 5;
  return c;
}

}  // namespace

TEST_CASE("every sequence has every length around a tile, sink and window, and both ends", "[unit][gpu]") {
  const CheckCase c = ragged_case(3, 500);

  const std::vector<StepLengths> steps = lengths_of_steps(c);

  for (std::int64_t b = 0; b < c.batch; ++b) {
    std::set<std::int32_t> seen;
    for (const StepLengths& step : steps) seen.insert(step[b]);
    for (const std::int32_t length : {0, 1, 16, 23, 24, 25, 63, 64, 65, 166, 499, 500}) {
      INFO(b << " " << length);
      CHECK(seen.contains(length));
    }
  }
}

TEST_CASE("lengths are those of the batch, no longer than the cache is used", "[unit][gpu]") {
  for (const std::int64_t keys : {1, 5, 40, 64, 2000}) {
    for (const std::int64_t batch : {1, 2, 64}) {
      for (const StepLengths& step : lengths_of_steps(ragged_case(batch, keys))) {
        REQUIRE(std::ssize(step) == batch);
        CHECK(std::ranges::all_of(step, [&](std::int32_t length) { return 0 <= length && length <= keys; }));
      }
    }
  }
}

TEST_CASE("neighbours differ in most steps, all are empty in one and full in one", "[unit][gpu]") {
  const std::vector<StepLengths> steps = lengths_of_steps(ragged_case(4, 2000));
  const auto differ = [](const StepLengths& step) { return step[0] != step[1] && step[1] != step[2]; };
  CHECK(std::ranges::count_if(steps, differ) >= std::ssize(steps) - 2);
  CHECK(std::ranges::count(steps, StepLengths{0, 0, 0, 0}) == 1);
  const auto one_is_empty = [](const StepLengths& step) { return std::ranges::count(step, 0) == 1; };
  CHECK(std::ranges::count_if(steps, one_is_empty) == 4);  // each of the four once
  CHECK(std::ranges::count(steps, StepLengths{2000, 2000, 2000, 2000}) == 1);
}

TEST_CASE("sequences grow by a token a step over the end of a tile", "[unit][gpu]") {
  const std::vector<StepLengths> steps = lengths_of_steps(ragged_case(2, 600));
  // A third of 600 keys begins behind 3 tiles, two thirds behind 6.
  const std::vector<StepLengths> last(steps.end() - 7, steps.end());
  CHECK(last ==
        std::vector<StepLengths>{{189, 381}, {190, 382}, {191, 383}, {192, 384}, {193, 385}, {194, 386}, {195, 387}});
}

TEST_CASE("appended keys begin and end tiles and the cache, and lie outside it", "[unit][gpu]") {
  CheckCase c = ragged_case(3, 256);
  c.capacity = 256;
  const std::vector<StepLengths> calls = lengths_of_appends(c, 8);
  for (std::int64_t b = 0; b < c.batch; ++b) {
    std::set<std::int32_t> seen;
    for (const StepLengths& lengths : calls) seen.insert(lengths[b]);
    // Of 8 keys the first are 0, 64 and 256, and one beside them; then the last are in front of these.
    for (const std::int32_t length :
         {-1, 0, 1, 7, 8, 9, 63, 64, 65, 71, 72, 73, 255, 256, 257, 263, 264, 265, -2147483647 - 1, 2147483647}) {
      INFO(b << " " << length);
      CHECK(seen.contains(length));
    }
  }
  const auto differ = [](const StepLengths& call) { return call[0] != call[1] && call[1] != call[2]; };
  CHECK(std::ranges::all_of(calls, differ));
}

TEST_CASE("the expected budget is one key in so many, from one to the count", "[unit][gpu]") {
  const CheckCase c = ragged_case(1, 500);  // budget 5
  CHECK(expected_budget(c, 500, 0) == 5);
  CHECK(expected_budget(c, 0, 100) == 1);
  CHECK(expected_budget(c, 299, 100) == 2);
  CHECK(expected_budget(c, 300, 100) == 3);
  CHECK(expected_budget(c, 500, 7) == 5);
}

namespace {

CheckCase rows_case(std::int64_t query_rows, std::int64_t batch, std::int64_t keys) {
  CheckCase c = ragged_case(batch, keys);
  c.operation = Operation::decode_rows;
  c.query_rows = query_rows;
  return c;
}

}  // namespace

TEST_CASE("what a query row sees ends at its own key", "[unit][gpu]") {
  const CheckCase c = rows_case(3, 4, 500);
  const StepLengths lengths = {500, 2, 0, 1};
  CHECK(lengths_seen(c, lengths, 2) == lengths);
  CHECK(lengths_seen(c, lengths, 1) == StepLengths{499, 1, 0, 0});
  CHECK(lengths_seen(c, lengths, 0) == StepLengths{498, 0, 0, 0});
}

TEST_CASE("query rows meet sequences shorter than they are many, edges between two rows, and both ends",
          "[unit][gpu]") {
  const CheckCase c = rows_case(8, 3, 500);
  for (std::int64_t b = 0; b < c.batch; ++b) {
    std::set<std::int32_t> seen;
    for (const StepLengths& step : lengths_of_query_rows(c)) seen.insert(step[b]);
    // 64 keys are a tile; sink and window are 24.
    for (const std::int32_t length : {0, 1, 7, 8, 9, 25, 32, 64, 71, 499, 500}) {
      INFO(b << " " << length);
      CHECK(seen.contains(length));
    }
  }
  const std::vector<StepLengths> steps = lengths_of_query_rows(c);
  CHECK(steps[steps.size() - 2] == StepLengths{500, 500, 500});
  CHECK(steps.back() == StepLengths{7, 7, 7});
  CHECK(lengths_of_query_rows(rows_case(8, 2, 5)).back() == StepLengths{5, 5});
  for (const StepLengths& step : lengths_of_query_rows(rows_case(8, 2, 5))) {
    for (const std::int32_t length : step) CHECK((length >= 0 && length <= 5));
  }
}
