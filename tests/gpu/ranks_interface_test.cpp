// What the functions of several ranks refuse before they touch a device; needs a CUDA build, no GPU.
#include <cstdint>
#include <string>

#include "gpu/socketlab_gpu.h"
#include "tests/catch.hpp"
#include "tests/gpu/refused_calls.hpp"

using namespace skt::gpu;

namespace {

template <class Args>
void set_shard(Args& args) {
  args.scores = somewhere<const float>();
  args.counts = somewhere<std::int32_t>();
  args.last_counts = somewhere<std::int32_t>();
  args.marks = somewhere<std::uint32_t>();
  args.rows = 6;
  args.capacity = 128;
  args.keys = 100;
  args.first = 300;
  args.used = 1000;
  args.budget = 10;
}

template <class Args>
void check_shard(int (*function)(const Args*, CUstream_st*, skt_error*), const Args& good) {
  const auto refusal = [&](auto&& change) { return refused(function, good, change); };
  CHECK(refusal([](Args& args) { args.keys = 129; }) == "keys is 129: allowed is 0 to 128");
  CHECK(refusal([](Args& args) { args.first = -1; }) == "first is -1: allowed is 0 to 2147483547");
  CHECK(refusal([](Args& args) { args.first = 2147483548; }) == "first is 2147483548: allowed is 0 to 2147483547");
  CHECK(refusal([](Args& args) { args.used = 2147483648; }) == "used is 2147483648: allowed is 0 to 2147483647");
  CHECK(refusal([](Args& args) { args.scores = nullptr; }) == "scores is 0: allowed is a device pointer");
  CHECK(refusal([](Args& args) { args.last_counts = nullptr; }) == "last_counts is 0: allowed is a device pointer");
  CHECK(refusal([](Args& args) { args.counts = somewhere<std::int32_t>(4); }) ==
        "counts, modulo 16, is 4: allowed is 0");
  CHECK(refusal([](Args& args) { args.marks = nullptr; }) == "marks is 0: allowed is a device pointer");
  CHECK(refusal([](Args& args) { args.budget = 0; }) == "sink + budget + window is 0: allowed is 1 to 2147483647");
  CHECK(refusal([](Args& args) {
          args.lengths = somewhere<std::int32_t>();
          args.rows_per_length = 4;
        }) == "rows is 6: allowed is a multiple of 4");
}

}  // namespace

TEST_CASE("counting and selecting of a rank refuse the same by name", "[unit][gpu]") {
  skt_count_shard_args count = {};
  set_shard(count);
  count.digit = 2;
  check_shard(&skt_count_shard, count);
  CHECK(refused(&skt_count_shard, count, [](auto& args) { args.digit = 3; }) == "digit is 3: allowed is 0 to 2");

  skt_select_shard_args select = {};
  set_shard(select);
  select.selected = select.list_counts = somewhere<std::int32_t>();
  select.rank = 3;
  select.ranks = 4;
  check_shard(&skt_select_shard, select);
  CHECK(refused(&skt_select_shard, select, [](auto& args) { args.rank = 4; }) == "rank is 4: allowed is 0 to 3");
  CHECK(refused(&skt_select_shard, select, [](auto& args) { args.ranks = 1025; }) ==
        "ranks is 1025: allowed is 1 to 1024");
  CHECK(refused(&skt_select_shard, select, [](auto& args) { args.selected = nullptr; }) ==
        "selected is 0: allowed is a device pointer");
}

TEST_CASE("scores that are counted for ranks need places, alignment and one query row", "[unit][gpu]") {
  skt_score_packed_args good = {};  // of no keys: accepted, and nothing launched
  good.half_tables = somewhere<float>();
  good.scores = somewhere<float>();
  good.packed = somewhere<std::uint32_t>();
  good.norms = somewhere<void>();
  good.batch = 1;
  good.heads = good.kv_heads = 2;
  good.capacity = 256;
  good.tables = 60;
  good.planes = 10;
  good.counts = somewhere<std::int32_t>();
  good.first = 100;
  good.used = 356;
  const auto refusal = [&](auto&& change) { return refused(&skt_score_packed, good, change); };

  CHECK(refusal([](auto&) {}).empty());
  CHECK(refusal([](auto& args) { args.first = -1; }) == "first is -1: allowed is 0 to 2147483647");
  CHECK(refusal([](auto& args) { args.used = 2147483648; }) == "used is 2147483648: allowed is 0 to 2147483647");
  CHECK(refusal([](auto& args) { args.sink = -1; }) == "sink is -1: allowed is 0 to 2147483647");
  CHECK(refusal([](auto& args) { args.window = -1; }) == "window is -1: allowed is 0 to 2147483647");
  CHECK(refusal([](auto& args) { args.counts = somewhere<std::int32_t>(4); }) ==
        "counts, modulo 16, is 4: allowed is 0");
  CHECK(refusal([](auto& args) { args.query_rows = 2; }) ==
        "query_rows of scores that are counted is 2: allowed is 0 to 1");
  good.counts = nullptr;  // then nobody asks for the places
  CHECK(refusal([](auto& args) { args.first = -1; }).empty());
}

TEST_CASE("merging refuses sizes that no kernel has", "[unit][gpu]") {
  const skt_merge_parts_args good = {somewhere<const float>(), somewhere<float>(), nullptr, 2, 6, 64};

  CHECK(refused(&skt_merge_parts, good, [](auto& args) { args.dim = 66; }) ==
        "dim is 66: allowed is 32, 64, 128 or 256");
  CHECK(refused(&skt_merge_parts, good, [](auto& args) { args.ranks = 0; }) == "ranks is 0: allowed is 1 to 1024");
  CHECK(refused(&skt_merge_parts, good, [](auto& args) { args.parts = nullptr; }) ==
        "parts is 0: allowed is a device pointer");
}

TEST_CASE("attention needs an output or a part, and a part in its place", "[unit][gpu]") {
  skt_sparse_attention_args good = {};
  good.queries = good.keys = good.values = somewhere<void>();
  good.selected = good.counts = somewhere<const std::int32_t>();
  good.part = somewhere<float>();
  good.workspace = somewhere<void>();
  good.batch = good.heads = good.kv_heads = 1;
  good.capacity = 1000;
  good.dim = 64;
  good.list = 300;
  good.logit_scale = 0.125f;
  const auto refusal = [&](auto&& change) { return refused(&skt_sparse_attention, good, change); };

  CHECK(refusal([](auto&) {}).find("workspace_bytes is 0") == 0);  // all before it is accepted, without an output
  CHECK(refusal([](auto& args) { args.part = nullptr; }) == "output is 0: allowed is a device pointer");
  CHECK(refusal([](auto& args) { args.part = somewhere<float>(8); }) == "part, modulo 16, is 8: allowed is 0");
}
