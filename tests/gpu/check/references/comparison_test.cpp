#include "gpu/check/references/comparison.hpp"

#include <cmath>
#include <vector>

#include "tests/catch.hpp"

using namespace skt::gpu;

TEST_CASE("a comparison fails on NaN, on infinity and beyond the tolerance", "[unit][gpu]") {
  Comparison good;
  good.within("x", 0, 1.5, 1.0, 0.5);
  good.equal("x", 1, -INFINITY, -INFINITY);
  good.equal("x", 2, NAN, NAN);
  CHECK(good.failures() == 0);
  CHECK(good.worst_ratio() == 1.0);

  Comparison bad;
  bad.within("x", 3, NAN, 1.0, INFINITY);
  bad.within("x", 4, INFINITY, 1.0, 1e300);
  bad.within("x", 5, 1.6, 1.0, 0.5);
  bad.equal("x", 6, 1.0, NAN);
  CHECK(bad.failures() == 4);
  CHECK(bad.worst().find("x[3]") == 0);
}

TEST_CASE("same bits are the same length and the same bits", "[unit][gpu]") {
  const std::vector<float> numbers = {1, -0.0f, NAN};
  const auto failures = [&](const std::vector<float>& got) {
    Comparison result;
    result.same_bits("x", got, numbers);
    CHECK(result.compared() > 0);
    return result.failures();
  };
  CHECK(failures(numbers) == 0);
  CHECK(failures({1, 0.0f, NAN}) == 1);
  CHECK(failures({2, 0.0f, NAN}) == 2);
  CHECK(failures({1, -0.0f}) == 1);
  CHECK(failures({}) == 1);
}

TEST_CASE("same numbers are the same length and the same numbers, and the first other one is named", "[unit][gpu]") {
  const std::vector<std::int32_t> numbers = {5, -1, 7};
  const auto compared_with = [&](const std::vector<std::int32_t>& got) {
    Comparison result;
    result.same_numbers("x", got, numbers);
    return result;
  };
  const Comparison same = compared_with(numbers);
  CHECK(same.failures() == 0);
  CHECK(same.compared() == 1 + 3);  // the lengths, and each number
  CHECK(same.worst().empty());

  const Comparison other = compared_with({5, 0, 8});
  CHECK(other.failures() == 1);
  CHECK(other.worst().starts_with("x[1] is 0, expected -1, "));
  CHECK(compared_with({5, -1, 8}).worst().starts_with("x[2] is 8, expected 7, "));
  CHECK(compared_with({5, -1}).failures() == 1);
  CHECK(compared_with({5, -1, 7, 7}).failures() == 1);
}

TEST_CASE("the worst element is the one furthest beyond its tolerance, and a failure before what passed",
          "[unit][gpu]") {
  Comparison result;
  result.within("x", 0, 1.25, 1, 1);   // error / tolerance 1/4
  result.within("x", 1, 2, 1, 2);      // 1/2
  result.within("y", 2, 1.375, 1, 1);  // 3/8
  CHECK(result.worst_ratio() == 0.5);
  CHECK(result.worst() == "x[1] is 2, expected 1, tolerance 2, error/tolerance 0.5");

  result.within("z", 3, 4, 1, 2);  // 3/2
  result.within("z", 4, 9, 1, 2);  // 4
  result.within("z", 5, 5, 1, 2);  // 2
  CHECK(result.failures() == 3);
  CHECK(result.compared() == 6);
  CHECK(result.worst() == "z[4] is 9, expected 1, tolerance 2, error/tolerance 4");
}

TEST_CASE("a condition that fails is named with its place, the first one", "[unit][gpu]") {
  Comparison result;
  CHECK(result.worst_ratio() == -1);
  result.holds("count", 3, true);
  CHECK(result.worst_ratio() == 0);
  result.holds("count", 7, false);
  result.holds("order", 9, false);

  CHECK(result.failures() == 2);
  CHECK(result.compared() == 3);
  CHECK(result.worst() == "count fails at 7");
  CHECK(std::isinf(result.worst_ratio()));
}
