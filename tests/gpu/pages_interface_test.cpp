// What the C interface refuses of pages before it touches a device; needs a CUDA build, no GPU.
#include <cstdint>
#include <string>

#include "gpu/socketlab_gpu.h"
#include "tests/catch.hpp"
#include "tests/gpu/refused_calls.hpp"

using namespace skt::gpu;

namespace {

// An index of 256 keys and two kv heads in three pages of 128.
constexpr skt_shape kShape = {
    .batch = 1, .heads = 4, .kv_heads = 2, .capacity = 256, .dim = 64, .tables = 8, .planes = 8};
skt_pages three_pages() {
  return {.block_table = somewhere<const std::int32_t>(), .blocks = 2, .pages = 3, .page_size = 128};
}

template <class Arguments>
using Function = int (*)(const Arguments*, CUstream_st*, skt_error*);

template <class Arguments>
void refuses_wrong_pages(Function<Arguments> function, const Arguments& good) {
  const auto line = [&](auto&& change) { return refused(function, good, change); };
  CHECK(line([](Arguments&) {}).empty());
  CHECK(line([](Arguments& args) { args.paged.page_size = 65536; }).empty());
  CHECK(line([](Arguments& args) {
          args.paged.page_size = 64;
          args.paged.blocks = 4;
        }).empty());
  CHECK(line([](Arguments& args) { args.paged.page_size = 32; }) ==
        "page_size of a paged index is 32: allowed is a power of two, 64 to 65536");
  CHECK(line([](Arguments& args) { args.paged.page_size = 96; }) ==
        "page_size of a paged index is 96: allowed is a power of two, 64 to 65536");
  CHECK(line([](Arguments& args) { args.paged.page_size = 131072; }) ==
        "page_size of a paged index is 131072: allowed is a power of two, 64 to 65536");
  CHECK(line([](Arguments& args) { args.paged.blocks = 1; }) == "blocks is 1: allowed is 2 to 2147483647");
  CHECK(line([](Arguments& args) { args.paged.pages = 0; }) == "pages is 0: allowed is 1 to 2147483647");
  CHECK(line([](Arguments& args) { args.paged.pages = std::int64_t{1} << 29; }) ==
        "tiles of all pages is 2147483648: allowed is 0 to 2147483647");
  CHECK(line([](Arguments& args) { args.paged.block_table = somewhere<const std::int32_t>(2); }) ==
        "block_table, modulo 4, is 2: allowed is 0");
  CHECK(line([](Arguments& args) {
          args.paged.block_table = nullptr;
          args.paged.page_size = 32;
        }).empty());  // without a table the size of its pages is not looked at
}

// Of keys and values, or values alone.
template <class Arguments>
void refuses_wrong_strides(Function<Arguments> function, const Arguments& good) {
  const auto strides = [](Arguments& args) {
    args.paged.page_stride = 256;
    args.paged.head_stride = 128;
    args.paged.token_stride = 1;
  };
  CHECK(refused(function, good, strides).empty());
  CHECK(refused(function, good, [&](Arguments& args) {
          strides(args);
          args.paged.token_stride = 0;
        }) == "token_stride is 0: allowed is 1 to 2147483647");
  CHECK(refused(function, good, [&](Arguments& args) {
          strides(args);
          args.paged.page_stride = std::int64_t{1} << 30;
        }) == "last row of all pages is 2147483903: allowed is 0 to 2147483647");  // 2^31 + 128 + 127
}

}  // namespace

TEST_CASE("what builds an index refuses pages that it cannot write", "[unit][gpu]") {
  const skt_value_norms_args norms = {
      .values = somewhere<const void>(), .norms = somewhere<void>(), .shape = kShape, .paged = three_pages()};
  refuses_wrong_pages(&skt_value_norms, norms);
  refuses_wrong_strides(&skt_value_norms, norms);
  refuses_wrong_pages(&skt_pack_codes, {.codes = somewhere<const std::int16_t>(),
                                        .packed = somewhere<std::uint32_t>(),
                                        .shape = kShape,
                                        .paged = three_pages()});
  const skt_build_index_args build = {.keys = somewhere<const void>(),
                                      .hyperplanes = somewhere<const float>(),
                                      .packed = somewhere<std::uint32_t>(),
                                      .shape = kShape,
                                      .paged = three_pages(),
                                      .type = SKT_F16};
  refuses_wrong_pages(&skt_build_index, build);
  refuses_wrong_strides(&skt_build_index, build);
}

TEST_CASE("scores refuse pages that they cannot read", "[unit][gpu]") {
  skt_score_packed_args scores = good_scores();
  scores.paged = three_pages();
  refuses_wrong_pages(&skt_score_packed, scores);
}

TEST_CASE("a step refuses small pages for an index alone, and an index in pages without a table", "[unit][gpu]") {
  skt_decode_step_args good = good_step();
  good.paged = {.block_table = somewhere<const std::int32_t>(),
                .blocks = 16,
                .pages = 3,
                .page_size = 16,
                .page_stride = 256,
                .head_stride = 128,
                .token_stride = 1};
  good.paged_index = 1;
  const auto line = [&](auto&& change) { return refused(&skt_decode_step, good, change); };

  CHECK(line([](skt_decode_step_args&) {}) ==
        "page_size of a paged index is 16: allowed is a power of two, 64 to 65536");
  CHECK(line([](skt_decode_step_args& args) { args.paged_index = 2; }) == "paged_index is 2: allowed is 0 to 1");
  CHECK(line([](skt_decode_step_args& args) { args.paged.block_table = nullptr; }) ==
        "paged_index, without a block_table, is 1: allowed is 0 to 0");
  // How much scratch memory a step needs is known before there is a table.
  skt_decode_step_args sizes = good;
  sizes.paged.block_table = nullptr;
  std::int64_t bytes = 0;
  CHECK(skt_decode_step_workspace_bytes(&sizes, &bytes, nullptr) == SKT_OK);
  CHECK(bytes > 0);
  // Pages of 16 keys are right where the index is not in pages: what is refused then is what comes after.
  CHECK(line([](skt_decode_step_args& args) {
          args.paged_index = 0;
          args.paged.page_stride = 0;
        }) == "page_stride is 0: allowed is 1 to 2147483647");
}
