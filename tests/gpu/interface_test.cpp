// What the C interface refuses before it touches a device; needs a CUDA build, no GPU.
#include <cmath>
#include <cstdint>
#include <cstring>
#include <string>

#include "gpu/socketlab_gpu.h"
#include "tests/catch.hpp"
#include "tests/gpu/refused_calls.hpp"

using namespace skt::gpu;

namespace {

std::string refusal(const skt_score_packed_args& args) {
  skt_error error = {};
  return skt_score_packed(&args, nullptr, &error) == SKT_BAD_ARGUMENT ? error.message : "";
}

}  // namespace

TEST_CASE("good arguments without keys are accepted and launch nothing", "[unit][gpu]") {
  const skt_score_packed_args args = good_scores();
  skt_error error = {};

  CHECK(skt_score_packed(&args, nullptr, &error) == SKT_OK);
  CHECK(std::strlen(error.message) == 0);
  CHECK(skt_score_packed(&args, nullptr, nullptr) == SKT_OK);
}

TEST_CASE("each wrong argument is refused by name", "[unit][gpu]") {
  skt_score_packed_args args = good_scores();
  args.shape.planes = 17;
  CHECK(refusal(args) == "planes is 17: allowed is 4 to 16");

  args = good_scores();
  args.shape.capacity = 200;
  CHECK(refusal(args) == "capacity is 200: allowed is a multiple of 64");

  args = good_scores();
  args.shape.heads = 9;
  CHECK(refusal(args) == "heads is 9: allowed is a multiple of kv_heads");

  args = good_scores();
  args.sequences.used = 257;
  CHECK(refusal(args) == "used is 257: allowed is 0 to 256");

  args = good_scores();
  args.scores = nullptr;
  CHECK(refusal(args) == "scores is 0: allowed is a device pointer");

  args = good_scores();
  args.scores = somewhere<float>(4);
  CHECK(refusal(args) == "scores, modulo 16, is 4: allowed is 0");

  args = good_scores();
  args.sequences.lengths = somewhere<const std::int32_t>(2);
  CHECK(refusal(args) == "lengths, modulo 4, is 2: allowed is 0");
}

TEST_CASE("a selection refuses lengths that are not aligned, and a sparsity below 0", "[unit][gpu]") {
  const skt_select_keys_args good = {.scores = somewhere<const float>(),
                                     .selected = somewhere<std::int32_t>(),
                                     .counts = somewhere<std::int32_t>(),
                                     .shape = {.batch = 3, .heads = 4, .capacity = 256},
                                     .sequences = {.used = 200, .lengths = somewhere<const std::int32_t>()},
                                     .list = {.budget = 20, .sink = 4, .window = 4, .sparsity = 33}};
  const auto line = [&](auto&& change) { return refused(&skt_select_keys, good, change); };

  CHECK(line([](auto& args) { args.shape.heads = 0; }) == "heads is 0: allowed is 1 to 65535");
  CHECK(line([](auto& args) { args.shape.heads = 21846; }) ==
        "batch * query_rows * heads is 65538: allowed is 1 to 65535");
  CHECK(line([](auto& args) { args.sequences.lengths = somewhere<const std::int32_t>(1); }) ==
        "lengths, modulo 4, is 1: allowed is 0");
  CHECK(line([](auto& args) { args.list.sparsity = -1; }) == "sparsity is -1: allowed is 0 to 2147483647");
}

TEST_CASE("published scores are of one query row", "[unit][gpu]") {
  const skt_score_buckets_args two = {
      .probabilities = somewhere<const void>(),
      .codes = somewhere<const std::int16_t>(),
      .norms = somewhere<const void>(),
      .scores = somewhere<float>(),
      .shape = {.batch = 1, .heads = 8, .kv_heads = 2, .query_rows = 2, .capacity = 256, .tables = 60, .planes = 10},
      .norm_type = SKT_F16};

  CHECK(refused(&skt_score_buckets, two, [](auto&) {}) == "query_rows is 2: allowed is 0 to 1");
  CHECK(refused(&skt_score_buckets, two, [](auto& args) { args.shape.query_rows = 1; }).empty());
}

TEST_CASE("an index is built from 16-bit keys of the dimensions that a warp's registers take", "[unit][gpu]") {
  const skt_build_index_args good = {
      .keys = somewhere<const void>(),
      .hyperplanes = somewhere<const float>(),
      .packed = somewhere<std::uint32_t>(),
      .shape = {.batch = 1, .kv_heads = 2, .capacity = 256, .dim = 128, .tables = 60, .planes = 10},
      .type = SKT_BF16};
  const auto refused = [](const skt_build_index_args& args) {
    skt_error error = {};
    return skt_build_index(&args, nullptr, &error) == SKT_BAD_ARGUMENT ? std::string(error.message) : "";
  };
  CHECK(refused(good).empty());

  skt_build_index_args args = good;
  args.shape.dim = 96;
  CHECK(refused(args) == "dim is 96: allowed is 32, 64, 128 or 256");

  args = good;
  args.type = SKT_F32;
  CHECK(refused(args) == "type is 0: allowed is 1 to 2");

  args = good;
  args.values = somewhere<const void>();
  CHECK(refused(args) == "norms is 0: allowed is a device pointer");
}

namespace {

// One sequence of two kv heads, nothing of which is appended.
constexpr skt_shape kAppending = {.batch = 1, .kv_heads = 2, .capacity = 256, .dim = 64, .tables = 8, .planes = 8};

template <class Arguments>
void refuses_lengths_and_a_place(int (*function)(const Arguments*, CUstream_st*, skt_error*), const Arguments& good) {
  const auto refused = [&](const std::int32_t* lengths, std::int64_t first) {
    Arguments args = good;
    args.written = {.first = first, .lengths = lengths};
    skt_error error = {};
    return function(&args, nullptr, &error) == SKT_BAD_ARGUMENT ? std::string(error.message) : "";
  };
  CHECK(refused(nullptr, 7).empty());
  CHECK(refused(somewhere<const std::int32_t>(), 0).empty());
  CHECK(refused(somewhere<const std::int32_t>(4), 0).empty());
  CHECK(refused(somewhere<const std::int32_t>(), 7) == "first, beside lengths, is 7: allowed is 0");
  CHECK(refused(somewhere<const std::int32_t>(2), 0) == "lengths, modulo 4, is 2: allowed is 0");
}

}  // namespace

TEST_CASE("index building takes lengths in the place of the first key, not beside it", "[unit][gpu]") {
  refuses_lengths_and_a_place(&skt_hash_keys, {.keys = somewhere<const void>(),
                                               .hyperplanes = somewhere<const float>(),
                                               .codes = somewhere<std::int16_t>(),
                                               .shape = kAppending});
  refuses_lengths_and_a_place(&skt_value_norms,
                              {.values = somewhere<const void>(), .norms = somewhere<void>(), .shape = kAppending});
  refuses_lengths_and_a_place(
      &skt_pack_codes,
      {.codes = somewhere<const std::int16_t>(), .packed = somewhere<std::uint32_t>(), .shape = kAppending});
  refuses_lengths_and_a_place(&skt_build_index, {.keys = somewhere<const void>(),
                                                 .hyperplanes = somewhere<const float>(),
                                                 .packed = somewhere<std::uint32_t>(),
                                                 .shape = kAppending,
                                                 .type = SKT_F16});
}

TEST_CASE("a workspace that is too small is refused with the size that is needed", "[unit][gpu]") {
  skt_sparse_attention_args args = good_attention();
  std::int64_t bytes = 0;
  REQUIRE(skt_sparse_attention_workspace_bytes(&args, &bytes, nullptr) == SKT_OK);
  args.workspace_bytes = bytes - 1;

  skt_error error = {};
  CHECK(skt_sparse_attention(&args, nullptr, &error) == SKT_BAD_ARGUMENT);
  CHECK(std::string(error.message).find("workspace_bytes is " + std::to_string(bytes - 1)) == 0);
}

TEST_CASE("a decode step refuses what one of its stages refuses before it launches the first", "[unit][gpu]") {
  const skt_decode_step_args good = good_step();
  const auto refused = [&](auto&& change) {
    skt_decode_step_args args = good;
    change(args);
    skt_error error = {};
    return skt_decode_step(&args, nullptr, &error) == SKT_BAD_ARGUMENT ? std::string(error.message) : "";
  };
  CHECK(refused([](skt_decode_step_args& args) { args.shape.capacity = 200; }) ==
        "capacity is 200: allowed is a multiple of 64");
  CHECK(refused([](skt_decode_step_args& args) { args.temperature = 0; }) ==
        "temperature is 0: allowed is a finite number above 0");
  CHECK(refused([](skt_decode_step_args& args) { args.packed = nullptr; }) ==
        "packed is 0: allowed is a device pointer");
  CHECK(refused([](skt_decode_step_args& args) { args.rule = 7; }) == "rule is 7: allowed is 0 to 1");
  CHECK(refused([](skt_decode_step_args& args) {
          args.list.budget = (1 << 30) - args.list.sink - args.list.window + 1;
        }) == "sink + budget + window is 1073741825: allowed is 1 to 1073741824");
  CHECK(refused([](skt_decode_step_args& args) { args.logit_scale = 0; }) ==
        "logit_scale is 0: allowed is a finite number above 0");
  CHECK(refused([](skt_decode_step_args& args) { args.output = nullptr; }) ==
        "output is 0: allowed is a device pointer");
  CHECK(refused([](skt_decode_step_args& args) { args.sequences.lengths = somewhere<const std::int32_t>(2); }) ==
        "lengths, modulo 4, is 2: allowed is 0");
  CHECK(refused([](skt_decode_step_args& args) { args.log_sum_exp = somewhere<float>(1); }) ==
        "log_sum_exp, modulo 4, is 1: allowed is 0");
  CHECK(refused([](skt_decode_step_args& args) { args.list.sparsity = std::int64_t{1} << 31; }) ==
        "sparsity is 2147483648: allowed is 0 to 2147483647");

  skt_decode_step_args args = good;
  args.shape.capacity = 200;
  std::int64_t bytes = 0;
  CHECK(skt_decode_step_workspace_bytes(&args, &bytes, nullptr) == SKT_BAD_ARGUMENT);
}

TEST_CASE("scales are of bytes, and bytes of one kind", "[unit][gpu]") {
  skt_sparse_attention_args good = good_attention();
  good.type = SKT_BF16;
  good.cache.cache_form = SKT_CACHE_E4M3;
  good.cache.key_scales = somewhere<const float>(4);
  const auto refused = [&](auto&& change) {
    skt_sparse_attention_args args = good;
    change(args);
    skt_error error = {};
    CHECK(skt_sparse_attention(&args, nullptr, &error) == SKT_BAD_ARGUMENT);
    return std::string(error.message);
  };
  using Attend = skt_sparse_attention_args;

  CHECK(refused([](Attend&) {}).find("workspace_bytes is 0") == 0);  // all before it is accepted
  CHECK(refused([](Attend& args) { args.cache.cache_form = 2; }) == "cache_form is 2: allowed is 0 to 1");
  CHECK(refused([](Attend& args) { args.cache.cache_form = 0; }) ==
        "cache_form, beside scales, is 0: allowed is 1, SKT_CACHE_E4M3");
  CHECK(refused([](Attend& args) { args.cache.value_scales = somewhere<const float>(2); }) ==
        "value_scales, modulo 4, is 2: allowed is 0");
}

TEST_CASE("pages that the table cannot describe are refused", "[unit][gpu]") {
  skt_sparse_attention_args good = good_attention();
  good.paged = {.block_table = somewhere<const std::int32_t>(),
                .blocks = 63,
                .pages = 63,
                .page_size = 16,
                .page_stride = 16,
                .head_stride = 16,
                .token_stride = 1};
  const auto refused = [](const skt_sparse_attention_args& args) {
    skt_error error = {};
    CHECK(skt_sparse_attention(&args, nullptr, &error) == SKT_BAD_ARGUMENT);
    return std::string(error.message);
  };

  CHECK(refused(good).find("workspace_bytes is 0") == 0);  // all before it is accepted

  auto args = good;
  args.paged.page_size = 24;
  CHECK(refused(args) == "page_size is 24: allowed is a power of two");
  args = good;
  args.paged.blocks = 62;
  CHECK(refused(args) == "blocks is 62: allowed is 63 to 2147483647");
  args = good;
  args.paged.page_stride = std::int64_t{1} << 30;
  CHECK(refused(args).find("last row of all pages is") == 0);
  args = good;
  args.paged.block_table = reinterpret_cast<const std::int32_t*>(2);
  CHECK(refused(args) == "block_table, modulo 4, is 2: allowed is 0");
}

TEST_CASE("a temperature of zero or NaN is refused", "[unit][gpu]") {
  skt_soft_buckets_args args = {.queries = somewhere<void>(),
                                .hyperplanes = somewhere<const float>(),
                                .probabilities = somewhere<float>(),
                                .shape = {.batch = 1, .heads = 1, .dim = 64, .tables = 1, .planes = 8},
                                .scale = 1.0f};
  CHECK(skt_soft_buckets(&args, nullptr, nullptr) == SKT_BAD_ARGUMENT);
  args.temperature = NAN;
  CHECK(skt_soft_buckets(&args, nullptr, nullptr) == SKT_BAD_ARGUMENT);
}
