// What the functions of several ranks refuse before they touch a device; needs a CUDA build, no GPU.
#include <cstdint>
#include <string>

#include "gpu/socketlab_gpu.h"
#include "tests/catch.hpp"
#include "tests/gpu/refused_calls.hpp"

using namespace skt::gpu;

namespace {

skt_shard good_shard() {
  return {.scores = somewhere<const float>(),
          .counts = somewhere<std::int32_t>(),
          .marks = somewhere<std::uint32_t>(),
          .shape = {.batch = 1, .heads = 6, .capacity = 128},
          .first = 300,
          .keys = 100,
          .sequences = {.used = 1000},
          .list = {.budget = 10}};
}

template <class Args>
void check_shard(int (*function)(const Args*, CUstream_st*, skt_error*), const Args& good) {
  const auto refusal = [&](auto&& change) { return refused(function, good, change); };
  CHECK(refusal([](Args& args) { args.shard.keys = 129; }) == "keys is 129: allowed is 0 to 128");
  CHECK(refusal([](Args& args) { args.shard.first = -1; }) == "first is -1: allowed is 0 to 2147483547");
  CHECK(refusal([](Args& args) { args.shard.first = 2147483548; }) ==
        "first is 2147483548: allowed is 0 to 2147483547");
  CHECK(refusal([](Args& args) { args.shard.sequences.used = 2147483648; }) ==
        "used is 2147483648: allowed is 0 to 2147483647");
  CHECK(refusal([](Args& args) { args.shard.scores = nullptr; }) == "scores is 0: allowed is a device pointer");
  CHECK(refusal([](Args& args) { args.last_counts = nullptr; }) == "last_counts is 0: allowed is a device pointer");
  CHECK(refusal([](Args& args) { args.shard.counts = somewhere<std::int32_t>(4); }) ==
        "counts, modulo 16, is 4: allowed is 0");
  CHECK(refusal([](Args& args) { args.shard.marks = nullptr; }) == "marks is 0: allowed is a device pointer");
  CHECK(refusal([](Args& args) { args.shard.list.budget = 0; }) ==
        "sink + budget + window is 0: allowed is 1 to 2147483647");
  CHECK(refusal([](Args& args) { args.shard.sequences.lengths = somewhere<std::int32_t>(2); }) ==
        "lengths, modulo 4, is 2: allowed is 0");
}

}  // namespace

TEST_CASE("counting and selecting of a rank refuse the same by name", "[unit][gpu]") {
  const skt_count_shard_args count = {.shard = good_shard(), .last_counts = somewhere<std::int32_t>(), .digit = 2};
  check_shard(&skt_count_shard, count);
  CHECK(refused(&skt_count_shard, count, [](auto& args) { args.digit = 3; }) == "digit is 3: allowed is 0 to 2");

  const skt_select_shard_args select = {.shard = good_shard(),
                                        .last_counts = somewhere<std::int32_t>(),
                                        .selected = somewhere<std::int32_t>(),
                                        .list_counts = somewhere<std::int32_t>(),
                                        .rank = 3,
                                        .ranks = 4};
  check_shard(&skt_select_shard, select);
  CHECK(refused(&skt_select_shard, select, [](auto& args) { args.rank = 4; }) == "rank is 4: allowed is 0 to 3");
  CHECK(refused(&skt_select_shard, select, [](auto& args) { args.ranks = 1025; }) ==
        "ranks is 1025: allowed is 1 to 1024");
  CHECK(refused(&skt_select_shard, select, [](auto& args) { args.selected = nullptr; }) ==
        "selected is 0: allowed is a device pointer");
}

TEST_CASE("scores that are counted for ranks need places, alignment and one query row", "[unit][gpu]") {
  skt_score_packed_args good = good_scores();
  good.counts = somewhere<std::int32_t>();
  good.first = 100;
  good.whole = 356;
  const auto refusal = [&](auto&& change) { return refused(&skt_score_packed, good, change); };

  CHECK(refusal([](auto&) {}).empty());
  CHECK(refusal([](auto& args) { args.first = -1; }) == "first is -1: allowed is 0 to 2147483647");
  CHECK(refusal([](auto& args) { args.whole = 2147483648; }) == "whole is 2147483648: allowed is 0 to 2147483647");
  CHECK(refusal([](auto& args) { args.list.sink = -1; }) == "sink is -1: allowed is 0 to 2147483647");
  CHECK(refusal([](auto& args) { args.list.window = -1; }) == "window is -1: allowed is 0 to 2147483647");
  CHECK(refusal([](auto& args) { args.counts = somewhere<std::int32_t>(4); }) ==
        "counts, modulo 16, is 4: allowed is 0");
  CHECK(refusal([](auto& args) { args.shape.query_rows = 2; }) ==
        "query_rows of scores that are counted is 2: allowed is 0 to 1");
  good.counts = nullptr;  // then nobody asks for the places
  CHECK(refusal([](auto& args) { args.first = -1; }).empty());
}

TEST_CASE("merging refuses sizes that no kernel has", "[unit][gpu]") {
  const skt_merge_parts_args good = {.parts = somewhere<const float>(),
                                     .output = somewhere<float>(),
                                     .ranks = 2,
                                     .shape = {.batch = 1, .heads = 6, .dim = 64}};

  CHECK(refused(&skt_merge_parts, good, [](auto& args) { args.shape.dim = 66; }) ==
        "dim is 66: allowed is 32, 64, 128 or 256");
  CHECK(refused(&skt_merge_parts, good, [](auto& args) { args.ranks = 0; }) == "ranks is 0: allowed is 1 to 1024");
  CHECK(refused(&skt_merge_parts, good, [](auto& args) { args.parts = nullptr; }) ==
        "parts is 0: allowed is a device pointer");
}

TEST_CASE("attention needs an output or a part, and a part in its place", "[unit][gpu]") {
  skt_sparse_attention_args good = good_attention();
  good.output = nullptr;
  good.part = somewhere<float>();
  const auto refusal = [&](auto&& change) { return refused(&skt_sparse_attention, good, change); };

  CHECK(refusal([](auto&) {}).find("workspace_bytes is 0") == 0);  // all before it is accepted, without an output
  CHECK(refusal([](auto& args) { args.part = nullptr; }) == "output is 0: allowed is a device pointer");
  CHECK(refusal([](auto& args) { args.part = somewhere<float>(8); }) == "part, modulo 16, is 8: allowed is 0");
}
