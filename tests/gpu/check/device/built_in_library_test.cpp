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
  CHECK(still_offered(&Library::hash_keys) == 22);  // hash-keys is checked by its packed codes too
  CHECK(still_offered(&Library::pack_codes) == 22);
  CHECK(still_offered(&Library::build_index) == 20);
  CHECK(still_offered(&Library::value_norms) == 21);
  CHECK(still_offered(&Library::soft_buckets) == 18);   // and the three steps
  CHECK(still_offered(&Library::score_buckets) == 19);  // bad-codes, far-addresses
  CHECK(still_offered(&Library::score_packed) == 16);   // score-signed, far-packed and the three steps
  CHECK(still_offered(&Library::select_keys) == 18);
  CHECK(still_offered(&Library::published_list) == 21);
  CHECK(still_offered(&Library::sparse_attention) == 17);  // far-attention and the three steps
  CHECK(still_offered(&Library::sparse_attention_workspace_bytes) == 17);
  CHECK(still_offered(&Library::decode_step) == 18);  // both rules, lengths, and append-step
  CHECK(still_offered(&Library::decode_step_workspace_bytes) == 18);
}
