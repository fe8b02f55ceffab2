// What of several query rows does the interface refuse, and how much scratch memory do they need? Runs without a GPU.
#include <cstdint>
#include <string>

#include "gpu/socketlab_gpu.h"
#include "tests/catch.hpp"
#include "tests/gpu/refused_calls.hpp"

using namespace skt::gpu;

namespace {

std::string refusal(const skt_decode_step_args& args) {
  skt_error error = {};
  return skt_decode_step(&args, nullptr, &error) == SKT_BAD_ARGUMENT ? error.message : "";
}

std::int64_t workspace_of(std::int64_t query_rows) {
  skt_decode_step_args args = good_step();
  args.shape.query_rows = query_rows;
  std::int64_t bytes = 0;
  REQUIRE(skt_decode_step_workspace_bytes(&args, &bytes, nullptr) == SKT_OK);
  return bytes;
}

}  // namespace

TEST_CASE("a step takes up to eight query rows, and no more than 65535 of all heads", "[unit][gpu]") {
  skt_decode_step_args args = good_step();
  args.shape.query_rows = 9;
  CHECK(refusal(args) == "query_rows is 9: allowed is 0 to 8");
  args.shape.query_rows = -1;
  CHECK(refusal(args) == "query_rows is -1: allowed is 0 to 8");
  args.shape.query_rows = 8;
  args.shape.batch = 1024;
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

TEST_CASE("scores, selection and attention count query rows among the heads of all sequences", "[unit][gpu]") {
  constexpr skt_shape kRows = {.batch = 4096, .heads = 8, .kv_heads = 8, .query_rows = 2};
  const std::string line = "batch * query_rows * heads is 65536: allowed is 1 to 65535";
  const auto nothing = [](auto&) {};

  CHECK(refused(&skt_soft_buckets, {.shape = kRows}, nothing) == line);
  CHECK(refused(&skt_score_packed, {.shape = kRows}, nothing) == line);
  CHECK(refused(&skt_select_keys, {.shape = kRows}, nothing) == line);
  CHECK(refused(&skt_sparse_attention, {.shape = kRows}, nothing) == line);
  CHECK(refused(&skt_merge_parts, {.ranks = 1, .shape = kRows}, nothing) == line);
}

TEST_CASE("a selection takes up to eight query rows, and a rank one", "[unit][gpu]") {
  const auto rows = [](std::int64_t query_rows) {
    return skt_shape{.batch = 1, .heads = 12, .query_rows = query_rows, .capacity = 256};
  };
  const auto nothing = [](auto&) {};

  CHECK(refused(&skt_select_keys, {.shape = rows(9)}, nothing) == "query_rows is 9: allowed is 0 to 8");
  CHECK(refused(&skt_count_shard, {.shard = {.shape = rows(2)}}, nothing) == "query_rows is 2: allowed is 0 to 1");
  CHECK(refused(&skt_select_shard, {.shard = {.shape = rows(2)}}, nothing) == "query_rows is 2: allowed is 0 to 1");
}
