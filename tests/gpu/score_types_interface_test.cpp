// Of which types may scores be? What the C interface refuses before it touches a device, and how much room a step takes;
// needs a CUDA build, no GPU.
#include <cstdint>
#include <string>

#include "gpu/socketlab_gpu.h"
#include "tests/catch.hpp"
#include "tests/gpu/refused_calls.hpp"

using namespace skt::gpu;

namespace {

std::string score_refusal(const skt_score_packed_args& args) {
  return refused(skt_score_packed, args, [](skt_score_packed_args&) {});
}

}  // namespace

TEST_CASE("bf16 scores are those by the signed rule of heads that share a kv head, and not counted", "[unit][gpu]") {
  skt_score_packed_args args = good_scores();
  args.score_type = SKT_F16;
  CHECK(score_refusal(args) == "score_type is 1: allowed is 0 (SKT_F32) or 2 (SKT_BF16)");
  args.score_type = SKT_BF16;
  CHECK(score_refusal(args) ==
        "score_type, but by the signed rule of heads that share a kv head, is 2: allowed is 0 (SKT_F32)");
  args.rule = SKT_SIGNED_PROJECTION;
  CHECK(score_refusal(args).empty());
  args.counts = somewhere<std::int32_t>();
  CHECK(score_refusal(args) == "score_type of scores that are counted is 2: allowed is 0 (SKT_F32)");
  args.counts = nullptr;
  args.shape.kv_heads = args.shape.heads;
  CHECK(score_refusal(args) ==
        "score_type, but by the signed rule of heads that share a kv head, is 2: allowed is 0 (SKT_F32)");
}

TEST_CASE("a step by the signed rule of heads that share a kv head has half the bytes of scores", "[unit][gpu]") {
  const auto workspace = [](std::int32_t rule, std::int64_t kv_heads) {
    const skt_decode_step_args args = {
        .shape =
            {.batch = 1, .heads = 8, .kv_heads = kv_heads, .capacity = 1 << 20, .dim = 128, .tables = 40, .planes = 8},
        .sequences = {.used = 1000},
        .list = {.budget = 100},
        .scale = 1,
        .temperature = 1,
        .logit_scale = 1,
        .rule = rule};
    std::int64_t bytes = 0;
    skt_error error = {};
    REQUIRE(skt_decode_step_workspace_bytes(&args, &bytes, &error) == SKT_OK);
    return bytes;
  };
  constexpr std::int64_t kHalf = std::int64_t{8} * 2 << 20;  // of 8 rows of fp32 scores

  CHECK(workspace(SKT_SIGNED_PROJECTION, 8) - workspace(SKT_SIGNED_PROJECTION, 2) == kHalf);
  CHECK(workspace(SKT_SOFT_COLLISION, 8) == workspace(SKT_SIGNED_PROJECTION, 8));
  CHECK(workspace(SKT_SOFT_COLLISION, 2) == workspace(SKT_SIGNED_PROJECTION, 8));
}

TEST_CASE("a selection is from fp32 scores, or from bf16 scores whose rows begin at 16 bytes", "[unit][gpu]") {
  const skt_select_keys_args good = {.scores = somewhere<const void>(),
                                     .selected = somewhere<std::int32_t>(),
                                     .counts = somewhere<std::int32_t>(),
                                     .shape = {.batch = 1, .heads = 12, .capacity = 256},
                                     .sequences = {.used = 200},
                                     .list = {.budget = 20}};
  const auto refusal_of = [&](std::int32_t type, std::int64_t capacity) {
    return refused(skt_select_keys, good, [&](skt_select_keys_args& args) {
      args.score_type = type;
      args.shape.capacity = capacity;
    });
  };

  CHECK(refusal_of(SKT_F16, 256) == "score_type is 1: allowed is 0 (SKT_F32) or 2 (SKT_BF16)");
  CHECK(refusal_of(SKT_BF16, 252) == "capacity of bf16 scores is 252: allowed is a multiple of 8");
}
