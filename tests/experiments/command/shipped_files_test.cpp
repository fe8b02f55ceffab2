#include "experiments/command/shipped_files.hpp"

#include "tests/catch.hpp"
#include "tests/experiments/refusal.hpp"

using namespace skt;

TEST_CASE("A file that comes with the program is found by its path in the tree", "[unit]") {
  CHECK(std::filesystem::is_regular_file(shipped_file("plots/report.py")));
  CHECK(shipped_file("plots/report.py").parent_path().filename() == "plots");
  CHECK(
      refusal([] { shipped_file("plots/no such file"); }).starts_with("plots/no such file is missing: looked beside "));
  CHECK(refusal([] { shipped_file("none", "; allowed is another"); }).ends_with("; allowed is another"));
}
