// Loading somebody else's library, with stubs that need no device.
#include "gpu/check/device/library.hpp"

#include <filesystem>
#include <fstream>
#include <set>
#include <string>

#include "gpu/check/cases/check_case.hpp"
#include "gpu/socketlab_gpu.h"
#include "sim/require.hpp"
#include "tests/catch.hpp"
#include "tests/experiments/refusal.hpp"

using namespace skt::gpu;

namespace {

std::string refused(const std::string& path) {
  return skt::refusal<skt::InputError>([&] { load_library(path); });
}

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("what a library has is called and offered, what it lacks is not", "[unit][gpu]") {
  const Library library = load_library(SKT_STUB_GOOD);

  REQUIRE(library.value_norms != nullptr);
  skt_value_norms_args args = {};
  args.shape.dim = 64;
  CHECK(library.value_norms(&args, nullptr, nullptr) == SKT_OK);
  for (const Operation operation : values_of<Operation>()) {
    INFO(name_of(operation));
    const bool runs = operation == Operation::value_norms || operation == Operation::append_lengths ||
                      operation == Operation::paged_writes || operation == Operation::rewritten_index ||
                      operation == Operation::refusals || operation == Operation::pipeline;
    CHECK(library.offers(operation) == runs);
  }
}

TEST_CASE("missing operations are taken from the other library, present ones are kept", "[unit][gpu]") {
  const Library candidate = load_library(SKT_STUB_GOOD);
  Library own;
  own.value_norms = [](const skt_value_norms_args*, CUstream_st*, skt_error*) { return 77; };
  own.hash_keys = [](const skt_hash_keys_args*, CUstream_st*, skt_error*) { return 78; };

  const Library both = completed(candidate, own);

  CHECK(both.value_norms == candidate.value_norms);
  CHECK(both.hash_keys == own.hash_keys);
  CHECK(both.select_keys == nullptr);
}

TEST_CASE("an operation is offered only with every function that it is checked by", "[unit][gpu]") {
  using Names = std::set<std::string>;
  Library all;
#define SKT_FUNCTION(name) all.name = [](auto...) { return 0; };
#include "gpu/check/device/functions.def"
#undef SKT_FUNCTION
  const auto needed = [&](Operation operation) {
    Names names;
#define SKT_FUNCTION(name)                            \
  {                                                   \
    Library less = all;                               \
    less.name = nullptr;                              \
    if (!less.offers(operation)) names.insert(#name); \
  }
#include "gpu/check/device/functions.def"
#undef SKT_FUNCTION
    return names;
  };
  const Names steps = {"decode_step", "decode_step_workspace_bytes"};
  Names with_stages = {"soft_buckets", "score_packed", "select_keys", "sparse_attention",
                       "sparse_attention_workspace_bytes"};
  with_stages.insert(steps.begin(), steps.end());

  for (const Operation operation : values_of<Operation>()) CHECK(all.offers(operation));
  CHECK(needed(Operation::hash_keys).empty());  // of two functions either
  CHECK(needed(Operation::append_step) == steps);
  for (const Operation operation : {Operation::decode_step, Operation::decode_signed, Operation::decode_lengths,
                                    Operation::decode_rows, Operation::paged_index})
    CHECK(needed(operation) == with_stages);
  CHECK(needed(Operation::select_shards) == Names{"select_keys", "count_shard", "select_shard"});
}

TEST_CASE("a file that is no library of this interface is refused in one line", "[unit][gpu]") {
  const std::string text = std::filesystem::temp_directory_path() / "socketlab_not_a_library.so";
  std::ofstream(text) << "text";

  CHECK(contains(refused("nowhere.so"), "--candidate nowhere.so: no such file"));
  CHECK(contains(refused(text), "--candidate " + text + ": "));
  CHECK(contains(refused(SKT_STUB_OTHER_VERSION),
                 "skt_abi_version is 999, allowed is " + std::to_string(SKT_ABI_VERSION)));
  CHECK(contains(refused(SKT_STUB_NO_VERSION), "has no skt_abi_version"));
  CHECK(contains(refused(SKT_STUB_EMPTY), "has no operation"));
}
