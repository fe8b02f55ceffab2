// The tables of words, and the table of operations that they begin with; operations.def is one row to an operation.
#include "gpu/check/cases/field_values.hpp"

#include <set>

#include "gpu/check/cases/check_case.hpp"
#include "tests/catch.hpp"

using namespace skt::gpu;

namespace {

// Every name leads to its own value and back.
template <class Enum>
void check_round_trip(std::size_t words) {
  const std::vector<std::string> names = names_of<Enum>();
  CHECK(names.size() == words);
  CHECK(std::set<std::string>(names.begin(), names.end()).size() == words);
  const std::vector<Enum> values = values_of<Enum>();
  CHECK(std::set<Enum>(values.begin(), values.end()).size() == words);
  for (const std::string& name : names) {
    INFO(name);
    const std::optional<Enum> value = value_of<Enum>(name);
    REQUIRE(value.has_value());
    CHECK(name_of(*value) == name);
  }
  CHECK_FALSE(value_of<Enum>("").has_value());
  CHECK_FALSE(value_of<Enum>("no such word").has_value());
}

}  // namespace

TEST_CASE("every word of every field has one name, and every name one value", "[unit][gpu]") {
  check_round_trip<Operation>(29);
  check_round_trip<Profile>(5);
  check_round_trip<InputKind>(11);
  check_round_trip<MaskKind>(5);
  check_round_trip<NumberType>(3);
  check_round_trip<PageLayout>(3);
  check_round_trip<CacheForm>(3);
}

TEST_CASE("names are what a case's text holds: words with hyphens where the enumerators have underscores",
          "[unit][gpu]") {
  CHECK(name_of(Operation::hash_keys) == "hash-keys");
  CHECK(name_of(Operation::far_index) == "far-index");
  CHECK(name_of(Profile::paper_f16) == "paper-f16");
  CHECK(name_of(InputKind::non_finite) == "non-finite");
  CHECK(value_of<MaskKind>("causal") == MaskKind::causal);
  CHECK(value_of<NumberType>("bf16") == NumberType::bf16);
  CHECK(value_of<PageLayout>("nhd") == PageLayout::nhd);
  CHECK(name_of(CacheForm::e4m3_unscaled) == "e4m3-unscaled");
  CHECK_FALSE(value_of<PageLayout>("NHD").has_value());
}
