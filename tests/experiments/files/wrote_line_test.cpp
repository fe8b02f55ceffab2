#include "experiments/files/wrote_line.hpp"

#include "tests/catch.hpp"

using namespace skt;

TEST_CASE("A command says the path of its first file and the names beside it", "[unit]") {
  CHECK(wrote_line("results", {"sweep.csv", "sweep_slopes.csv"}) == "wrote results/sweep.csv, sweep_slopes.csv\n");
  CHECK(wrote_line("/a folder/", {"search.csv"}) == "wrote /a folder/search.csv\n");
  CHECK(wrote_line("results", {}).empty());
}
