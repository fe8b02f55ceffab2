// What the C interface refuses of pages before it touches a device; needs a CUDA build, no GPU.
#include <cstdint>
#include <string>

#include "gpu/socketlab_gpu.h"
#include "tests/catch.hpp"
#include "tests/gpu/refused_calls.hpp"

using namespace skt::gpu;

namespace {

// An index of 256 keys and two kv heads in three pages of 128.
template <class Arguments>
Arguments in_pages() {
  Arguments args = {};
  args.batch = 1;
  args.kv_heads = 2;
  args.capacity = 256;
  args.block_table = somewhere<const std::int32_t>();
  args.blocks = 2;
  args.pages = 3;
  args.page_size = 128;
  return args;
}

template <class Arguments>
using Function = int (*)(const Arguments*, CUstream_st*, skt_error*);

template <class Arguments>
void refuses_wrong_pages(Function<Arguments> function, const Arguments& good) {
  const auto line = [&](auto&& change) { return refused(function, good, change); };
  CHECK(line([](Arguments&) {}).empty());
  CHECK(line([](Arguments& args) { args.page_size = 65536; }).empty());
  CHECK(line([](Arguments& args) {
          args.page_size = 64;
          args.blocks = 4;
        }).empty());
  CHECK(line([](Arguments& args) { args.page_size = 32; }) ==
        "page_size of a paged index is 32: allowed is a power of two, 64 to 65536");
  CHECK(line([](Arguments& args) { args.page_size = 96; }) ==
        "page_size of a paged index is 96: allowed is a power of two, 64 to 65536");
  CHECK(line([](Arguments& args) { args.page_size = 131072; }) ==
        "page_size of a paged index is 131072: allowed is a power of two, 64 to 65536");
  CHECK(line([](Arguments& args) { args.blocks = 1; }) == "blocks is 1: allowed is 2 to 2147483647");
  CHECK(line([](Arguments& args) { args.pages = 0; }) == "pages is 0: allowed is 1 to 2147483647");
  CHECK(line([](Arguments& args) { args.pages = std::int64_t{1} << 29; }) ==
        "tiles of all pages is 2147483648: allowed is 0 to 2147483647");
  CHECK(line([](Arguments& args) { args.block_table = somewhere<const std::int32_t>(2); }) ==
        "block_table, modulo 4, is 2: allowed is 0");
  CHECK(line([](Arguments& args) {
          args.block_table = nullptr;
          args.page_size = 32;
        }).empty());  // without a table the size of its pages is not looked at
}

// Of keys and values, or values alone.
template <class Arguments>
void refuses_wrong_strides(Function<Arguments> function, const Arguments& good) {
  const auto strides = [](Arguments& args) {
    args.page_stride = 256;
    args.head_stride = 128;
    args.token_stride = 1;
  };
  CHECK(refused(function, good, strides).empty());
  CHECK(refused(function, good, [&](Arguments& args) {
          strides(args);
          args.token_stride = 0;
        }) == "token_stride is 0: allowed is 1 to 2147483647");
  CHECK(refused(function, good, [&](Arguments& args) {
          strides(args);
          args.page_stride = std::int64_t{1} << 30;
        }) == "last row of all pages is 2147483903: allowed is 0 to 2147483647");  // 2^31 + 128 + 127
}

}  // namespace

TEST_CASE("what builds an index refuses pages that it cannot write", "[unit][gpu]") {
  auto norms = in_pages<skt_value_norms_args>();
  norms.values = somewhere<const void>();
  norms.norms = somewhere<void>();
  norms.dim = 64;
  refuses_wrong_pages(&skt_value_norms, norms);
  refuses_wrong_strides(&skt_value_norms, norms);

  auto pack = in_pages<skt_pack_codes_args>();
  pack.codes = somewhere<const std::int16_t>();
  pack.packed = somewhere<std::uint32_t>();
  pack.tables = pack.planes = 8;
  refuses_wrong_pages(&skt_pack_codes, pack);

  auto build = in_pages<skt_build_index_args>();
  build.keys = somewhere<const void>();
  build.hyperplanes = somewhere<const float>();
  build.packed = somewhere<std::uint32_t>();
  build.dim = 64;
  build.tables = build.planes = 8;
  build.type = SKT_F16;
  refuses_wrong_pages(&skt_build_index, build);
  refuses_wrong_strides(&skt_build_index, build);
}

TEST_CASE("scores refuse pages that they cannot read", "[unit][gpu]") {
  auto scores = in_pages<skt_score_packed_args>();
  scores.heads = 4;
  scores.half_tables = somewhere<const float>();
  scores.packed = somewhere<const std::uint32_t>();
  scores.norms = somewhere<const void>();
  scores.scores = somewhere<float>();
  scores.tables = scores.planes = 8;
  refuses_wrong_pages(&skt_score_packed, scores);
}

TEST_CASE("a step refuses small pages for an index alone, and an index in pages without a table", "[unit][gpu]") {
  auto good = in_pages<skt_decode_step_args>();
  good.queries = good.keys = good.values = good.norms = somewhere<void>();
  good.hyperplanes = somewhere<const float>();
  good.packed = somewhere<const std::uint32_t>();
  good.output = somewhere<float>();
  good.heads = 4;
  good.used = 200;
  good.dim = 64;
  good.tables = good.planes = 8;
  good.budget = 20;
  good.scale = good.logit_scale = 0.125f;
  good.temperature = 0.5f;
  good.type = SKT_BF16;
  good.blocks = 16;
  good.page_stride = 256;
  good.head_stride = 128;
  good.token_stride = 1;
  good.workspace = somewhere<void>();
  good.workspace_bytes = INT64_MAX;
  good.page_size = 16;
  good.paged_index = 1;
  const auto line = [&](auto&& change) { return refused(&skt_decode_step, good, change); };

  CHECK(line([](skt_decode_step_args&) {}) ==
        "page_size of a paged index is 16: allowed is a power of two, 64 to 65536");
  CHECK(line([](skt_decode_step_args& args) { args.paged_index = 2; }) == "paged_index is 2: allowed is 0 to 1");
  CHECK(line([](skt_decode_step_args& args) { args.block_table = nullptr; }) ==
        "paged_index, without a block_table, is 1: allowed is 0 to 0");
  // How much scratch memory a step needs is known before there is a table.
  skt_decode_step_args sizes = good;
  sizes.block_table = nullptr;
  std::int64_t bytes = 0;
  CHECK(skt_decode_step_workspace_bytes(&sizes, &bytes, nullptr) == SKT_OK);
  CHECK(bytes > 0);
  // Pages of 16 keys are right where the index is not in pages: what is refused then is what comes after.
  CHECK(line([](skt_decode_step_args& args) {
          args.paged_index = 0;
          args.page_stride = 0;
        }) == "page_stride is 0: allowed is 1 to 2147483647");
}
