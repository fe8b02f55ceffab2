#include "gpu/functors/lengths.hpp"

#include "tests/catch.hpp"

using namespace skt::gpu;

TEST_CASE("without lengths every sequence has all keys", "[unit][gpu]") {
  CHECK(length_of(nullptr, 0, 300) == 300);
  CHECK(length_of(nullptr, 7, 0) == 0);
}

TEST_CASE("with lengths a sequence has its own, held within what there can be", "[unit][gpu]") {
  const std::int32_t lengths[] = {0, 63, 300, 301, -5, 2147483647};

  CHECK(length_of(lengths, 0, 300) == 0);
  CHECK(length_of(lengths, 1, 300) == 63);
  CHECK(length_of(lengths, 2, 300) == 300);
  CHECK(length_of(lengths, 3, 300) == 300);
  CHECK(length_of(lengths, 4, 300) == 0);
  CHECK(length_of(lengths, 5, 2147483647) == 2147483647);
}

TEST_CASE("a query row sees as many keys less as rows come behind it, and none of a shorter sequence", "[unit][gpu]") {
  CHECK(length_before(300, 0) == 300);
  CHECK(length_before(300, 7) == 293);
  CHECK(length_before(8, 7) == 1);
  CHECK(length_before(7, 7) == 0);
  CHECK(length_before(3, 7) == 0);
  CHECK(length_before(0, 0) == 0);
  CHECK(length_before(2147483647, 1) == 2147483646);
}

TEST_CASE("rows are those of one sequence after the other, of one query row after the other", "[unit][gpu]") {
  const auto is = [](const RowPlace& place, int sequence, int behind) {
    return place.sequence == sequence && place.behind == behind;
  };
  // Two sequences of three query rows of four heads.
  CHECK(is(place_of_row(0, 4, 3), 0, 2));
  CHECK(is(place_of_row(3, 4, 3), 0, 2));
  CHECK(is(place_of_row(4, 4, 3), 0, 1));
  CHECK(is(place_of_row(11, 4, 3), 0, 0));
  CHECK(is(place_of_row(12, 4, 3), 1, 2));
  CHECK(is(place_of_row(23, 4, 3), 1, 0));
  CHECK(is(place_of_row(23, 4, 1), 5, 0));
  CHECK(query_rows_of({.query_rows = 0}) == 1);
  CHECK(query_rows_of({.query_rows = 1}) == 1);
  CHECK(query_rows_of({.query_rows = 8}) == 8);
  CHECK(all_rows({.batch = 2, .heads = 4, .query_rows = 3}) == 24);
  CHECK(all_rows({.batch = 2, .heads = 4}) == 8);
  CHECK(length_of_list({.budget = 20, .sink = 4, .window = 3}) == 27);
}

TEST_CASE("the window is the last keys of the length, and all where there are no more", "[unit][gpu]") {
  CHECK(window_begin(300, 8) == 292);
  CHECK(window_begin(300, 0) == 300);
  CHECK(window_begin(8, 8) == 0);
  CHECK(window_begin(7, 8) == 0);
  CHECK(window_begin(0, 8) == 0);
  CHECK(window_begin(2147483647, 1) == 2147483646);
}

TEST_CASE("a budget is a count, or one key in so many rounded down between one and the count", "[unit][gpu]") {
  CHECK(budget_of(300, 20, 0) == 20);
  CHECK(budget_of(0, 20, 0) == 20);
  CHECK(budget_of(300, 20, 33) == 9);  // 9.09
  CHECK(budget_of(329, 20, 33) == 9);  // 9.97
  CHECK(budget_of(330, 20, 33) == 10);
  CHECK(budget_of(66, 20, 33) == 2);
  CHECK(budget_of(65, 20, 33) == 1);
  CHECK(budget_of(32, 20, 33) == 1);
  CHECK(budget_of(0, 20, 33) == 1);
  CHECK(budget_of(660, 20, 33) == 20);
  CHECK(budget_of(693, 20, 33) == 20);
  CHECK(budget_of(300, 0, 33) == 0);
  CHECK(budget_of(300, 2147483647, 1) == 300);
  CHECK(budget_of(2147483647, 5, 2147483647) == 1);
}

namespace {

// The arguments of an index function to a cache of 128 keys.
skt_pack_codes_args asked(const skt_written& written) {
  return {.shape = {.capacity = 128}, .written = written};
}

bool is_range(const KeyRange& range, std::int64_t begin, std::int64_t end) {
  return range.begin == begin && range.end == end;
}

bool is_empty(const KeyRange& range) {
  return range.end <= range.begin;
}

}  // namespace

TEST_CASE("without lengths the keys from the first on are appended to every sequence", "[unit][gpu]") {
  CHECK(is_range(appended_keys(asked({.first = 60, .count = 5}), 0), 60, 65));
  CHECK(is_range(appended_keys(asked({.first = 60, .count = 5}), 3), 60, 65));
  CHECK(is_empty(appended_keys(asked({.first = 128, .count = 0}), 0)));
}

TEST_CASE("with lengths the last keys of each sequence are appended, but for those outside the cache", "[unit][gpu]") {
  const std::int32_t lengths[] = {64, 1, 3, 128, 130, 0, -7, 2147483647, -2147483647 - 1, 133, 5};
  const skt_pack_codes_args five = asked({.count = 5, .lengths = lengths});
  CHECK(is_range(appended_keys(five, 0), 59, 64));
  CHECK(is_range(appended_keys(five, 1), 0, 1));
  CHECK(is_range(appended_keys(five, 2), 0, 3));
  CHECK(is_range(appended_keys(five, 3), 123, 128));
  CHECK(is_range(appended_keys(five, 4), 125, 128));
  for (const int beyond : {5, 6, 7, 8, 9}) CHECK(is_empty(appended_keys(five, beyond)));
  CHECK(is_range(appended_keys(five, 10), 0, 5));
  CHECK(is_range(appended_keys(asked({.count = 1, .lengths = lengths}), 0), 63, 64));
  CHECK(is_range(appended_keys(asked({.count = 128, .lengths = lengths}), 0), 0, 64));
}
