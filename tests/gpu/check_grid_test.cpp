#include "gpu/check/check_grid.hpp"

#include <set>

#include "sim/input_error.hpp"
#include "tests/catch.hpp"

using namespace skt;
using namespace skt::gpu;

TEST_CASE("Every case of every grid is valid and can be replayed from its text", "[unit]") {
  for (const char* name : {"tiny", "quick", "full"}) {
    for (const CheckCase& c : grid_by_name(name, 7)) {
      INFO(c.text());
      REQUIRE_NOTHROW(c.require_valid());
      REQUIRE(CheckCase::parse(c.text()).text() == c.text());
      REQUIRE(c.seed == 7);
    }
  }
}

TEST_CASE("The quick grid holds every operation but those that need giant memory", "[unit]") {
  std::set<std::string> quick, full;
  for (const CheckCase& c : quick_grid(1)) quick.insert(c.operation);
  for (const CheckCase& c : full_grid(1)) full.insert(c.operation);
  for (const std::string& operation : check_operations()) {
    INFO(operation);
    CHECK(full.contains(operation));
    CHECK(quick.contains(operation) == !operation.starts_with("far-"));
  }
}

TEST_CASE("The slices of a grid are its cases, each once", "[unit]") {
  const std::vector<CheckCase> grid = tiny_grid(1);
  for (const std::size_t n : {std::size_t{1}, std::size_t{3}, std::size_t{16}, grid.size() + 1}) {
    std::multiset<std::string> sliced, whole;
    for (const CheckCase& c : grid) whole.insert(c.text());
    for (std::size_t i = 1; i <= n; ++i) {
      for (const CheckCase& c : slice_of(grid, std::to_string(i) + "/" + std::to_string(n)))
        sliced.insert(c.text());
    }
    CHECK(sliced == whole);
  }
}

TEST_CASE("What is left out by size is what is larger", "[unit]") {
  const std::vector<CheckCase> grid = quick_grid(1);
  const std::vector<CheckCase> kept = no_larger(grid, 1000, 1 << 12);
  std::size_t small = 0;
  for (const CheckCase& c : grid) small += c.keys <= 1000 && c.tables * (1 << c.planes) <= 1 << 12;
  CHECK(kept.size() == small);
  CHECK(kept.size() < grid.size());
  for (const CheckCase& c : kept) CHECK((c.keys <= 1000 && c.tables << c.planes <= 1 << 12));
}

TEST_CASE("A slice that is none is refused by name", "[unit]") {
  for (const char* wrong : {"", "1", "/", "0/4", "5/4", "1/0", "-1/4", "1/4x", "a/b", "1/4/2"}) {
    INFO(wrong);
    CHECK_THROWS_AS(slice_of(tiny_grid(1), wrong), InputError);
  }
}
