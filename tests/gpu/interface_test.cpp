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

skt_score_packed_args good_scores() {
  return {somewhere<const float>(),
          somewhere<const std::uint32_t>(),
          somewhere<void>(),
          nullptr,
          somewhere<float>(),
          1,
          8,
          2,
          256,
          0,
          60,
          10,
          0,
          SKT_SOFT_COLLISION,
          nullptr,
          nullptr,
          0,
          0,
          0,
          0,
          nullptr,
          0,
          0,
          0,
          0,
          SKT_F32};  // no keys: accepted, and nothing launched
}

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
  args.planes = 17;
  CHECK(refusal(args) == "planes is 17: allowed is 4 to 16");

  args = good_scores();
  args.capacity = 200;
  CHECK(refusal(args) == "capacity is 200: allowed is a multiple of 64");

  args = good_scores();
  args.heads = 9;
  CHECK(refusal(args) == "heads is 9: allowed is a multiple of kv_heads");

  args = good_scores();
  args.keys = 257;
  CHECK(refusal(args) == "keys is 257: allowed is 0 to 256");

  args = good_scores();
  args.scores = nullptr;
  CHECK(refusal(args) == "scores is 0: allowed is a device pointer");

  args = good_scores();
  args.scores = somewhere<float>(4);
  CHECK(refusal(args) == "scores, modulo 16, is 4: allowed is 0");

  args = good_scores();
  args.lengths = somewhere<const std::int32_t>(2);
  CHECK(refusal(args) == "lengths, modulo 4, is 2: allowed is 0");
}

TEST_CASE("lengths of rows that they do not divide are refused, and a sparsity below 0", "[unit][gpu]") {
  const skt_select_keys_args good = {somewhere<const float>(),
                                     somewhere<std::int32_t>(),
                                     somewhere<std::int32_t>(),
                                     12,
                                     256,
                                     200,
                                     20,
                                     4,
                                     4,
                                     somewhere<const std::int32_t>(),
                                     4,
                                     33,
                                     0,
                                     SKT_F32};
  const auto refused = [&](auto&& change) {
    skt_select_keys_args args = good;
    change(args);
    skt_error error = {};
    return skt_select_keys(&args, nullptr, &error) == SKT_BAD_ARGUMENT ? std::string(error.message) : "";
  };

  CHECK(refused([](skt_select_keys_args& args) { args.rows_per_length = 5; }) ==
        "rows is 12: allowed is a multiple of 5");
  CHECK(refused([](skt_select_keys_args& args) { args.rows_per_length = 0; }) ==
        "rows_per_length is 0: allowed is 1 to 12");
  CHECK(refused([](skt_select_keys_args& args) { args.lengths = somewhere<const std::int32_t>(1); }) ==
        "lengths, modulo 4, is 1: allowed is 0");
  CHECK(refused([](skt_select_keys_args& args) { args.sparsity = -1; }) ==
        "sparsity is -1: allowed is 0 to 2147483647");
}

TEST_CASE("an index is built from 16-bit keys of the dimensions that a warp's registers take", "[unit][gpu]") {
  const skt_build_index_args good = {somewhere<const void>(),
                                     somewhere<const float>(),
                                     somewhere<std::uint32_t>(),
                                     nullptr,
                                     nullptr,
                                     1,
                                     2,
                                     256,
                                     0,
                                     0,
                                     128,
                                     60,
                                     10,
                                     SKT_BF16,
                                     nullptr,
                                     nullptr,
                                     0,
                                     0,
                                     0,
                                     0,
                                     0,
                                     0};
  const auto refused = [](const skt_build_index_args& args) {
    skt_error error = {};
    return skt_build_index(&args, nullptr, &error) == SKT_BAD_ARGUMENT ? std::string(error.message) : "";
  };
  CHECK(refused(good).empty());

  skt_build_index_args args = good;
  args.dim = 96;
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
template <class Arguments>
Arguments appending() {
  Arguments args = {};
  args.batch = 1;
  args.kv_heads = 2;
  args.capacity = 256;
  return args;
}

template <class Arguments>
void refuses_lengths_and_a_place(int (*function)(const Arguments*, CUstream_st*, skt_error*), const Arguments& good) {
  const auto refused = [&](const std::int32_t* lengths, std::int64_t first) {
    Arguments args = good;
    args.lengths = lengths;
    args.first = first;
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
  auto hash = appending<skt_hash_keys_args>();
  hash.keys = somewhere<const void>();
  hash.hyperplanes = somewhere<const float>();
  hash.codes = somewhere<std::int16_t>();
  hash.dim = 64;
  hash.tables = hash.planes = 8;
  refuses_lengths_and_a_place(&skt_hash_keys, hash);

  auto norms = appending<skt_value_norms_args>();
  norms.values = somewhere<const void>();
  norms.norms = somewhere<void>();
  norms.dim = 64;
  refuses_lengths_and_a_place(&skt_value_norms, norms);

  auto pack = appending<skt_pack_codes_args>();
  pack.codes = somewhere<const std::int16_t>();
  pack.packed = somewhere<std::uint32_t>();
  pack.tables = pack.planes = 8;
  refuses_lengths_and_a_place(&skt_pack_codes, pack);

  auto build = appending<skt_build_index_args>();
  build.keys = somewhere<const void>();
  build.hyperplanes = somewhere<const float>();
  build.packed = somewhere<std::uint32_t>();
  build.dim = 64;
  build.tables = build.planes = 8;
  build.type = SKT_F16;
  refuses_lengths_and_a_place(&skt_build_index, build);
}

TEST_CASE("a workspace that is too small is refused with the size that is needed", "[unit][gpu]") {
  skt_sparse_attention_args args = {};
  args.queries = args.keys = args.values = somewhere<void>();
  args.selected = args.counts = somewhere<const std::int32_t>();
  args.output = somewhere<float>();
  args.workspace = somewhere<void>();
  args.batch = args.heads = args.kv_heads = 1;
  args.capacity = 1000;
  args.dim = 64;
  args.list = 300;
  args.logit_scale = 0.125f;
  std::int64_t bytes = 0;
  REQUIRE(skt_sparse_attention_workspace_bytes(&args, &bytes, nullptr) == SKT_OK);
  args.workspace_bytes = bytes - 1;

  skt_error error = {};
  CHECK(skt_sparse_attention(&args, nullptr, &error) == SKT_BAD_ARGUMENT);
  CHECK(std::string(error.message).find("workspace_bytes is " + std::to_string(bytes - 1)) == 0);
}

TEST_CASE("a decode step refuses what one of its stages refuses before it launches the first", "[unit][gpu]") {
  skt_decode_step_args good = {};
  good.queries = good.keys = good.values = good.norms = somewhere<void>();
  good.hyperplanes = somewhere<const float>();
  good.packed = somewhere<const std::uint32_t>();
  good.output = somewhere<float>();
  good.workspace = somewhere<void>();
  good.workspace_bytes = INT64_MAX;
  good.batch = 1;
  good.heads = 8;
  good.kv_heads = 2;
  good.capacity = 256;
  good.used = 200;
  good.dim = 128;
  good.tables = 60;
  good.planes = 10;
  good.budget = 20;
  good.sink = good.window = 4;
  good.scale = good.logit_scale = 0.125f;
  good.temperature = 0.5f;
  good.type = SKT_BF16;
  good.rule = SKT_SOFT_COLLISION;
  const auto refused = [&](auto&& change) {
    skt_decode_step_args args = good;
    change(args);
    skt_error error = {};
    return skt_decode_step(&args, nullptr, &error) == SKT_BAD_ARGUMENT ? std::string(error.message) : "";
  };
  CHECK(refused([](skt_decode_step_args& args) { args.capacity = 200; }) ==
        "capacity is 200: allowed is a multiple of 64");
  CHECK(refused([](skt_decode_step_args& args) { args.temperature = 0; }) ==
        "temperature is 0: allowed is a finite number above 0");
  CHECK(refused([](skt_decode_step_args& args) { args.packed = nullptr; }) ==
        "packed is 0: allowed is a device pointer");
  CHECK(refused([](skt_decode_step_args& args) { args.rule = 7; }) == "rule is 7: allowed is 0 to 1");
  CHECK(refused([](skt_decode_step_args& args) { args.budget = (1 << 30) - args.sink - args.window + 1; }) ==
        "sink + budget + window is 1073741825: allowed is 1 to 1073741824");
  CHECK(refused([](skt_decode_step_args& args) { args.logit_scale = 0; }) ==
        "logit_scale is 0: allowed is a finite number above 0");
  CHECK(refused([](skt_decode_step_args& args) { args.output = nullptr; }) ==
        "output is 0: allowed is a device pointer");
  CHECK(refused([](skt_decode_step_args& args) { args.lengths = somewhere<const std::int32_t>(2); }) ==
        "lengths, modulo 4, is 2: allowed is 0");
  CHECK(refused([](skt_decode_step_args& args) { args.log_sum_exp = somewhere<float>(1); }) ==
        "log_sum_exp, modulo 4, is 1: allowed is 0");
  CHECK(refused([](skt_decode_step_args& args) { args.sparsity = std::int64_t{1} << 31; }) ==
        "sparsity is 2147483648: allowed is 0 to 2147483647");

  skt_decode_step_args args = good;
  args.capacity = 200;
  std::int64_t bytes = 0;
  CHECK(skt_decode_step_workspace_bytes(&args, &bytes, nullptr) == SKT_BAD_ARGUMENT);
}

TEST_CASE("scales are of bytes, and bytes of one kind", "[unit][gpu]") {
  skt_sparse_attention_args good = {};
  good.queries = good.keys = good.values = somewhere<void>();
  good.selected = good.counts = somewhere<const std::int32_t>();
  good.output = somewhere<float>();
  good.workspace = somewhere<void>();
  good.batch = good.heads = good.kv_heads = 1;
  good.capacity = 1000;
  good.dim = 64;
  good.list = 300;
  good.logit_scale = 0.125f;
  good.type = SKT_BF16;
  good.cache_form = SKT_CACHE_E4M3;
  good.key_scales = somewhere<const float>(4);
  const auto refused = [&](auto&& change) {
    skt_sparse_attention_args args = good;
    change(args);
    skt_error error = {};
    CHECK(skt_sparse_attention(&args, nullptr, &error) == SKT_BAD_ARGUMENT);
    return std::string(error.message);
  };
  using Attend = skt_sparse_attention_args;

  CHECK(refused([](Attend&) {}).find("workspace_bytes is 0") == 0);  // all before it is accepted
  CHECK(refused([](Attend& args) { args.cache_form = 2; }) == "cache_form is 2: allowed is 0 to 1");
  CHECK(refused([](Attend& args) { args.cache_form = 0; }) ==
        "cache_form, beside scales, is 0: allowed is 1, SKT_CACHE_E4M3");
  CHECK(refused([](Attend& args) { args.value_scales = somewhere<const float>(2); }) ==
        "value_scales, modulo 4, is 2: allowed is 0");
}

TEST_CASE("pages that the table cannot describe are refused", "[unit][gpu]") {
  skt_sparse_attention_args good = {};
  good.queries = good.keys = good.values = somewhere<void>();
  good.selected = good.counts = good.block_table = somewhere<const std::int32_t>();
  good.output = somewhere<float>();
  good.workspace = somewhere<void>();
  good.batch = good.heads = good.kv_heads = 1;
  good.capacity = 1000;
  good.dim = 64;
  good.list = 300;
  good.logit_scale = 0.125f;
  good.blocks = good.pages = 63;
  good.page_size = good.page_stride = good.head_stride = 16;
  good.token_stride = 1;
  const auto refused = [](const skt_sparse_attention_args& args) {
    skt_error error = {};
    CHECK(skt_sparse_attention(&args, nullptr, &error) == SKT_BAD_ARGUMENT);
    return std::string(error.message);
  };

  CHECK(refused(good).find("workspace_bytes is 0") == 0);  // all before it is accepted

  auto args = good;
  args.page_size = 24;
  CHECK(refused(args) == "page_size is 24: allowed is a power of two");
  args = good;
  args.blocks = 62;
  CHECK(refused(args) == "blocks is 62: allowed is 63 to 2147483647");
  args = good;
  args.page_stride = std::int64_t{1} << 30;
  CHECK(refused(args).find("last row of all pages is") == 0);
  args = good;
  args.block_table = reinterpret_cast<const std::int32_t*>(2);
  CHECK(refused(args) == "block_table, modulo 4, is 2: allowed is 0");
}

TEST_CASE("a temperature of zero or NaN is refused", "[unit][gpu]") {
  skt_soft_buckets_args args = {somewhere<void>(),
                                somewhere<const float>(),
                                somewhere<float>(),
                                1,
                                1,
                                64,
                                1,
                                8,
                                1.0f,
                                0.0f,
                                SKT_F32,
                                SKT_BUCKETS,
                                SKT_F32,
                                nullptr,
                                nullptr};
  CHECK(skt_soft_buckets(&args, nullptr, nullptr) == SKT_BAD_ARGUMENT);
  args.temperature = NAN;
  CHECK(skt_soft_buckets(&args, nullptr, nullptr) == SKT_BAD_ARGUMENT);
}
