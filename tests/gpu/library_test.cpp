// Loading somebody else's library, with stubs that need no device.
#include "gpu/check/library.hpp"

#include <filesystem>
#include <fstream>
#include <string>

#include "gpu/check/check_case.hpp"
#include "sim/input_error.hpp"
#include "gpu/socketlab_gpu.h"
#include "tests/catch.hpp"

using namespace skt::gpu;

namespace {

std::string refusal(const std::string& path) {
  try {
    load_library(path);
  } catch (const skt::InputError& error) {
    return error.what();
  }
  return "";
}

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("what a library has is called and offered, what it lacks is not", "[unit][gpu]") {
  const Library library = load_library(SKT_STUB_GOOD);

  REQUIRE(library.value_norms != nullptr);
  skt_value_norms_args args = {};
  args.dim = 64;
  CHECK(library.value_norms(&args, nullptr, nullptr) == SKT_OK);
  CHECK(offers(library, "value-norms"));
  for (const std::string& operation : check_operations()) {
    INFO(operation);
    const bool runs = operation == "value-norms" || operation == "refusals" || operation == "pipeline";
    CHECK(offers(library, operation) == runs);
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

TEST_CASE("a file that is no library of this interface is refused in one line", "[unit][gpu]") {
  const std::string text = std::filesystem::temp_directory_path() / "socketlab_not_a_library.so";
  std::ofstream(text) << "text";

  CHECK(contains(refusal("nowhere.so"), "--candidate nowhere.so: no such file"));
  CHECK(contains(refusal(text), "--candidate " + text + ": "));
  CHECK(contains(refusal(SKT_STUB_OTHER_VERSION),
                 "skt_abi_version is 999, allowed is " + std::to_string(SKT_ABI_VERSION)));
  CHECK(contains(refusal(SKT_STUB_NO_VERSION), "has no skt_abi_version"));
  CHECK(contains(refusal(SKT_STUB_EMPTY), "has no operation"));
}
