// What of several query rows does the interface refuse, and how much scratch memory do they need? Runs without a GPU.
#include <cstdint>
#include <string>

#include "gpu/socketlab_gpu.h"
#include "tests/catch.hpp"
#include "tests/gpu/refused_calls.hpp"

using namespace skt::gpu;

namespace {

skt_decode_step_args good_step() {
  skt_decode_step_args good = {};
  good.queries = good.keys = good.values = good.norms = somewhere<void>();
  good.hyperplanes = somewhere<const float>();
  good.packed = somewhere<const std::uint32_t>();
  good.output = somewhere<float>();
  good.workspace = somewhere<void>();
  good.workspace_bytes = INT64_MAX;
  good.batch = 3;
  good.heads = 8;
  good.kv_heads = 2;
  good.capacity = 256;
  good.used = 200;
  good.dim = 128;
  good.tables = 60;
  good.planes = 10;
  good.budget = 20;
  good.scale = good.logit_scale = 0.125f;
  good.temperature = 0.5f;
  good.type = SKT_BF16;
  return good;
}

std::string refusal(const skt_decode_step_args& args) {
  skt_error error = {};
  return skt_decode_step(&args, nullptr, &error) == SKT_BAD_ARGUMENT ? error.message : "";
}

std::int64_t workspace_of(std::int64_t query_rows) {
  skt_decode_step_args args = good_step();
  args.query_rows = query_rows;
  std::int64_t bytes = 0;
  REQUIRE(skt_decode_step_workspace_bytes(&args, &bytes, nullptr) == SKT_OK);
  return bytes;
}

}  // namespace

TEST_CASE("a step takes up to eight query rows, and no more than 65535 of all heads", "[unit][gpu]") {
  skt_decode_step_args args = good_step();
  args.query_rows = 9;
  CHECK(refusal(args) == "query_rows is 9: allowed is 0 to 8");
  args.query_rows = -1;
  CHECK(refusal(args) == "query_rows is -1: allowed is 0 to 8");
  args.query_rows = 8;
  args.batch = 1024;
  CHECK(refusal(args) == "batch * query_rows * heads is 65536: allowed is 1 to 65535");
}

TEST_CASE("a step of several query rows needs that many times the scratch memory of one", "[unit][gpu]") {
  CHECK(workspace_of(0) == workspace_of(1));
  // Each piece of the workspace is rounded up to 256 bytes: of 7 pieces.
  for (const std::int64_t rows : {2, 3, 8}) {
    CHECK(workspace_of(rows) <= rows * workspace_of(1));
    CHECK(workspace_of(rows) > rows * (workspace_of(1) - 7 * 256));
  }
}

TEST_CASE("scores and attention count query rows among the heads of all sequences", "[unit][gpu]") {
  skt_error error = {};
  skt_score_packed_args score = {};
  score.batch = 4096;
  score.heads = score.kv_heads = 8;
  score.query_rows = 2;
  CHECK(skt_score_packed(&score, nullptr, &error) == SKT_BAD_ARGUMENT);
  CHECK(std::string(error.message) == "batch * query_rows * heads is 65536: allowed is 1 to 65535");
  skt_sparse_attention_args attention = {};
  attention.batch = 4096;
  attention.heads = attention.kv_heads = 8;
  attention.query_rows = 2;
  CHECK(skt_sparse_attention(&attention, nullptr, &error) == SKT_BAD_ARGUMENT);
  CHECK(std::string(error.message) == "batch * query_rows * heads is 65536: allowed is 1 to 65535");
}

TEST_CASE("rows to select from are whole sequences of query rows", "[unit][gpu]") {
  skt_select_keys_args good = {};
  good.scores = somewhere<const float>();
  good.selected = good.counts = somewhere<std::int32_t>();
  good.rows = 12;
  good.capacity = 256;
  good.keys = 200;
  good.budget = 20;
  const auto refused = [&](std::int64_t query_rows, std::int64_t rows_per_length) {
    skt_select_keys_args args = good;
    args.query_rows = query_rows;
    args.rows_per_length = rows_per_length;
    skt_error error = {};
    return skt_select_keys(&args, nullptr, &error) == SKT_BAD_ARGUMENT ? std::string(error.message) : "";
  };

  CHECK(refused(9, 1) == "query_rows is 9: allowed is 0 to 8");
  CHECK(refused(2, 0) == "rows_per_length is 0: allowed is 1 to 12");
  CHECK(refused(2, 12) == "rows is 12: allowed is a multiple of 24");
  CHECK(refused(5, 1) == "rows is 12: allowed is a multiple of 5");
}
