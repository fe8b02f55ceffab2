// What the C interface refuses before it touches a device, and how much scratch memory it asks for; needs a CUDA build, no
// GPU. gpu/check/operations/refusal_tables.hpp has the calls and the lines.
#include <cstdint>
#include <set>
#include <string>

#include "gpu/check/operations/refusals.hpp"
#include "gpu/socketlab_gpu.h"
#include "tests/catch.hpp"

using namespace skt::gpu;

namespace {

// Looks right and is never followed.
void* somewhere() {
  return reinterpret_cast<void*>(std::uintptr_t{1} << 20);
}

std::int64_t workspace_of(const skt_decode_step_args& args) {
  std::int64_t bytes = 0;
  REQUIRE(skt_decode_step_workspace_bytes(&args, &bytes, nullptr) == SKT_OK);
  return bytes;
}

}  // namespace

TEST_CASE("each wrong argument of each function is refused by its line, and what is right is not", "[unit][gpu]") {
  const Library own = built_in_library();
  std::set<std::string> functions;
  std::size_t refused = 0, accepted = 0;
  for (const Call& call : calls_of_all_functions(somewhere())) {
    functions.insert(call.function);
    if (call.launches) continue;
    skt_error error = {};
    const int code = call.run(own, &error);
    const std::string line = error.message;
    INFO(call.function << ' ' << call.changes << ": " << line);
    if (call.line.empty()) {
      CHECK(code == SKT_OK);
      ++accepted;
      continue;
    }
    CHECK(code == SKT_BAD_ARGUMENT);
    if (call.line.ends_with("..")) {
      CHECK(line.starts_with(call.line.substr(0, call.line.size() - 2)));
    } else {
      CHECK(line == call.line);
    }
    CHECK(call.run(own, nullptr) == SKT_BAD_ARGUMENT);
    ++refused;
  }
  CHECK(functions.size() == 14);
  CHECK(refused > 280);
  CHECK(accepted > 30);
}

TEST_CASE("the library offers no function that is not asked for what it refuses", "[unit][gpu]") {
  std::set<std::string> asked = {"skt_sparse_attention_workspace_bytes", "skt_decode_step_workspace_bytes"};
  for (const Call& call : calls_of_all_functions(somewhere())) asked.insert(call.function);
#define SKT_FUNCTION(name) CHECK(asked.contains("skt_" #name));
#include "gpu/check/device/functions.def"
#undef SKT_FUNCTION
}

TEST_CASE("a workspace that is too small is refused with the size that is needed", "[unit][gpu]") {
  const auto* const numbers = static_cast<const std::int32_t*>(somewhere());
  skt_sparse_attention_args args = {.queries = somewhere(),
                                    .cache = {.keys = somewhere(), .values = somewhere()},
                                    .selected = numbers,
                                    .counts = numbers,
                                    .output = static_cast<float*>(somewhere()),
                                    .workspace = somewhere(),
                                    .shape = {.batch = 1, .heads = 1, .kv_heads = 1, .capacity = 1000, .dim = 64},
                                    .list = 300,
                                    .logit_scale = 0.125f};
  std::int64_t bytes = 0;
  REQUIRE(skt_sparse_attention_workspace_bytes(&args, &bytes, nullptr) == SKT_OK);
  args.workspace_bytes = bytes - 1;

  skt_error error = {};
  CHECK(skt_sparse_attention(&args, nullptr, &error) == SKT_BAD_ARGUMENT);
  CHECK(std::string(error.message).find("workspace_bytes is " + std::to_string(bytes - 1)) == 0);
}

TEST_CASE("how much scratch memory a step needs is said before it has arrays, and refused of wrong sizes",
          "[unit][gpu]") {
  skt_decode_step_args args = {
      .shape = {.batch = 1, .heads = 4, .kv_heads = 2, .capacity = 256, .dim = 64, .tables = 8, .planes = 8},
      .sequences = {.used = 200},
      .list = {.budget = 20},
      .scale = 1,
      .temperature = 1,
      .logit_scale = 1,
      .paged_index = 1};
  CHECK(workspace_of(args) > 0);
  args.shape.capacity = 200;
  std::int64_t bytes = 0;
  CHECK(skt_decode_step_workspace_bytes(&args, &bytes, nullptr) == SKT_BAD_ARGUMENT);
}

TEST_CASE("a step of several query rows needs that many times the scratch memory of one", "[unit][gpu]") {
  const auto of_rows = [](std::int64_t query_rows) {
    return workspace_of({.shape = {.batch = 3,
                                   .heads = 8,
                                   .kv_heads = 2,
                                   .query_rows = query_rows,
                                   .capacity = 256,
                                   .dim = 128,
                                   .tables = 60,
                                   .planes = 10},
                         .sequences = {.used = 200},
                         .list = {.budget = 20},
                         .scale = 1,
                         .temperature = 1,
                         .logit_scale = 1});
  };
  CHECK(of_rows(0) == of_rows(1));
  // Each piece of the workspace is rounded up to 256 bytes: of 7 pieces.
  for (const std::int64_t rows : {2, 3, 8}) {
    CHECK(of_rows(rows) <= rows * of_rows(1));
    CHECK(of_rows(rows) > rows * (of_rows(1) - 7 * 256));
  }
}

TEST_CASE("a step by the signed rule of heads that share a kv head has half the bytes of scores", "[unit][gpu]") {
  const auto workspace = [](std::int32_t rule, std::int64_t kv_heads) {
    return workspace_of(
        {.shape =
             {.batch = 1, .heads = 8, .kv_heads = kv_heads, .capacity = 1 << 20, .dim = 128, .tables = 40, .planes = 8},
         .sequences = {.used = 1000},
         .list = {.budget = 100},
         .scale = 1,
         .temperature = 1,
         .logit_scale = 1,
         .rule = rule});
  };
  constexpr std::int64_t kHalf = std::int64_t{8} * 2 << 20;  // of 8 rows of fp32 scores
  // Of 2 kv heads what their scores may work in, by either rule: 4 heads each, and keys of 10 words.
  constexpr std::int64_t kWork = 2 * (3 * 1024 + 128 + 4 * 64);

  CHECK(workspace(SKT_SIGNED_PROJECTION, 8) - workspace(SKT_SIGNED_PROJECTION, 2) == kHalf - kWork);
  CHECK(workspace(SKT_SOFT_COLLISION, 8) == workspace(SKT_SIGNED_PROJECTION, 8));
  CHECK(workspace(SKT_SOFT_COLLISION, 2) == workspace(SKT_SIGNED_PROJECTION, 8) + kWork);
}
