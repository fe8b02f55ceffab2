#include "experiments/files/family_word.hpp"

#include "sim/require.hpp"
#include "tests/catch.hpp"

using namespace skt;

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
