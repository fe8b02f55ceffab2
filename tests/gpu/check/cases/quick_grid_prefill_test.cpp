#include <algorithm>
#include <set>

#include "gpu/check/cases/quick_grid.hpp"
#include "gpu/functors/half_score.hpp"
#include "tests/catch.hpp"
#include "tests/gpu/check/cases/grid_counts.hpp"

using namespace skt::gpu;

TEST_CASE("The prefill has as many cases as its axes have values", "[unit]") {
  // Of either operation 3 types, 8 inputs and 4 dimensions, 8 counts of keys, one of which is met twice, and 5 profiles
  // of 3 inputs.
  constexpr int kEither = 3 * 8 * 4 + 8 - 1 + 5 * 3;
  CHECK(counts_of(cases_of(add_prefill_cases)) ==
        Counts{{Operation::hash_keys, kEither + 15},  // and planes 1 to 15
               {Operation::value_norms, kEither},
               // 2 types and 4 dimensions of 4 inputs and 8 counts of keys, which meet once; planes 4 to 16 with 3
               // counts of tables; two large ones.
               {Operation::build_index, 2 * 4 * (4 + 8 - 1) + 13 * 3 + 2},
               // 3 types and 3 dimensions; one tile, one sequence, many, and words that tables straddle.
               {Operation::append_lengths, 3 * 3 + 4},
               // 3 types; 2 groups and 2 dimensions of longer rows; and one that takes half of the device.
               {Operation::rewritten_index, 3 + 2 * 2 + 1}});
}

TEST_CASE("What reads an index that is written again leaves multiprocessors to what writes it", "[unit]") {
  constexpr std::int64_t kMultiprocessors = 132;  // of an H100 and an H200
  bool of_several_tiles = false;
  std::set<NumberType> types;
  for (const CheckCase& c : cases_of(add_prefill_cases)) {
    if (c.operation != Operation::rewritten_index) continue;
    const bool four_heads = scores_in_half(c.group(), c.tables, c.code_bits());
    const std::int64_t passes = (c.group() + (four_heads ? 3 : 0)) / (four_heads ? 4 : 1);
    const std::int64_t tiles = c.kv_rows() * ((c.keys + 63) / 64);
    const std::int64_t ranges = std::min(tiles, kMultiprocessors / passes);
    CHECK(2 * ranges * passes <= kMultiprocessors + 2);
    of_several_tiles |= tiles > 3 * 24 * ranges;  // to each of a block's 24 warps
    CHECK((c.dim == 32 || c.dim == 128));
    types.insert(c.type);
    CHECK(c.mask == MaskKind::none);
    CHECK(c.inputs == InputKind::gaussian);
    CHECK(c.sink + c.budget + c.window < c.keys);  // or a step would take every key of either index
  }
  CHECK(of_several_tiles);
  CHECK(types.size() == 3);
}

TEST_CASE("Keys are appended by lengths where a warp takes several groups of them, and to words that tables straddle",
          "[unit]") {
  bool several = false, straddles = false;
  for (const CheckCase& c : cases_of(add_prefill_cases)) {
    if (c.operation != Operation::append_lengths) continue;
    CHECK(c.keys == c.capacity);
    several |= c.kv_rows() > 132 * 8;  // warps of an H200's blocks
    straddles |= c.planes * 4 > 32 && c.tables > 4;
  }
  CHECK(several);
  CHECK(straddles);
}

TEST_CASE("An index is built of 16-bit types in all dimensions and planes that it takes", "[unit]") {
  std::set<std::int64_t> dims, planes;
  for (const CheckCase& c : cases_of(add_prefill_cases)) {
    if (c.operation != Operation::build_index) continue;
    CHECK(c.type != NumberType::f32);
    dims.insert(c.dim);
    planes.insert(c.planes);
  }
  CHECK(dims == std::set<std::int64_t>{32, 64, 128, 256});
  CHECK(*planes.begin() == 4);
  CHECK(*planes.rbegin() == 16);
  CHECK(planes.size() == 13);
}
