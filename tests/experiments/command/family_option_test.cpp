#include "experiments/command/family_option.hpp"

#include "sim/require.hpp"
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

TEST_CASE("Needles are eight, and have their own name in the files", "[unit]") {
  FamilyParameters given;
  given.keys = 77;

  const FamilyParameters several = with_family(given, "needles"), one = with_family(given, "needle");

  CHECK(several.family == InstanceFamily::needle);
  CHECK(several.needles == 8);
  CHECK(several.keys == 77);
  CHECK(one.family == InstanceFamily::needle);
  CHECK(one.needles == 1);
  CHECK(name_of(several) == "needles");
  CHECK(name_of(one) == "needle");
  CHECK_THROWS_AS(with_family(given, "needless"), InputError);
}

TEST_CASE("Every family of one name keeps it", "[unit]") {
  for (const std::string& name : instance_family_names()) CHECK(name_of(with_family({}, name)) == name);
}

TEST_CASE("Families are given by either word, with commas, and none twice", "[unit]") {
  CHECK(families_of("") == std::vector<std::string>{"gaussian"});
  CHECK(families_of("--families needle,clustered") == std::vector<std::string>{"needle", "clustered"});
  CHECK(families_of("--family needle,clustered") == std::vector<std::string>{"needle", "clustered"});
  CHECK(refusal([] { families_of("--family needle --families needle"); }) ==
        "--families: needle twice; allowed is each once");
}
