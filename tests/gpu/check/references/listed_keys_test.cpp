// Does a list of a broken library fail its check, and not crash it?
#include "gpu/check/references/listed_keys.hpp"
#include "tests/catch.hpp"

using namespace skt::gpu;

namespace {

constexpr std::int64_t kLength = 3;

// The second of two rows.
std::vector<std::int32_t> listed(const std::vector<std::int32_t>& list, std::int32_t count, Comparison& result) {
  std::vector<std::int32_t> lists = {7, 8, 9};
  lists.insert(lists.end(), list.begin(), list.end());
  return listed_keys(10, lists, {3, count}, kLength, 1, result);
}

}  // namespace

TEST_CASE("a row's keys are those that its count says") {
  Comparison result;
  CHECK(listed({0, 9, -1}, 2, result) == std::vector<std::int32_t>{0, 9});
  CHECK(listed({-1, -1, -1}, 0, result).empty());
  CHECK(listed({9, 9, 0}, kLength, result) == std::vector<std::int32_t>{9, 9, 0});
  CHECK(result.failures() == 0);
}

TEST_CASE("a count or a key that cannot be is a failure and gives nothing to index by") {
  const auto fails = [](const std::vector<std::int32_t>& list, std::int32_t count) {
    Comparison result;
    return listed(list, count, result).empty() && result.failures() == 1;
  };
  CHECK(fails({0, 1, 2}, -1));
  CHECK(fails({0, 1, 2}, kLength + 1));
  CHECK(fails({0, -1, 2}, kLength));
  CHECK(fails({0, 10, 2}, kLength));
}
