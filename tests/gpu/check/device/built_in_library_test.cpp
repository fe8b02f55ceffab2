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
  CHECK(still_offered(&Library::hash_keys) == 29);  // hash-keys is checked by its packed codes too
  CHECK(still_offered(&Library::pack_codes) == 29);
  CHECK(still_offered(&Library::build_index) == 27);
  CHECK(still_offered(&Library::value_norms) == 27);
  CHECK(still_offered(&Library::soft_buckets) == 21);   // and six steps
  CHECK(still_offered(&Library::score_buckets) == 26);  // bad-codes, far-addresses
  CHECK(still_offered(&Library::score_packed) == 19);   // score-signed, far-packed and six steps
  CHECK(still_offered(&Library::select_keys) == 21);
  CHECK(still_offered(&Library::published_list) == 28);
  CHECK(still_offered(&Library::sparse_attention) == 21);  // far-attention and five steps
  CHECK(still_offered(&Library::sparse_attention_workspace_bytes) == 21);
  CHECK(still_offered(&Library::count_shard) == 27);  // select-shards, sharded-step
  CHECK(still_offered(&Library::select_shard) == 27);
  CHECK(still_offered(&Library::merge_parts) == 28);
  CHECK(still_offered(&Library::decode_step) == 22);  // both rules, lengths, pages, rows, and append-step
  CHECK(still_offered(&Library::decode_step_workspace_bytes) == 22);
}
