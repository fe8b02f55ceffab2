#include "experiments/parts/slices.hpp"

#include "tests/catch.hpp"
#include "tests/experiments/refusal.hpp"

using namespace skt;

namespace {

std::vector<Part> with_weights(const std::vector<double>& weights) {
  std::vector<Part> parts;
  for (const double weight : weights) parts.push_back({std::to_string(parts.size()), weight, {}});
  return parts;
}

}  // namespace

// By hand: 7 to the first, 6 to the second, 5 to the third; the lightest is then the third (5): 4 makes it 9; the
// second (6): 3 makes it 9; the first (7): 2 makes it 9; all weigh 9, the first takes the last, 1.
TEST_CASE("Parts are dealt heaviest first, each to the slice that weighs least", "[unit]") {
  const std::vector<Part> parts = with_weights({1, 2, 3, 4, 5, 6, 7});

  CHECK(heaviest_first(parts) == std::vector<Index>{6, 5, 4, 3, 2, 1, 0});
  CHECK(dealt(parts, 3) == std::vector<std::vector<Index>>{{6, 1, 0}, {5, 2}, {4, 3}});
  CHECK(dealt(parts, 1) == std::vector<std::vector<Index>>{{6, 5, 4, 3, 2, 1, 0}});
}

TEST_CASE("Equal weights and equal slices are taken in the order of their numbers", "[unit]") {
  CHECK(dealt(with_weights({1, 1, 1, 1, 1}), 2) == std::vector<std::vector<Index>>{{0, 2, 4}, {1, 3}});
  CHECK(dealt(with_weights({2, 5, 2}), 2) == std::vector<std::vector<Index>>{{1}, {0, 2}});
  CHECK(dealt(with_weights({1, 2}), 4) == std::vector<std::vector<Index>>{{1}, {0}, {}, {}});
  CHECK(dealt({}, 2) == std::vector<std::vector<Index>>(2));
}

TEST_CASE("A slice is I/N, and no other text is", "[unit]") {
  CHECK(!slice_named(""));
  CHECK(name_of(slice_named("2/3").value()) == "2/3");
  CHECK(name_of(slice_named("3/3").value()) == "3/3");
  for (const char* text : {"0/3", "4/3", "-1/3", "1/0", "/3", "1/", "1", "1/3/", "1 /3", "1/100001", "a/b", "1/1e9",
                           "99999999999999999999/3"}) {
    CHECK(refusal([&] { slice_named(text); }) ==
          std::string("--slice: ") + text + " given; allowed is I/N, from 1/N to N/N, with N up to 100000");
  }
}

TEST_CASE("The name of a journal says which slice it is of", "[unit]") {
  CHECK(journal_name({2, 3}) == "slice-2-of-3.jsonl");
  CHECK(name_of(slice_of_journal("slice-2-of-3.jsonl").value()) == "2/3");
  for (const char* name :
       {"unfinished.jsonl", "slice-2-of-3.json", "slice-2.jsonl", "slice-4-of-3.jsonl", "slice-.jsonl"})
    CHECK(!slice_of_journal(name));
}
