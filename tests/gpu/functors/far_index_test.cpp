// Do places in arrays of more than 2^31 elements come out as in exact arithmetic? Sizes whose products wrap 32 bits, at
// every stage of the product, against 128 bits. Needs a CUDA build for the sizes of workspaces, no GPU.
#include <cstdint>

#include "gpu/functors/half_table.hpp"
#include "gpu/functors/packed_codes.hpp"
#include "gpu/functors/score_bins.hpp"
#include "gpu/socketlab_gpu.h"
#include "tests/catch.hpp"

using namespace skt::gpu;

namespace {

__extension__ typedef __int128 Exact;

constexpr std::int64_t kMostKeys = (std::int64_t{1} << 31) - kTileKeys;  // of a cache, in whole tiles

}  // namespace

TEST_CASE("The place of a packed word is exact beyond 2^31 words", "[unit][gpu]") {
  for (const std::int64_t words : {std::int64_t{1}, std::int64_t{19}, std::int64_t{122}, std::int64_t{1920}}) {
    for (const std::int64_t key :
         {std::int64_t{0}, std::int64_t{63}, std::int64_t{64}, std::int64_t{127}, std::int64_t{128},
          (std::int64_t{1} << 24) + 5, (std::int64_t{1} << 30) + 77, kMostKeys - 1}) {
      for (const std::int64_t word : {std::int64_t{0}, words / 2, words - 1}) {
        const Exact tile = Exact{key} / kTileKeys, lane = Exact{key} % kTileKeys;
        const Exact exact = (tile * words + word) * kTileKeys + lane;
        CHECK((Exact{packed_position(key, word, words)} == exact));
        CHECK((exact >= 0 && exact < Exact{kMostKeys} * words));
      }
    }
  }
  CHECK(packed_position(kMostKeys - 1, 1919, 1920) == kMostKeys * 1920 - 1);
}

TEST_CASE("Words of a key and entries of a half-table are those of the largest sizes", "[unit][gpu]") {
  CHECK(words_per_key(4096, 15) == 1920);
  CHECK(words_per_key(std::int64_t{1} << 40, 15) == 15 * (std::int64_t{1} << 35));
  CHECK(half_table_entries(15) == 256 + 128);
  CHECK(4096 * std::int64_t{half_table_entries(15)} * 65535 == 103077642240);  // of all rows, in floats
}

TEST_CASE("The workspace of attention is exact where its parts exceed 2^32 bytes", "[unit][gpu]") {
  skt_sparse_attention_args args = {
      .shape = {.batch = 1, .heads = 65535, .kv_heads = 1, .capacity = kMostKeys, .dim = 256},
      .list = std::int64_t{1} << 30,
      .type = SKT_BF16};
  std::int64_t bytes = 0;
  skt_error error = {};

  REQUIRE(skt_sparse_attention_workspace_bytes(&args, &bytes, &error) == SKT_OK);

  // At least a vector of 256 floats, an exponent and a sum to each row: 65535 * 1032 bytes, and of one part to a row no
  // more than 512 times that.
  CHECK(bytes >= 65535 * std::int64_t{1032});
  args.shape.heads = 1;
  std::int64_t of_one = 0;
  REQUIRE(skt_sparse_attention_workspace_bytes(&args, &of_one, &error) == SKT_OK);
  CHECK((Exact{bytes} <= Exact{of_one} * 65535 && Exact{bytes} >= (Exact{of_one} - 512) * 65535));
}

TEST_CASE("The workspace of a step holds scores of more than 2^31 elements", "[unit][gpu]") {
  const skt_decode_step_args args = {.shape = {.batch = 1,
                                               .heads = 65535,
                                               .kv_heads = 65535,
                                               .capacity = kMostKeys,
                                               .dim = 128,
                                               .tables = 60,
                                               .planes = 10},
                                     .list = {.budget = 100},
                                     .type = SKT_BF16};
  std::int64_t bytes = 0;
  skt_error error = {};

  REQUIRE(skt_decode_step_workspace_bytes(&args, &bytes, &error) == SKT_OK);

  const Exact rows = 65535;
  const Exact scores = rows * kMostKeys * 4;
  const Exact rest = rows * (60 * 64 * 4 + 100 * 4 + 4 + kScoreBins * 4);
  CHECK((Exact{bytes} >= scores + rest));
  CHECK((Exact{bytes} <= scores + 1000 * rest));
}
