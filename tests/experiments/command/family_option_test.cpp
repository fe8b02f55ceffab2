#include "experiments/command/family_option.hpp"

#include "tests/catch.hpp"
#include "tests/experiments/parsed_command.hpp"
#include "tests/experiments/refusal.hpp"

using namespace skt;

namespace {

std::vector<std::string> families_of(const std::string& words) {
  std::vector<std::string> families{"gaussian"};
  parse_options([&](CLI::App& app) { add_families(app, families, "Instances"); }, words);
  return families;
}

}  // namespace

TEST_CASE("Families are given by either word, with commas, and none twice", "[unit]") {
  CHECK(families_of("") == std::vector<std::string>{"gaussian"});
  CHECK(families_of("--families needle,clustered") == std::vector<std::string>{"needle", "clustered"});
  CHECK(families_of("--family needle,clustered") == std::vector<std::string>{"needle", "clustered"});
  CHECK(refusal([] { families_of("--family needle --families needle"); }) ==
        "--families: needle twice; allowed is each once");
}
