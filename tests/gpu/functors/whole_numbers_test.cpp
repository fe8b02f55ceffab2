#include "gpu/functors/whole_numbers.hpp"

#include "tests/catch.hpp"

using namespace skt::gpu;

TEST_CASE("a unit that is filled in part counts as one, and an empty one does not", "[unit][gpu]") {
  CHECK(ceil_div(0, 64) == 0);
  CHECK(ceil_div(1, 64) == 1);
  CHECK(ceil_div(64, 64) == 1);
  CHECK(ceil_div(65, 64) == 2);
  CHECK(ceil_div(7, 1) == 7);
}

TEST_CASE("units of sizes beyond 32 bits are counted in the type of the size", "[unit][gpu]") {
  const std::int64_t keys = (std::int64_t{1} << 40) + 1;

  CHECK(ceil_div(keys, 64) == (std::int64_t{1} << 34) + 1);
}

TEST_CASE("the largest size that the interface allows is kept", "[unit][gpu]") {
  CHECK(to_int((std::int64_t{1} << 31) - 1) == 2147483647);
  CHECK(to_int(0) == 0);
}
