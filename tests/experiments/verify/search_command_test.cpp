#include "proofs_check/inequalities/adversarial_search.hpp"
#include "tests/catch.hpp"
#include "tests/experiments/parsed_command.hpp"
#include "tests/experiments/temporary_folder.hpp"

using namespace skt;

TEST_CASE("search writes a row for each inequality, and returns 0 if every one is as expected", "[unit]") {
  if (!can_search()) return;
  const TemporaryFolder folder;
  const ParsedCommand command(search_command, "search --starts 1 --evaluations 5 --out '" + folder.path.string() + "'");

  const int code = command.run();

  const std::string table = contents(folder.path / "search.csv");
  CHECK(table.starts_with("inequality,expected,supremum,starts,evaluations,as_expected\n"));
  for (const SearchedInequality& inequality : searched_inequalities()) {
    INFO(inequality.name);
    const bool holds = inequality.expectation == SearchExpectation::holds;
    CHECK(table.find("\n" + inequality.name + (holds ? ",at most 1," : ",above 1,")) != std::string::npos);
  }
  CHECK(code == (table.find(",no\n") == std::string::npos ? kAsExpected : kNotAsExpected));
  CHECK(contents(folder.path / "provenance.json").find("\"socketlab search --starts 1 --evaluations 5 --seed 1\"") !=
        std::string::npos);
}
