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

TEST_CASE("operations follow the pipeline from the index to the step", "[unit][gpu]") {
  CHECK(names_of<Operation>() ==
        std::vector<std::string>{
            "hash-keys",     "build-index",   "value-norms",    "append-lengths", "rewritten-index",  "soft-buckets",
            "score-buckets", "score-packed",  "score-signed",   "select-keys",    "sparse-attention", "published-list",
            "decode-step",   "decode-signed", "decode-lengths", "decode-rest",    "decode-rows",      "paged-writes",
            "paged-index",   "select-shards", "sharded-step",   "append-step",    "pipeline",         "bad-codes",
            "refusals",      "far-addresses", "far-packed",     "far-attention",  "far-index"});
}

TEST_CASE("planes are 15 at most but of packed codes and half-tables, and 4 at least where codes are packed",
          "[unit][gpu]") {
  const std::set<Operation> longest = {Operation::build_index,  Operation::soft_buckets, Operation::score_packed,
                                       Operation::score_signed, Operation::decode_step,  Operation::decode_signed,
                                       Operation::paged_index,  Operation::decode_rows};
  const std::set<Operation> packs = {Operation::build_index,     Operation::score_packed,   Operation::score_signed,
                                     Operation::decode_step,     Operation::decode_signed,  Operation::decode_lengths,
                                     Operation::append_step,     Operation::refusals,       Operation::far_packed,
                                     Operation::far_index,       Operation::append_lengths, Operation::sharded_step,
                                     Operation::paged_writes,    Operation::paged_index,    Operation::decode_rows,
                                     Operation::rewritten_index, Operation::decode_rest};
  for (const Operation operation : values_of<Operation>()) {
    INFO(name_of(operation));
    CHECK(planes_of(operation).most == (longest.contains(operation) ? 16 : 15));
    CHECK(planes_of(operation).least == (packs.contains(operation) ? 4 : 1));
  }
}
