// The project's own library, in builds with CUDA; needs no device.
#include "gpu/check/device/library.hpp"
#include "gpu/check/operations/checks.hpp"
#include "tests/catch.hpp"

using namespace skt::gpu;

TEST_CASE("the project's own library has every function that is listed, and so every operation", "[unit][gpu]") {
  const Library own = built_in_library();

#define SKT_FUNCTION(name) CHECK(own.name == &skt_##name);
#include "gpu/check/device/functions.def"
#undef SKT_FUNCTION
  for (const Operation operation : values_of<Operation>()) {
    INFO(name_of(operation));
    CHECK(own.offers(operation));
  }
}

TEST_CASE("an operation is not offered where one of its functions is missing, its stages included", "[unit][gpu]") {
  const auto still_offered = [](auto Library::* function) {
    Library less = built_in_library();
    less.*function = nullptr;
    int offered = 0;
    for (const Operation operation : values_of<Operation>()) offered += less.offers(operation) ? 1 : 0;
    return offered;
  };
  CHECK(still_offered(&Library::hash_keys) == 27);  // hash-keys is checked by its packed codes too
  CHECK(still_offered(&Library::pack_codes) == 27);
  CHECK(still_offered(&Library::build_index) == 25);
  CHECK(still_offered(&Library::value_norms) == 26);
  CHECK(still_offered(&Library::soft_buckets) == 20);   // and six steps
  CHECK(still_offered(&Library::score_buckets) == 24);  // bad-codes, far-addresses
  CHECK(still_offered(&Library::score_packed) == 18);   // score-signed, far-packed and six steps
  CHECK(still_offered(&Library::select_keys) == 20);
  CHECK(still_offered(&Library::published_list) == 26);
  CHECK(still_offered(&Library::sparse_attention) == 20);  // far-attention and five steps
  CHECK(still_offered(&Library::sparse_attention_workspace_bytes) == 20);
  CHECK(still_offered(&Library::count_shard) == 25);  // select-shards, sharded-step
  CHECK(still_offered(&Library::select_shard) == 25);
  CHECK(still_offered(&Library::merge_parts) == 26);
  CHECK(still_offered(&Library::decode_step) == 21);  // both rules, lengths, pages, rows, and append-step
  CHECK(still_offered(&Library::decode_step_workspace_bytes) == 21);
}
