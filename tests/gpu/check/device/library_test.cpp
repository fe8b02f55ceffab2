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
  const auto without = [](auto Library::* function, const Library& library) {
    Library less = library;
    less.*function = nullptr;
    return less;
  };
  Library all;
  all.hash_keys = [](const skt_hash_keys_args*, CUstream_st*, skt_error*) { return 0; };
  all.value_norms = [](const skt_value_norms_args*, CUstream_st*, skt_error*) { return 0; };
  all.build_index = [](const skt_build_index_args*, CUstream_st*, skt_error*) { return 0; };
  all.soft_buckets = [](const skt_soft_buckets_args*, CUstream_st*, skt_error*) { return 0; };
  all.score_buckets = [](const skt_score_buckets_args*, CUstream_st*, skt_error*) { return 0; };
  all.score_packed = [](const skt_score_packed_args*, CUstream_st*, skt_error*) { return 0; };
  all.select_keys = [](const skt_select_keys_args*, CUstream_st*, skt_error*) { return 0; };
  all.published_list = [](const skt_published_list_args*, CUstream_st*, skt_error*) { return 0; };
  all.count_shard = [](const skt_count_shard_args*, CUstream_st*, skt_error*) { return 0; };
  all.select_shard = [](const skt_select_shard_args*, CUstream_st*, skt_error*) { return 0; };
  all.merge_parts = [](const skt_merge_parts_args*, CUstream_st*, skt_error*) { return 0; };
  all.sparse_attention = [](const skt_sparse_attention_args*, CUstream_st*, skt_error*) { return 0; };
  all.sparse_attention_workspace_bytes = [](const skt_sparse_attention_args*, std::int64_t*, skt_error*) { return 0; };
  all.decode_step = [](const skt_decode_step_args*, CUstream_st*, skt_error*) { return 0; };
  all.decode_step_workspace_bytes = [](const skt_decode_step_args*, std::int64_t*, skt_error*) { return 0; };
  const auto needed = [&](Operation operation) {
    std::set<std::string> names;
    const auto is_needed = [&](const char* name, auto function) {
      if (!without(function, all).offers(operation)) names.insert(name);
    };
    is_needed("hash_keys", &Library::hash_keys);
    is_needed("value_norms", &Library::value_norms);
    is_needed("build_index", &Library::build_index);
    is_needed("soft_buckets", &Library::soft_buckets);
    is_needed("score_buckets", &Library::score_buckets);
    is_needed("score_packed", &Library::score_packed);
    is_needed("select_keys", &Library::select_keys);
    is_needed("published_list", &Library::published_list);
    is_needed("sparse_attention", &Library::sparse_attention);
    is_needed("its workspace", &Library::sparse_attention_workspace_bytes);
    is_needed("count_shard", &Library::count_shard);
    is_needed("select_shard", &Library::select_shard);
    is_needed("merge_parts", &Library::merge_parts);
    is_needed("decode_step", &Library::decode_step);
    is_needed("the step's workspace", &Library::decode_step_workspace_bytes);
    return names;
  };
  using Names = std::set<std::string>;

  for (const Operation operation : values_of<Operation>()) CHECK(all.offers(operation));
  CHECK(needed(Operation::hash_keys) == Names{"hash_keys"});  // or pack_codes, which this library lacks
  CHECK(needed(Operation::value_norms) == Names{"value_norms"});
  for (const Operation operation : {Operation::build_index, Operation::far_index})
    CHECK(needed(operation) == Names{"build_index"});
  CHECK(needed(Operation::soft_buckets) == Names{"soft_buckets"});
  for (const Operation operation : {Operation::score_buckets, Operation::bad_codes, Operation::far_addresses}) {
    CHECK(needed(operation) == Names{"score_buckets"});
  }
  for (const Operation operation : {Operation::score_packed, Operation::score_signed, Operation::far_packed}) {
    CHECK(needed(operation) == Names{"score_packed"});
  }
  CHECK(needed(Operation::select_keys) == Names{"select_keys"});
  CHECK(needed(Operation::published_list) == Names{"published_list"});
  for (const Operation operation : {Operation::sparse_attention, Operation::far_attention}) {
    CHECK(needed(operation) == Names{"sparse_attention", "its workspace"});
  }
  CHECK(needed(Operation::append_step) == Names{"decode_step", "the step's workspace"});
  for (const Operation operation :
       {Operation::decode_step, Operation::decode_signed, Operation::decode_lengths, Operation::decode_rows}) {
    CHECK(needed(operation) == Names{"decode_step", "the step's workspace", "soft_buckets", "score_packed",
                                     "select_keys", "sparse_attention", "its workspace"});
  }
  CHECK(needed(Operation::decode_rest) == Names{"decode_step", "the step's workspace", "value_norms", "soft_buckets",
                                                "score_packed", "select_keys", "sparse_attention", "its workspace"});
  CHECK(needed(Operation::paged_index) == Names{"decode_step", "the step's workspace", "soft_buckets", "score_packed"});
  CHECK(needed(Operation::select_shards) == Names{"select_keys", "count_shard", "select_shard"});
  CHECK(needed(Operation::sharded_step) == Names{"soft_buckets", "score_packed", "select_keys", "sparse_attention",
                                                 "its workspace", "count_shard", "select_shard", "merge_parts"});
  for (const Operation operation : {Operation::refusals, Operation::pipeline}) CHECK(needed(operation).empty());
  for (const Operation operation : {Operation::append_lengths, Operation::rewritten_index}) {
    CHECK(needed(operation).empty());  // of four functions any
  }
  CHECK(needed(Operation::paged_writes).empty());  // of three
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
